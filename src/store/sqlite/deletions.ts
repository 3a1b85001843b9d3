// Deletes records into the trash, with everything that was made from them or quotes them.
import type { MovedRecord, RecordCounts } from "../../core/records/trash.ts";
import { excerpt } from "../../text/excerpt.ts";
import { createDerivedRows, type IndexedTable } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { createPromptCopies } from "./prompt-copies.ts";
import { readPayload } from "./raw-events.ts";
import { createSql } from "./sql.ts";
import { createDeletedSessions, createTombstones } from "./tombstones.ts";
import type { Row, Trash } from "./trash.ts";
import { createBreakOff } from "./withdrawals.ts";

/** A deleted record. */
export interface Deletion extends MovedRecord {
  /** Ids of observations that are active again: a deleted one had replaced them. */
  changed: readonly number[];
  /** A running model call was sent parts of it: its answer must be discarded. */
  isSent: boolean;
}

interface Parts {
  trash: Trash;
  pending: Pick<PendingMessages, "count">;
}

/** `later`: the caller moves the texts of injections itself, for many records together: each call reads the whole log. */
type Texts = "now" | "later";

/** Every function runs in the caller's transaction; undefined when there is no such record. */
export function createDeletions(db: Sqlite, { trash, pending }: Parts) {
  const read = createReaders(db);
  const removed = createRemovals(db, trash);
  const copies = createPromptCopies(db, trash);
  const breakOff = createBreakOff(db);
  const dropSession = createDropSession(db, { trash, pending });
  return {
    observation(id: number, now: number, texts: Texts = "now"): Deletion | undefined {
      const row = read.observation(id);
      if (row === undefined) return undefined;
      const moved = { ...ownerOf(row), counts: { ...none, observations: 1 }, observations: [id] };
      const entry = trash.add({ kind: "observation", ...moved, ...entryOf(row, row.title, now) });
      if (texts === "now") removed.texts(entry, [String(id)]);
      const changed = removed.observations(entry, [row], now);
      removed.events(entry, row);
      const isSent = breakOff(moved.session);
      return { trash_id: entry, kind: "observation", id, ...moved, changed, isSent };
    },
    summary(id: number, now: number, texts: Texts = "now"): Deletion | undefined {
      const row = read.summary(id);
      if (row === undefined) return undefined;
      const moved = { ...ownerOf(row), counts: { ...none, summaries: 1 }, observations: [] };
      const title = row.request ?? row.summary_text;
      const entry = trash.add({ kind: "summary", ...moved, ...entryOf(row, title, now) });
      if (texts === "now") removed.texts(entry, [`S${id}`]);
      removed.summaries(entry, [row], now);
      removed.events(entry, row);
      return { trash_id: entry, kind: "summary", id, ...moved, changed: [], isSent: false };
    },
    prompt(id: number, now: number): Deletion | undefined {
      const row = read.prompt(id);
      if (row === undefined) return undefined;
      const moved = { ...ownerOf(row), counts: { ...none, prompts: 1 }, observations: [] };
      const entry = trash.add({ kind: "prompt", ...moved, ...entryOf(row, row.prompt_text, now) });
      removed.prompts(entry, [row], now);
      const isSent = breakOff(moved.session, copies.remove(entry, row));
      return { trash_id: entry, kind: "prompt", id, ...moved, changed: [], isSent };
    },
    session(id: number, now: number, texts: Texts = "now"): Deletion | undefined {
      const row = read.session(id);
      if (row === undefined) return undefined;
      const sdk = String(row.sdk_session_id);
      const of = {
        observations: read.observationsOf(sdk),
        summaries: read.summariesOf(sdk),
        prompts: read.promptsOf(id),
      };
      const counts = {
        observations: of.observations.length,
        summaries: of.summaries.length,
        // Private prompts are never shown.
        prompts: of.prompts.filter((prompt) => prompt.private === 0).length,
        sessions: 1,
      };
      const project = String(row.project);
      const observations = of.observations.map((one) => Number(one.id));
      const moved = { project, session: id, counts, observations };
      const title = row.title || row.user_prompt || row.claude_session_id;
      const entry = trash.add({ kind: "session", project, ...entryOf(row, title, now) });
      const names = [...observations.map(String), ...of.summaries.map((one) => `S${one.id}`)];
      if (texts === "now") removed.texts(entry, names);
      const changed = removed.observations(entry, of.observations, now);
      removed.summaries(entry, of.summaries, now);
      removed.prompts(entry, of.prompts, now);
      return {
        trash_id: entry,
        kind: "session",
        id,
        ...moved,
        changed,
        isSent: dropSession(entry, row, now),
      };
    },
  };
}

