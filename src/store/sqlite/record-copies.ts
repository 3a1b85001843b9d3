// Copies of records outside their rows: events, the log of injections, first prompts. They go when the record is deleted.
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { createPromptCopies } from "./prompt-copies.ts";
import { readPayload } from "./raw-events.ts";
import { createSql } from "./sql.ts";
import { createDeletedSessions } from "./tombstones.ts";
import type { Row, Trash } from "./trash.ts";
import { createBreakOff } from "./withdrawals.ts";

interface Parts {
  /** Where the copies go. */
  bin: Pick<Trash, "keep" | "kept" | "replace">;
  pending: Pick<PendingMessages, "count">;
}

type Bin = Parts["bin"];

/**
 * Every function runs in the transaction of the deletion. True when a running model call was sent some of it: its answer
 * must be discarded.
 */
export function createRecordCopies(db: Sqlite, parts: Parts) {
  const prompts = createPromptCopies(db, parts.bin);
  const breakOff = createBreakOff(db);
  const dropEvents = createDropEvents(db, parts.bin);
  return {
    texts: createDropTexts(db, parts.bin),
    /** After the observation was deleted; `sources` are from before. */
    observation(entry: number, row: Row, sources: readonly number[]): boolean {
      dropEvents(entry, row, sources);
      return breakOff(sessionOf(row));
    },
    /** After the summary was deleted. */
    summary: (entry: number, row: Row): void => dropEvents(entry, row, []),
    subtitles: prompts.removeSubtitles,
    prompt: (entry: number, row: Row): boolean => breakOff(sessionOf(row), prompts.remove(entry, row)),
    session: createDropSession(db, parts),
  };
}

function sessionOf({ session_id }: Row): number | null {
  return typeof session_id === "number" ? session_id : null;
}

/** Reads the raw events that an observation was made from. */
export function createSourcesOf(db: Sqlite): (observation: number) => number[] {
  return createSql(db).values<[id: number], number>(
    "select raw_event_id from observation_sources where observation_id = ? and cited = 0 order by raw_event_id",
  );
}

/** Moves the texts of injections that show one of these records. */
function createDropTexts(db: Sqlite, bin: Bin): (entry: number, names: readonly string[]) => void {
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
      bin.keep(entry, "injection_texts", textOf(id));
      drop(id);
    }
  };
}

/**
 * Empties the raw events that only the deleted record was made from. Their rows stay until they are purged by age: the
 * same event delivered again is not stored again, and the ends of turns stay known.
 */
function createDropEvents(
  db: Sqlite,
  bin: Bin,
): (entry: number, row: Row, sources: readonly number[]) => void {
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
  return (entry, row, sources) => {
    const key = typeof row.generation_key === "string" ? Number.parseInt(row.generation_key, 10) : Number.NaN;
    const ids = new Set(Number.isNaN(key) ? sources : [...sources, key]);
    for (const event of unshared(JSON.stringify([...ids]))) {
      const id = Number(event.id);
      const left = emptiedEvent(event);
      bin.keep(entry, "events", [{ ...event, left: left.payload }]);
      empty({ id, ...left });
      unlist(id);
    }
  };
}

/** An event without its content. Which prompt a turn belongs to stays; nothing reads a tool use without its tool. */
export function emptiedEvent({ kind, payload }: Row): { kind: string; payload: string } {
  const { prompt_key, prompt_number, goes_on } = readPayload(String(payload));
  const isEnd = kind === "summarize";
  const left = { prompt_key, ...(isEnd ? { type: "summarize", goes_on } : {}), prompt_number };
  return { kind: isEnd ? "summarize" : "other", payload: JSON.stringify(left) };
}

/** Deletes the session with its events, and moves its queue, context ledger and injections. True when a running call was sent some. */
function createDropSession(
  db: Sqlite,
  { bin, pending }: Parts,
): (entry: number, row: Row, now: number) => boolean {
  const sql = createSql(db);
  const deletedSessions = createDeletedSessions(db);
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
    const queued = queue(id);
    bin.keep(entry, "pending_messages", queued);
    pending.count("skipped", queued.length);
    bin.keep(entry, "injection_texts", texts(claude));
    for (const { table, rows, drop } of ofHost) {
      bin.keep(entry, table, rows(claude));
      drop(claude);
    }
    drop(id);
    return queued.some(({ status }) => status === "processing");
  };
}
