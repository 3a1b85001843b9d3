// Observations with their files, sources and full-text row: written in one transaction; read by id or page; reviewed.

import type { DraftObservation } from "../../core/records/drafts.ts";
import type { GitPlace, Observation } from "../../core/records/records.ts";
import type { Reach } from "../../core/records/statement.ts";
import { createDerivedRows } from "./derived-rows.ts";
import { generatedColumns, listsOf, ownerColumns } from "./generated-columns.ts";
import { createObservationLinks, type LinkedObservation } from "./observation-links.ts";
import type { Sqlite } from "./open.ts";
import { readPage } from "./page.ts";
import { createSql, insertInto } from "./sql.ts";

/** A draft with everything the session adds to it. */
export interface NewObservation extends LinkedObservation, GitPlace {
  draft: Omit<DraftObservation, "sources">;
  sdk_session_id: string;
  project: string;
  prompt_number: number | null;
  generator: string;
  agent_id: string | null;
  agent_type: string | null;
  discovery_tokens: number;
  /** Identity of the generated record; a second one with the same key is not stored. */
  generation_key: string | null;
  created_at_epoch: number;
  /** True if `local` replaced a model: worth regenerating. */
  upgrade?: boolean;
}

export type Observations = ReturnType<typeof createObservations>;

/** The columns of the wire record, in its order. */
export const observationColumns = `id, sdk_session_id, project, obs_type, title, subtitle, summary, narrative, text,
  facts, concepts, files_touched, files_read, files_modified, prompt_number, generator, provenance, agent_id,
  agent_type, discovery_tokens, created_at_epoch, status, pinned, superseded_by, said_by, statement_kind, standing, reach,
  salience, routine, branch, git_commit as "commit", synced_at, origin_device_id, origin_local_id, revision`;

const hostOfSession = `(
    select host
    from sessions
    where sdk_session_id = observations.sdk_session_id
  )`;
const listColumns = `${observationColumns}, ${hostOfSession} as host`;

const recentEdits = 20;

export function createObservations(db: Sqlite) {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const links = createObservationLinks(db);
  const insert = sql.get<[Record<string, string | number | null>], Observation>(
    `${insertInto("observations", [...ownerColumns, ...generatedColumns.observation])}
     on conflict (generation_key) do nothing
     returning ${observationColumns}`,
  );
  // By the column that has an index: by the row id every claim of a new session would read the whole table.
  const recentTitles = sql.values<[sessionId: number, limit: number], string>(
    `select title
     from observations
     where sdk_session_id = (select sdk_session_id from sessions where id = ?)
     order by id desc
     limit ?`,
  );
  const editedPaths = sql.values<[sdkSessionId: string, edits: number, limit: number], string>(
    `select file.value
     from (
       select id, files_modified
       from observations
       where sdk_session_id = ? and files_modified <> '[]'
       order by id desc
       limit ?
     ) edit, json_each(iif(json_valid(edit.files_modified), edit.files_modified, '[]')) file
     group by file.value
     order by max(edit.id) desc
     limit ?`,
  );
  return {
    /** Stores the observation; undefined when its generation key exists. */
    insert(observation: NewObservation): Observation | undefined {
      const stored = insert(observationRow(observation));
      if (stored === undefined) return undefined;
      links.add(stored.id, observation);
      derived.write("observations", stored);
      return stored;
    },
    byId: sql.get<[id: number], Observation>(`select ${observationColumns} from observations where id = ?`),
    /** With the host agent of each one's session. */
    page: readPage<Observation & { host: string | null }>(db, {
      table: "observations",
      columns: listColumns,
      source: hostOfSession,
    }),
    /** Titles of the session's newest observations, oldest first. */
    recentTitles: (sessionId: number, limit: number) => recentTitles(sessionId, limit).reverse(),
    /** Paths that the newest edits of the session changed, newest first. */
    editedPaths: (sdkSessionId: string, limit: number) => editedPaths(sdkSessionId, recentEdits, limit),
    // Both keys begin with the message's number. The plus keeps the search in the session's index: by the row id it would go
    // through the events of every session.
    /** Titles made from messages before the message `before` and after the last one with a summary. */
    titlesSinceSummary: sql.values<[{ sessionId: number; before: number; limit: number }], string>(
      `select title
       from (
         select distinct o.id, o.title
         from raw_events r
         cross join observation_sources s on s.raw_event_id = r.id and s.cited = 0
         cross join observations o on o.id = s.observation_id
         where r.session_id = @sessionId and +r.id < @before
           and +r.id > coalesce((
             select max(cast(generation_key as integer))
             from session_summaries
             where sdk_session_id = (select sdk_session_id from sessions where id = @sessionId)
               and cast(generation_key as integer) < @before
           ), 0)
         order by o.id desc
         limit @limit
       )
       order by id`,
    ),
  };
}

