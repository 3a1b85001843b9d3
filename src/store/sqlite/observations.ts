// Observations: written with their files, sources and full-text row in one transaction; read by id and by page.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { Observation } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import { createObservationLinks, type LinkedObservation } from "./observation-links.ts";
import type { Sqlite } from "./open.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";

/** A draft with everything the session adds to it. */
export interface NewObservation extends LinkedObservation {
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
  /** True where `local` stood in for a model: worth making again. */
  upgrade?: boolean;
}

export interface Observations {
  /** Stores the observation; undefined when its generation key is there already. */
  insert(observation: NewObservation): Observation | undefined;
  byId(id: number): Observation | undefined;
  page(request: PageRequest): Page<Observation>;
  /** Titles of the session's newest observations, oldest first. */
  recentTitles(sessionId: number, limit: number): string[];
  /** The same of what was made of messages before the message `before`, and after the last one with a summary. */
  titlesSinceSummary(request: { sessionId: number; before: number; limit: number }): string[];
  /** Paths that the newest edits of the session changed, newest first. */
  editedPaths(sdkSessionId: string, limit: number): string[];
}

const recentEdits = 20;

/** The columns of the wire record, in its order. */
export const observationColumns = `id, sdk_session_id, project, obs_type, title, subtitle, summary, narrative, text,
  facts, concepts, files_touched, files_read, files_modified, prompt_number, generator, provenance, agent_id,
  agent_type, discovery_tokens, created_at_epoch, status, pinned, superseded_by, said_by, standing, reach,
  salience, routine, synced_at, origin_device_id, origin_local_id, revision`;

export function createObservations(db: Sqlite): Observations {
  const derived = createDerivedRows(db);
  const links = createObservationLinks(db);
  const insert = db.prepare<Record<string, string | number | null>, Observation>(
    `insert into observations (session_id, sdk_session_id, project, obs_type, title, subtitle, summary, narrative,
       facts, concepts, files_touched, files_read, files_modified, prompt_number, generator, provenance, agent_id,
       agent_type, discovery_tokens, generation_key, created_at_epoch, upgrade, said_by, standing, reach, salience, routine)
     values (@session_id, @sdk_session_id, @project, @obs_type, @title, @subtitle, @summary, @narrative,
       @facts, @concepts, @files_touched, @files_read, @files_modified, @prompt_number, @generator, @provenance,
       @agent_id, @agent_type, @discovery_tokens, @generation_key, @created_at_epoch, @upgrade, @said_by,
       @standing, @reach, @salience, @routine)
     on conflict (generation_key) do nothing
     returning ${observationColumns}`,
  );
  const byId = db.prepare<[number], Observation>(
    `select ${observationColumns} from observations where id = ?`,
  );
  // By the name that has an index: by the row id every claim of a new session would read the whole table.
  const recentTitles = db.prepare<[number, number], { title: string }>(
    `select title
     from observations
     where sdk_session_id = (select sdk_session_id from sessions where id = ?)
     order by id desc
     limit ?`,
  );
  // Both keys begin with the message's number. The plus keeps the search in the session's index: by the row id it would go
  // through the events of every session.
  const titlesSinceSummary = db.prepare<
    { sessionId: number; before: number; limit: number },
    { title: string }
  >(
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
  );
  const editedPaths = db
    .prepare<[string, number, number], string>(
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
    )
    .pluck();
  const page = readPage<Observation>(db, {
    table: "observations",
    columns: observationColumns,
    order: "created_at_epoch desc, id desc",
    projectOrder: "created_at_epoch desc, id desc",
  });

  return {
    insert(observation) {
      const stored = insert.get(observationRow(observation));
      if (stored === undefined) return undefined;
      links.add(stored.id, observation);
      derived.write("observations", stored);
      return stored;
    },
    byId: (id) => byId.get(id),
    page,
    recentTitles: (sessionId, limit) =>
      recentTitles
        .all(sessionId, limit)
        .map((row) => row.title)
        .reverse(),
    editedPaths: (sdkSessionId, limit) => editedPaths.all(sdkSessionId, recentEdits, limit),
    titlesSinceSummary: (request) => titlesSinceSummary.all(request).map((row) => row.title),
  };
}

/** The columns of a new observation. */
export function observationRow({
  draft,
  sources: _sources,
  cited: _cited,
  upgrade = false,
  ...rest
}: NewObservation): Record<string, string | number | null> {
  const touched = [...new Set([...draft.files_modified, ...draft.files_read])];
  return {
    ...rest,
    ...markRow(draft),
    upgrade: upgrade ? 1 : 0,
    obs_type: draft.obs_type,
    title: draft.title,
    subtitle: draft.subtitle,
    summary: draft.summary,
    narrative: draft.narrative,
    provenance: draft.provenance,
    facts: JSON.stringify(draft.facts),
    concepts: JSON.stringify(draft.concepts),
    files_touched: JSON.stringify(touched),
    files_read: JSON.stringify(draft.files_read),
    files_modified: JSON.stringify(draft.files_modified),
  };
}

function markRow({ statement, routine = false }: NewObservation["draft"]) {
  return {
    said_by: statement?.said_by ?? null,
    standing: statement?.standing ? 1 : 0,
    reach: statement?.reach ?? "project",
    salience: statement?.salience ?? null,
    routine: routine ? 1 : 0,
  };
}
