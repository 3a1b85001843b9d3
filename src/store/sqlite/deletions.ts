// Deletes records into the trash, with everything that was made from them or quotes them.
import type { MovedRecord, RecordCounts } from "../../core/records/trash.ts";
import { excerpt } from "../../text/excerpt.ts";
import { createDerivedRows, type IndexedTable } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { createRecordCopies, createSourcesOf } from "./record-copies.ts";
import { createSql } from "./sql.ts";
import { createTombstones } from "./tombstones.ts";
import type { Row, Trash } from "./trash.ts";

/** A deleted record. */
export interface Deletion extends MovedRecord {
  /** Ids of observations that are active again, since a deleted one had replaced them, or that lost their subtitle. */
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
  const copies = createRecordCopies(db, { bin: trash, pending });
  const keepEvents = createKeepEvents(db);
  const sourcesOf = createSourcesOf(db);
  return {
    observation(id: number, now: number, texts: Texts = "now"): Deletion | undefined {
      const row = read.observation(id);
      if (row === undefined) return undefined;
      const moved = { ...ownerOf(row), counts: { ...none, observations: 1 }, observations: [id] };
      const entry = trash.add({ kind: "observation", ...moved, ...entryOf(row, row.title, now) });
      const sources = sourcesOf(id);
      if (texts === "now") copies.texts(entry, [String(id)]);
      const changed = removed.observations(entry, [row], now);
      const isSent = copies.observation(entry, row, sources);
      return { trash_id: entry, kind: "observation", id, ...moved, changed, isSent };
    },
    summary(id: number, now: number, texts: Texts = "now"): Deletion | undefined {
      const row = read.summary(id);
      if (row === undefined) return undefined;
      const moved = { ...ownerOf(row), counts: { ...none, summaries: 1 }, observations: [] };
      const title = row.request ?? row.summary_text;
      const entry = trash.add({ kind: "summary", ...moved, ...entryOf(row, title, now) });
      if (texts === "now") copies.texts(entry, [`S${id}`]);
      removed.summaries(entry, [row], now);
      copies.summary(entry, row);
      return { trash_id: entry, kind: "summary", id, ...moved, changed: [], isSent: false };
    },
    prompt(id: number, now: number): Deletion | undefined {
      const row = read.prompt(id);
      if (row === undefined) return undefined;
      const moved = { ...ownerOf(row), counts: { ...none, prompts: 1 }, observations: [] };
      const entry = trash.add({ kind: "prompt", ...moved, ...entryOf(row, row.prompt_text, now) });
      removed.prompts(entry, [row], now);
      const changed = copies.subtitles(entry, row);
      const isSent = copies.prompt(entry, row);
      return { trash_id: entry, kind: "prompt", id, ...moved, changed, isSent };
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
      if (texts === "now") copies.texts(entry, names);
      const changed = removed.observations(entry, of.observations, now);
      removed.summaries(entry, of.summaries, now);
      removed.prompts(entry, of.prompts, now);
      trash.keep(entry, "sessions", [row]);
      trash.keep(entry, "imported_sessions", read.importOf(id));
      keepEvents(entry, id);
      const isSent = copies.session(entry, row, now);
      return { trash_id: entry, kind: "session", id, ...moved, changed, isSent };
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
    importOf: sql.all<[session: number], Row>("select * from imported_sessions where session_id = ?"),
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
  const sourcesOf = createSourcesOf(db);
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
