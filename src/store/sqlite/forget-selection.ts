// Selects the records that a forget deletes.
import type { ForgetSelection } from "../../core/records/forget.ts";
import { askedMark } from "../../core/records/record-terms.ts";
import { isJsonObject, type Json, parseJson } from "../../text/json.ts";
import { spaceCharacters } from "../../text/unspaced.ts";
import {
  createByFilter,
  type FilterRow,
  type ForgetFilter,
  isShared,
  ofNoProject,
  rowOf,
  sessionsPerStep,
} from "./forget-filter.ts";
import type { Sqlite } from "./open.ts";
import { readPayload } from "./raw-events.ts";
import { createSql } from "./sql.ts";

export function createForgetSelections(db: Sqlite) {
  const sql = createSql(db);
  const exists = (table: string, where = "true") =>
    sql.value<[id: number], number>(`select id from ${table} where id = ? and ${where}`);
  return {
    byFilter: createByFilter(db),
    scans: createScans(db),
    observation: exists("observations"),
    summary: exists("session_summaries"),
    prompt: exists("user_prompts", "private = 0"),
    session: sql.value<[{ session: string }], number>(
      `select id
       from sessions
       where claude_session_id = @session or cast(id as text) = @session
       limit 1`,
    ),
    /** The newest one in the trash. */
    deletedSession: sql.value<[{ session: string }], number>(
      `select r.row_id
       from trash_rows r
       cross join trash t on t.id = r.trash_id
       where r.place = 'sessions' and r.row_id is not null and t.at_epoch > 0 and t.record_id > 0
         and (cast(r.row_id as text) = @session or r.content ->> '$.claude_session_id' = @session)
       order by r.id desc
       limit 1`,
    ),
    /** Rules said in a project that apply in all: a forget of the project leaves them. */
    ofNoProject: sql.values<[project: string | null], number>(
      `select id from observations where project = ? and ${ofNoProject} order by id`,
    ),
    /** Sessions that stay for such an observation when everything else of the project goes. */
    shared: sql.values<[{ project: string; session: number | null }], number>(
      `select id from sessions r where project = @project and (@session is null or id = @session) and ${isShared}`,
    ),
    counts: createCounts(db),
    partsOf: createPartsOf(db),
    words: createOwnWords(db),
    eventsAlone: createEventsAlone(db),
    /** Titles of the newest few, each once, with their projects. */
    samples: createSamples(db),
  };
}

/** One table of a scan for words, read in steps of rows behind an id. */
export interface WordScan {
  of: Exclude<keyof ForgetSelection, "sessions">;
  step(filter: ForgetFilter, after: number): ScannedRow[];
}

interface ScannedRow {
  id: number;
  text: string;
  /** JSON arrays of texts, as one array. */
  lists?: string;
  /** Names of records: when one of them goes, the text goes with it. */
  records?: string;
}

// A few milliseconds each; a raw event has up to 130 KB, and an injected text shows many records.
const rowsPerStep = 200;
const longRowsPerStep = 50;

const lists =
  "'[' || concat_ws(',', r.facts, r.concepts, r.files_touched, r.files_read, r.files_modified) || ']' as lists";
const withTexts = (columns: string) => `concat_ws(char(10), ${columns}) as text, ${lists}`;
const belongs = `(@project is null or not (${ofNoProject}))`;
// A prompt that stands in a subtitle too.
const isAsked = `instr(r.subtitle, '${askedMark}') = 1`;
const observation = (subtitle: string) => withTexts(`r.title, ${subtitle}, r.summary, r.narrative, r.text`);
const promptOf = `(select 'P' || p.id from user_prompts p where p.session_id = r.session_id
     and p.prompt_number = r.prompt_number and p.private = 0)`;