const none: RecordCounts = { observations: 0, summaries: 0, prompts: 0, sessions: 0 };
const titleChars = 200;

function ownerOf({ project, session_id }: Row): { project: string; session: number | null } {
  return { project: String(project), session: typeof session_id === "number" ? session_id : null };
}

function entryOf(row: Row, title: unknown, now: number) {
  const shown = excerpt(String(title), titleChars);
  return { id: Number(row.id), action: "deleted" as const, title: shown, at_epoch: now };
}

function createReaders(db: Sqlite) {
  const sql = createSql(db);
  const byId = (table: string, where = "true") =>
    sql.get<[id: number], Row>(`select * from ${table} where id = ? and ${where}`);
  const ofSdk = (table: string) =>
    sql.all<[sdkSessionId: string], Row>(`select * from ${table} where sdk_session_id = ? order by id`);
  return {
    observation: byId("observations"),
    summary: byId("session_summaries"),
    prompt: byId("user_prompts", "private = 0"),
    session: byId("sessions"),
    observationsOf: ofSdk("observations"),
    summariesOf: ofSdk("session_summaries"),
    promptsOf: sql.all<[session: number], Row>("select * from user_prompts where session_id = ? order by id"),
  };
}

/** Each function moves rows of one table into the entry. */
function createRemovals(db: Sqlite, trash: Trash) {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const tombstones = createTombstones(db);
  const deleteOf = (table: IndexedTable) => sql.run<[id: number]>(`delete from ${table} where id = ?`);
  const deleteObservation = deleteOf("observations");
  const removeOf = (table: IndexedTable, kind: "summary" | "prompt") => {
    const drop = deleteOf(table);
    return (entry: number, rows: readonly Row[], now: number): void => {
      trash.keep(entry, table, rows);
      for (const row of rows) {
        tombstones.add({ kind, row, now });
        derived.drop(table, Number(row.id));
        drop(Number(row.id));
      }
    };
  };
  const links = ["observation_sources", "fix_commands", "observation_blobs"].map((table) => ({
    table,
    of: sql.all<[id: number], Row>(`select * from ${table} where observation_id = ?`),
  }));
  // A trigger makes them active again.
  const replacedBy = sql.all<[id: number], Row>(
    "select id, superseded_by, status from observations where superseded_by = ?",
  );
  const sourcesOf = sql.values<[id: number], number>(
    "select raw_event_id from observation_sources where observation_id = ? and cited = 0 order by raw_event_id",
  );
  return {
    /** Returns the ids of observations that are active again. */
    observations(entry: number, rows: readonly Row[], now: number): number[] {
      const ids = rows.map(({ id }) => Number(id));
      const changed = new Set<number>();
      // All are read before the first is deleted: they may refer to each other.
      trash.keep(entry, "observations", rows);
      for (const id of ids) {
        for (const { table, of } of links) trash.keep(entry, table, of(id));
        const replaced = replacedBy(id);
        trash.keep(entry, "replaced", replaced);
        for (const one of replaced) changed.add(Number(one.id));
      }
      for (const row of rows) {
        const id = Number(row.id);
        tombstones.add({ kind: "observation", row, sources: sourcesOf(id), now });
        derived.drop("observations", id);
      }
      for (const id of ids) deleteObservation(id);
      for (const id of ids) changed.delete(id);
      return [...changed];
    },
    summaries: removeOf("session_summaries", "summary"),
    prompts: removeOf("user_prompts", "prompt"),
    events: createDropEvents(db, trash),
    texts: createDropTexts(db, trash),
  };
}

/** Moves the texts of injections that show one of these records. */
function createDropTexts(db: Sqlite, trash: Trash): (entry: number, names: readonly string[]) => void {
  const sql = createSql(db);
  const logged = sql.all<[], { id: number; records: string }>(
    `select i.id, i.records
     from injection_texts t
     cross join injections i on i.id = t.injection_id
     order by i.id`,
  );
  const textOf = sql.all<[id: number], Row>(
    "select injection_id as id, text from injection_texts where injection_id = ?",
  );
  const drop = sql.run<[id: number]>("delete from injection_texts where injection_id = ?");
  return (entry, names) => {
    if (names.length === 0) return;
    // Compared here: in SQL, a session of 2,000 observations and 20,000 texts took 10 s.
    const gone = new Set(names);
    for (const { id, records } of logged()) {
      if (!records.split(",").some((name) => gone.has(name))) continue;
      trash.keep(entry, "injection_texts", textOf(id));
      drop(id);
    }
  };
}