/** The columns of a new observation. */
export function observationRow({
  draft,
  sources: _sources,
  cited: _cited,
  upgrade = false,
  branch = null,
  commit: git_commit = null,
  ...rest
}: NewObservation): Record<string, string | number | null> {
  const { statement, routine = false } = draft;
  const { obs_type, title, subtitle, summary, narrative, provenance } = draft;
  return {
    ...rest,
    ...{ branch, git_commit },
    ...{ obs_type, title, subtitle, summary, narrative, provenance },
    upgrade: upgrade ? 1 : 0,
    said_by: statement?.said_by ?? null,
    statement_kind: statement?.kind ?? null,
    standing: statement?.standing ? 1 : 0,
    reach: statement?.reach ?? "project",
    salience: statement?.salience ?? null,
    routine: routine ? 1 : 0,
    ...listsOf(draft),
  };
}

type Standing = Pick<Observation, "status" | "pinned" | "superseded_by">;

/** The last fact of a record that a model closed; it leaves with the closing. */
export const closingNote = "Done in a later turn, says ";

export function createReviewRecords(db: Sqlite) {
  const sql = createSql(db);
  const update = (columns: string) =>
    `update observations
     set ${columns}, revision = revision + 1, synced_at = null
     where id = @id
     returning ${observationColumns}`;
  const setStanding = sql.get<[Standing & { id: number }], Observation>(
    update(`status = @status, pinned = @pinned, superseded_by = @superseded_by,
       facts = iif(@status = 'active' and facts ->> '$[#-1]' like '${closingNote}%', json_remove(facts, '$[#-1]'), facts)`),
  );
  const setReach = sql.get<[{ id: number; reach: Reach }], Observation>(update("reach = @reach"));
  // A prompt that was interrupted ends no turn: a quote of it has the number of the next one.
  const promptIds = sql.all<[ids: string], { id: number; prompt: number }>(
    `select o.id,
       (select p.id
        from user_prompts p
        where p.session_id = o.session_id and p.private = 0
          and p.prompt_number between o.prompt_number - ${mostPromptsOfTurn} and o.prompt_number
          and (p.prompt_number = o.prompt_number or instr(p.prompt_text, coalesce(o.narrative, o.summary)) > 0)
        order by instr(p.prompt_text, coalesce(o.narrative, o.summary)) > 0 desc, p.prompt_number desc
        limit 1) as prompt
     from json_each(?) one
     cross join observations o on o.id = one.value
     where prompt is not null`,
  );
  return {
    /** Undefined when no observation has the id; likewise `setReach`. */
    setStanding: (id: number, { status, pinned, superseded_by }: Standing) =>
      setStanding({ id, status, pinned, superseded_by }),
    setReach: (id: number, reach: Reach) => setReach({ id, reach }),
    /** By observation: the id of its prompt, if known and not private. */
    promptIds: (ids: readonly number[]) =>
      new Map(promptIds(JSON.stringify(ids)).map(({ id, prompt }) => [id, prompt] as const)),
  };
}

// As many as src/store/sqlite/turns.ts reads.
const mostPromptsOfTurn = 10;