function createScans(db: Sqlite): WordScan[] {
  const sql = createSql(db);
  const scan = (of: WordScan["of"], select: string, limit = rowsPerStep): WordScan => {
    const rows = sql.all<[Omit<FilterRow, "projects"> & { after: number }], ScannedRow>(
      `${select}
       order by r.id
       limit ${limit}`,
    );
    return {
      of,
      step: (filter, after) => {
        const { projects: _projects, ...row } = rowOf(filter);
        return rows({ ...row, after }).map(withLists);
      },
    };
  };
  const within = (at: string, of: "r" | "s" = "s", session: "r" | "s" = "s") =>
    `r.id > @after and (@project is null or ${of}.project = @project)
       and (@session is null or ${session}.id = @session)
       and (@before is null or ${at} < @before) and @spare is not null`;
  const record = (table: string, columns: string, where = "true") =>
    `select r.id, ${columns}
     from ${table} r
     left join sessions s on s.sdk_session_id = r.sdk_session_id
     where ${within("r.created_at_epoch", "r")} and ${where}`;
  // The start of a session is logged before its session is stored.
  const injected = (columns: string, where: string) =>
    `select r.id, ${columns}
     from injections r
     left join sessions s on s.claude_session_id = r.session
     where ${within("r.at_epoch")} and ${where}`;
  const events = scan(
    "events",
    `select r.id, r.payload as text
     from raw_events r
     join sessions s on s.id = r.session_id
     where ${within("r.created_at_epoch")}`,
    longRowsPerStep,
  );
  return [
    scan("prompts", record("user_prompts", "r.prompt_text as text", "r.private = 0")),
    scan("observations", record("observations", observation(`iif(${isAsked}, null, r.subtitle)`), belongs)),
    scan(
      "observations",
      record(
        "observations",
        `${observation("r.subtitle")}, concat_ws(',', r.id, ${promptOf}) as records`,
        `${isAsked} and ${belongs}`,
      ),
    ),
    scan(
      "summaries",
      record(
        "session_summaries",
        withTexts("r.summary_text, r.request, r.investigated, r.learned, r.completed, r.next_steps, r.notes"),
      ),
    ),
    {
      of: "events",
      step: (filter, after) =>
        events.step(filter, after).map(({ id, text }) => ({ id, text: leavesOf(readPayload(text)) })),
    },
    scan("causes", injected("r.cause as text", "r.cause is not null")),
    scan(
      "texts",
      injected(
        "r.records, (select text from injection_texts where injection_id = r.id) as text",
        "exists (select 1 from injection_texts where injection_id = r.id)",
      ),
      longRowsPerStep,
    ),
    scan(
      "titles",
      `select r.id, concat_ws(char(10), r.title, r.user_prompt) as text
       from sessions r
       where ${within("r.created_at_epoch", "r", "r")}`,
    ),
  ];
}

// In JSON, a word behind a line break begins with the `n` of `\n`.
function withLists({ lists, ...row }: ScannedRow): ScannedRow {
  if (lists === undefined) return row;
  return { ...row, text: `${row.text}\n${leavesOf({ lists: parseJson(lists) ?? lists })}` };
}

// The kind of an event is no word of its content.
export function leavesOf({ type: _type, prompt_key: _key, ...content }: Record<string, Json>): string {
  const leaves: string[] = [];
  const add = (value: Json): void => {
    if (typeof value === "string" || typeof value === "number") leaves.push(String(value));
    else if (Array.isArray(value)) for (const each of value) add(each);
    else if (isJsonObject(value)) for (const each of Object.values(value)) add(each);
  };
  add(content);
  return leaves.join("\n");
}

/** What a session consists of, with the bytes of its events. */
export interface SessionParts {
  observations: number[];
  summaries: number[];
  events: { id: number; bytes: number }[];
}

function createPartsOf(db: Sqlite): (session: number) => SessionParts {
  const observations = createIdsOf(db, "observations");
  const summaries = createIdsOf(db, "session_summaries");
  const events = createSql(db).all<[session: number], { id: number; bytes: number }>(
    "select id, octet_length(payload) as bytes from raw_events where session_id = ? order by id",
  );
  return (session) => ({
    observations: observations(`[${session}]`),
    summaries: summaries(`[${session}]`),
    events: events(session),
  });
}

/** Ids of the rows of some sessions. */
function createIdsOf(db: Sqlite, table: string): (sessions: string) => number[] {
  return createSql(db).values<[sessions: string], number>(
    `select r.id
     from json_each(?) i
     cross join sessions s on s.id = i.value
     cross join ${table} r on r.sdk_session_id = s.sdk_session_id
     order by r.id`,
  );
}

const searchedTables = {
  observations: "observations_fts",
  summaries: "session_summaries_fts",
  prompts: "user_prompts_fts",
} as const;