/**
 * Empties the raw events that only the deleted record was made from. Their rows stay until they are purged by age: the
 * same event delivered again is not stored again, and the ends of turns stay known.
 */
function createDropEvents(db: Sqlite, trash: Trash): (entry: number, row: Row) => void {
  const sql = createSql(db);
  const unshared = sql.all<[ids: string], Row>(
    `select r.id, r.kind, r.payload
     from json_each(?) i
     cross join raw_events r on r.id = i.value
     where not exists (select 1 from observation_sources s where s.raw_event_id = r.id and s.cited = 0)
       and not exists (select 1 from session_summaries u where u.generation_key = r.id || ':0')
       and not exists (select 1 from pending_messages p where p.id = r.id)
     order by r.id`,
  );
  const empty = sql.run<[{ id: number; kind: string; payload: string }]>(
    "update raw_events set kind = @kind, payload = @payload where id = @id",
  );
  const unlist = sql.run<[id: number]>("delete from regenerations where raw_event_id = ?");
  return (entry, row) => {
    const kept = trash.rows(entry, "observation_sources").filter(({ cited }) => cited === 0);
    const sources = kept.map(({ raw_event_id }) => Number(raw_event_id));
    const key = typeof row.generation_key === "string" ? Number.parseInt(row.generation_key, 10) : Number.NaN;
    const ids = new Set(Number.isNaN(key) ? sources : [...sources, key]);
    for (const event of unshared(JSON.stringify([...ids]))) {
      const id = Number(event.id);
      const left = emptiedEvent(event);
      trash.keep(entry, "events", [{ ...event, left: left.payload }]);
      empty({ id, ...left });
      unlist(id);
    }
  };
}

/** An event without its content. Which prompt a turn belongs to stays; nothing reads a tool use without its tool. */
export function emptiedEvent({ kind, payload }: Row): { kind: string; payload: string } {
  const { prompt_key, prompt_number } = readPayload(String(payload));
  const isEnd = kind === "summarize";
  const left = { prompt_key, ...(isEnd ? { type: "summarize" } : {}), prompt_number };
  return { kind: isEnd ? "summarize" : "other", payload: JSON.stringify(left) };
}

/** Moves the session with its events, queue, context ledger and injections. True when a running call was sent some. */
function createDropSession(
  db: Sqlite,
  { trash, pending }: Parts,
): (entry: number, row: Row, now: number) => boolean {
  const sql = createSql(db);
  const deletedSessions = createDeletedSessions(db);
  const keepEvents = createKeepEvents(db);
  const queue = sql.all<[session: number], Row>(
    "select * from pending_messages where session_id = ? order by id",
  );
  const ofHost = ["context_ledger", "injections"].map((table) => ({
    table,
    rows: sql.all<[claude: string], Row>(`select * from ${table} where session = ?`),
    drop: sql.run<[claude: string]>(`delete from ${table} where session = ?`),
  }));
  const texts = sql.all<[claude: string], Row>(
    `select t.injection_id as id, t.text
     from injections i
     cross join injection_texts t on t.injection_id = i.id
     where i.session = ?`,
  );
  const drop = sql.run<[id: number]>("delete from sessions where id = ?");
  return (entry, row, now) => {
    const id = Number(row.id);
    const claude = String(row.claude_session_id);
    deletedSessions.add(claude, now);
    trash.keep(entry, "sessions", [row]);
    keepEvents(entry, id);
    const queued = queue(id);
    trash.keep(entry, "pending_messages", queued);
    pending.count("skipped", queued.length);
    trash.keep(entry, "injection_texts", texts(claude));
    for (const { table, rows, drop } of ofHost) {
      trash.keep(entry, table, rows(claude));
      drop(claude);
    }
    drop(id);
    return queued.some(({ status }) => status === "processing");
  };
}

/** Keeps the session's raw events, none of which comes into memory: a long session has hundreds of megabytes. */
function createKeepEvents(db: Sqlite): (entry: number, session: number) => void {
  const columns = db.prepare<[], string>("select name from pragma_table_info('raw_events')").pluck().all();
  return createSql(db).run<[entry: number, session: number]>(
    `insert into trash_rows (trash_id, place, row_id, content)
     select ?, 'raw_events', id, json_object(${columns.map((name) => `'${name}', ${name}`).join(", ")})
     from raw_events
     where session_id = ?
     order by id`,
  );
}