/** Words that a search finds in the selected records only, and how many of such words it finds now. */
function createOwnWords(db: Sqlite) {
  const sql = createSql(db);
  const places = (
    [
      ["observations", "observations", "title || ' ' || facts || ' ' || files_touched"],
      ["summaries", "session_summaries", "summary_text"],
      ["prompts", "user_prompts", "prompt_text"],
    ] as const
  ).map(([kind, table, text]) => ({
    kind,
    within: createIdsOf(db, table),
    matching: sql.values<[match: string], number>(
      `select rowid from ${searchedTables[kind]} where ${searchedTables[kind]} match ? limit 500`,
    ),
    textsOf: sql.values<[ids: string, limit: number], string>(
      `select ${text} from ${table} where id in (select value from json_each(?)) order by id desc limit ?`,
    ),
  }));
  const quoted = (word: string) => `"${spaceCharacters(word)}"`;
  return {
    /** Words of the newest selected records, and whether a search finds such a word in these records only. In steps. */
    *of(
      selection: ForgetSelection,
    ): Generator<undefined, { candidates: readonly string[]; isOwn(word: string): boolean }> {
      const chosen = places.map((place) => ({ ...place, ids: new Set(selection[place.kind]) }));
      for (let from = 0; from < selection.sessions.length; from += sessionsPerStep) {
        const sessions = JSON.stringify(selection.sessions.slice(from, from + sessionsPerStep));
        for (const { within, ids } of chosen) for (const id of within(sessions)) ids.add(id);
        yield undefined;
      }
      const texts = chosen.flatMap(({ ids, textsOf }) => textsOf(JSON.stringify([...ids].slice(-100)), 100));
      return {
        candidates: [...new Set(texts.join("\n").match(/[\p{L}\p{N}]{5,40}/gu) ?? [])],
        isOwn(word) {
          const hits = chosen.map(({ ids, matching }) => ({ ids, rows: matching(quoted(word)) }));
          const isOwn = hits.every(({ ids, rows }) => rows.length < 500 && rows.every((row) => ids.has(row)));
          return isOwn && hits.some(({ rows }) => rows.length > 0);
        },
      };
    },
    /** How many of the words a search finds. */
    found: (words: readonly string[]): number =>
      words.filter((word) => places.some(({ matching }) => matching(quoted(word)).length > 0)).length,
  };
}

/** How many of the events do not go with a selected record. */
function createEventsAlone(
  db: Sqlite,
): (events: readonly number[], gone: Record<"observations" | "summaries", ReadonlySet<number>>) => number {
  type Owner = { event: number; kind: "observations" | "summaries" | "queue"; id: number };
  const owners = createSql(db).all<[{ events: string }], Owner>(
    `select e.value as event, 'observations' as kind, s.observation_id as id
     from json_each(@events) e
     cross join observation_sources s on s.raw_event_id = e.value and s.cited = 0
     union all
     select e.value, 'summaries', u.id
     from json_each(@events) e
     cross join session_summaries u on u.generation_key = e.value || ':0'
     union all
     select e.value, 'queue', p.id
     from json_each(@events) e
     cross join pending_messages p on p.id = e.value`,
  );
  return (events, gone) => {
    const owned = new Set<number>();
    const stays = new Set<number>();
    for (const { event, kind, id } of owners({ events: JSON.stringify(events) })) {
      owned.add(event);
      if (kind === "queue" || !gone[kind].has(id)) stays.add(event);
    }
    return events.length - owned.size + stays.size;
  };
}

const countedRows = {
  observations: ["observations", "observations", "true"],
  summaries: ["summaries", "session_summaries", "true"],
  // Private ones are never shown.
  prompts: ["prompts", "user_prompts", "r.private = 0"],
  rules: ["observations", "observations", "r.standing = 1"],
  pinned: ["observations", "observations", "r.pinned = 1"],
} as const;

type CountedRows = keyof typeof countedRows;

/** How many rows the selection has of a kind in each project. */
function createCounts(
  db: Sqlite,
): (selection: ForgetSelection) => { kind: CountedRows; project: string; count: number }[] {
  const sql = createSql(db);
  const reads = (Object.keys(countedRows) as CountedRows[]).map((kind) => {
    const [selected, table, where] = countedRows[kind];
    const rows = sql.all<[ids: string, sessions: string], { project: string; count: number }>(
      `select project, count(*) as count
       from (
         select r.project
         from json_each(?) i
         cross join ${table} r on r.id = i.value
         where ${where}
         union all
         select r.project
         from json_each(?) i
         cross join sessions s on s.id = i.value
         cross join ${table} r on r.sdk_session_id = s.sdk_session_id
         where ${where})
       group by project`,
    );
    return { kind, selected, rows };
  });
  return (selection) => {
    const sessions = JSON.stringify(selection.sessions);
    return reads.flatMap(({ kind, selected, rows }) =>
      rows(JSON.stringify(selection[selected]), sessions).map((row) => ({ kind, ...row })),
    );
  };
}

// Of many records with few titles there may be fewer samples.
const newestRecords = 100;

function createSamples(
  db: Sqlite,
): (selection: ForgetSelection, limit: number) => { project: string; title: string }[] {
  const sql = createSql(db);
  type Sample = { project: string; title: string };
  // Read from the newest on: over an index of the ids, 100,000 of them were sorted for 300 ms.
  const newest = sql.all<[observations: string, sessions: string, limit: number], Sample>(
    `select project, title
     from observations
     where +id in (select value from json_each(?))
       or +sdk_session_id in (
         select s.sdk_session_id
         from json_each(?) i
         cross join sessions s on s.id = i.value)
     order by id desc
     limit ?`,
  );
  return ({ observations, sessions }, limit) => {
    const rows = newest(JSON.stringify(observations), JSON.stringify(sessions), newestRecords);
    const each = new Map(rows.map((row) => [JSON.stringify([row.project, row.title]), row]));
    return [...each.values()].slice(0, limit);
  };
}
