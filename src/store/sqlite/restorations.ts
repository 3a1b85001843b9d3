// Restores records from the trash, with their links, sources and queued messages. Derived rows are written again.
import { MemError } from "../../core/errors.ts";
import { storedDeliveryKey } from "../../core/prompt-key.ts";
import type { Observation } from "../../core/records/records.ts";
import type { RecordCounts, Refusal, Restored, TrashEntry, TrashKind } from "../../core/records/trash.ts";
import { createDerivedRows, type Indexed, type IndexedTable } from "./derived-rows.ts";
import type { Edits } from "./edits.ts";
import { createPutTexts } from "./injections.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { createProjects } from "./projects.ts";
import { createSql, insertInto } from "./sql.ts";
import { createDeletedSessions, createTombstones } from "./tombstones.ts";
import type { Row, Trash } from "./trash.ts";
import { createBreakOff } from "./withdrawals.ts";

interface Parts {
  trash: Trash;
  pending: Pick<PendingMessages, "count">;
}

/** Restores an entry that is not older than `since`, in the caller's transaction. Writes nothing when it refuses. */
export function createRestore(
  db: Sqlite,
  { edits, ...parts }: Parts & { edits: Pick<Edits, "undo"> },
): (id: number, since: number) => Restored | Refusal {
  const { trash } = parts;
  const restoreDeleted = createRestoreDeleted(db, parts);
  const putBack = createPutBack(db, trash);
  const breakOff = createBreakOff(db);
  return (id, since) => {
    const entry = trash.byId(id);
    if (entry === undefined || entry.at_epoch < since) return { is: "unknown" };
    if (entry.action === "deleted") return restoreDeleted(entry);
    const undone = edits.undo(entry);
    if ("is" in undone) return undone;
    const isFirstPrompt = trash.rows(id, "first_prompt").length > 0;
    putBack(id);
    trash.drop(id);
    const { kind, id: record } = entry;
    const counts = { ...none, [countOf[kind]]: 1 };
    const observations = kind === "observation" ? [record] : [];
    const { session_id, project } = undone.row;
    const session = typeof session_id === "number" ? session_id : null;
    const moved = { trash_id: id, kind, id: record, project: String(project), counts, observations };
    const isSent = kind === "prompt" && breakOff(session, isFirstPrompt);
    return { ...moved, session, action: "edited", changed: [], isSent, isQueued: isSent };
  };
}

const none: RecordCounts = { observations: 0, summaries: 0, prompts: 0, sessions: 0 };
const countOf = {
  observation: "observations",
  summary: "summaries",
  prompt: "prompts",
  session: "sessions",
} as const satisfies Record<TrashKind, keyof RecordCounts>;

function createRestoreDeleted(db: Sqlite, parts: Parts): (entry: TrashEntry) => Restored | Refusal {
  const { trash } = parts;
  const refusalOf = createRefusals(db, trash);
  const putRecords = createPutRecords(db, trash);
  const putQueue = createPutQueue(db, parts);
  const putSession = createPutSession(db, parts, putQueue);
  const putBack = createPutBack(db, trash);
  // A session has another name once it is restored beside the one in which the host went on.
  const nameAfterSession = createSql(db).run<[session: number]>(
    `update user_prompts
     set claude_session_id = s.claude_session_id
     from sessions s
     where s.id = ? and user_prompts.session_id = s.id and user_prompts.claude_session_id <> s.claude_session_id`,
  );
  return (entry) => {
    const refusal = refusalOf(entry);
    if (refusal !== undefined) return refusal;
    const { trash_id, kind, id } = entry;
    const isQueued = kind === "session" ? putSession(trash_id) : putQueue(trash_id);
    const { counts, observations, changed, owner } = putRecords(trash_id);
    if (kind === "session") counts.sessions = 1;
    putBack(trash_id);
    trash.drop(trash_id);
    const session = kind === "session" ? id : (owner.session ?? null);
    if (session !== null) nameAfterSession(session);
    const project = owner.project ?? entry.project;
    const moved = { trash_id, kind, id, project, counts, observations, session };
    return { ...moved, action: "deleted", changed, isSent: false, isQueued };
  };
}

function createRefusals(db: Sqlite, trash: Trash): (entry: TrashEntry) => Refusal | undefined {
  const sql = createSql(db);
  const hasSession = sql.value<[id: number], number>("select 1 from sessions where id = ?");
  // Restored on another device.
  const sameSession = sql.value<[sdkSessionId: string], number>(
    "select id from sessions where sdk_session_id = ?",
  );
  const inPlace = sql.all<[{ session: number; number: number; key: string; delivery: string }], Row>(
    `select id, prompt_number, event_key, private, prompt_text
     from user_prompts
     where session_id = @session and (prompt_number = @number or event_key in (@key, @delivery))`,
  );
  const places = {
    observation: "observations",
    summary: "session_summaries",
    prompt: "user_prompts",
  } as const;
  return ({ trash_id, kind, forget_id }) => {
    if (kind === "session") {
      const [session] = trash.rows(trash_id, "sessions");
      const by = session && sameSession(String(session.sdk_session_id));
      return by === undefined ? undefined : { is: "stored_again", kind, by };
    }
    const [row] = trash.rows(trash_id, places[kind]);
    // An entry of a forget may have copies alone.
    if (row === undefined) return forget_id === null ? { is: "unknown" } : undefined;
    const { session_id: session } = row;
    if (typeof session !== "number") return undefined;
    if (hasSession(session) === undefined)
      return { is: "without_session", session, by: trash.deletionOf("session", session) };
    if (kind !== "prompt") return undefined;
    const [number, delivery] = [Number(row.prompt_number), deliveryOf(row)];
    const by = inPlace({ session, number, key: String(row.event_key), delivery }).find(
      (other) => other.prompt_number === number || deliveryOf(other) === delivery,
    );
    return by === undefined ? undefined : { is: "stored_again", kind, by: Number(by.id) };
  };
}

function deliveryOf({ event_key, private: isPrivate, prompt_text }: Row): string {
  const stored = { event_key: String(event_key), prompt_text: String(prompt_text) };
  return storedDeliveryKey({ ...stored, private: isPrivate === 1 ? 1 : 0 });
}

/** Inserts rows of a table as they were, unless they are there; returns how many. */
function createInsert(db: Sqlite): (table: string, rows: Iterable<Row>) => number {
  // Rows of one table may come from several versions, each with its columns.
  const inserts = new Map<string, (row: Row) => number>();
  function insertOf(table: string, columns: readonly string[]): (row: Row) => number {
    const sql = `${insertInto(table, columns)} on conflict do nothing`;
    const known = inserts.get(sql) ?? createSql(db).changes<[Row]>(sql);
    inserts.set(sql, known);
    return known;
  }
  return (table, rows) => {
    let inserted = 0;
    for (const row of rows) inserted += insertOf(table, Object.keys(row))(row);
    return inserted;
  };
}

/** The records of the entry, with their links and derived rows. */
function createPutRecords(db: Sqlite, trash: Trash) {
  const sql = createSql(db);
  const insert = createInsert(db);
  const derived = createDerivedRows(db);
  const tombstones = createTombstones(db);
  const projects = createProjects(db);
  const asNewRecord = createAsNewRecord(db);
  const supersede = createSupersedeAgain(db);
  const hasKey = sql.value<[key: string], number>("select 1 from observations where generation_key = ?");
  const hasPrompt = sql.value<[session: number, key: string], number>(
    "select 1 from user_prompts where session_id = ? and event_key = ?",
  );
  const kinds = {
    observations: "observation",
    session_summaries: "summary",
    user_prompts: "prompt",
  } as const satisfies Record<IndexedTable, TrashKind>;

  function present(row: Row): Row {
    const label = String(row.project);
    const project = projects.byAlias(label)?.label ?? label;
    const key = row.generation_key;
    const isTaken = typeof key === "string" && row.obs_type !== undefined && hasKey(key) !== undefined;
    // The successor may not be there yet, or not any more.
    return {
      ...row,
      ...keyOf(row),
      ...(row.superseded_by === undefined ? {} : { superseded_by: null }),
      ...(isTaken ? { generation_key: null } : {}),
      project,
      ...asNewRecord(row),
    };
  }

  // A prompt typed while the agent worked has the id of the host since.
  function keyOf(row: Row): Row {
    const { session_id: session, event_key: key } = row;
    if (typeof session !== "number" || typeof key !== "string" || row.prompt_text === undefined) return {};
    return hasPrompt(session, key) === undefined ? {} : { event_key: deliveryOf(row) };
  }

  return (entry: number) => {
    const counts: RecordCounts = { ...none };
    const observations: number[] = [];
    const changed: number[] = [];
    const owner: { project?: string; session?: number } = {};
    for (const table of ["user_prompts", "observations", "session_summaries"] as const) {
      const kind = kinds[table];
      const rows = trash.rows(entry, table);
      for (const row of rows.map(present)) {
        const id = Number(row.id);
        if (insert(table, [row]) === 0) throw isThere(kind, id);
        tombstones.drop(kind, id);
        derived.write(table, row as unknown as Indexed[typeof table]);
        if (row.private !== 1) counts[countOf[kind]] += 1;
        if (table === "observations") observations.push(id);
        owner.project = String(row.project);
        if (typeof row.session_id === "number") owner.session = row.session_id;
      }
      if (table === "observations") changed.push(...supersede(rows, trash.rows(entry, "replaced")));
    }
    for (const table of ["observation_sources", "fix_commands", "observation_blobs"])
      insert(table, trash.rows(entry, table));
    return { counts, observations, changed, owner };
  };
}

// Deletions are final on other devices: for them a restored row is another record, of this device. One that they never had
// stays what it was, and stays here if it did, unless the user let all earlier records leave since.
function createAsNewRecord(db: Sqlite): (row: Row) => Row {
  const includesEarlier = createSql(db).value<[], number>(
    "select 1 from sync_state where name = 'includes_earlier' and value = '1'",
  );
  return ({ incarnation, origin_device_id, sent_revision, stays_here }) => ({
    synced_at: null,
    origin_device_id: null,
    origin_local_id: null,
    revised_by: null,
    sent_revision: 0,
    incarnation:
      Number(incarnation ?? 0) + (origin_device_id != null || Number(sent_revision ?? 0) > 0 ? 1 : 0),
    stays_here: includesEarlier() === undefined ? (stays_here ?? 0) : 0,
  });
}

// Nothing is restored then, so that nothing is lost.
function isThere(kind: TrashKind, id: number): MemError {
  return new MemError("conflict", {
    message: `Another ${kind} has the place of ${kind} ${id}.`,
    hint: "It stays in the trash for its 30 days. Other entries can be restored: `mem trash`.",
  });
}

/** Refers restored records to their successors, and records that they replaced to them; returns the ids of the latter. */
function createSupersedeAgain(db: Sqlite): (rows: readonly Row[], replaced: readonly Row[]) => number[] {
  const sql = createSql(db);
  const refer = sql.changes<[{ id: number; by: number }]>(
    `update observations
     set superseded_by = @by
     where id = @id and exists (select 1 from observations where id = @by)`,
  );
  const activate = sql.run<[id: number]>(
    "update observations set status = 'active' where id = ? and status = 'superseded'",
  );
  // Unless the user reviewed it since.
  const replace = sql.changes<[{ id: number; by: number; before: string; status: string }]>(
    `update observations
     set superseded_by = @by, status = @status, revision = revision + 1, synced_at = null
     where id = @id and superseded_by is null and status = @before`,
  );
  return (rows, replaced) => {
    const own = new Set(rows.map(({ id }) => id));
    for (const { id, superseded_by: by } of rows)
      if (typeof by === "number" && refer({ id: Number(id), by }) === 0) activate(Number(id));
    return replaced.flatMap(({ id, superseded_by, status }) => {
      if (own.has(id)) return [];
      const before = status === "superseded" ? "active" : String(status);
      const again = { id: Number(id), by: Number(superseded_by), before, status: String(status) };
      return replace(again) > 0 ? [again.id] : [];
    });
  };
}

/** The session with its events, queue, context ledger and injections. True when messages wait again. */
function createPutSession(
  db: Sqlite,
  { trash }: Parts,
  putQueue: (entry: number) => boolean,
): (entry: number) => boolean {
  const sql = createSql(db);
  const insert = createInsert(db);
  const projects = createProjects(db);
  const asNewRecord = createAsNewRecord(db);
  const goesOn = sql.value<[claude: string], number>("select 1 from sessions where claude_session_id = ?");
  const deletedSessions = createDeletedSessions(db);
  const putSession = (row: Row): void => {
    if (insert("sessions", [row]) === 0) throw isThere("session", Number(row.id));
  };
  return (entry) => {
    for (const row of trash.rows(entry, "sessions")) {
      const label = String(row.project);
      const project = projects.byAlias(label)?.label ?? label;
      const claude = String(row.claude_session_id);
      deletedSessions.drop(claude);
      // The host went on in a new session, which keeps the host's id.
      const earlier: Row =
        goesOn(claude) === undefined
          ? {}
          : {
              claude_session_id: `${claude} (restored ${row.id})`,
              status: "completed",
              completed_at_epoch: row.completed_at_epoch ?? row.last_active_at_epoch ?? null,
            };
      putSession({ ...row, project, ...earlier, ...asNewRecord(row) });
      // Before its records: an import stays on this device.
      insert("imported_sessions", trash.rows(entry, "imported_sessions"));
      const session = earlier.claude_session_id ?? claude;
      insert(
        "injections",
        trash.rows(entry, "injections").map((injection) => ({ ...injection, session })),
      );
    }
    insert("raw_events", trash.each(entry, "raw_events"));
    const isQueued = putQueue(entry);
    // Of the host's session: its agent was shown these records.
    insert("context_ledger", trash.rows(entry, "context_ledger"));
    return isQueued;
  };
}

/** Messages that waited. True when there are any. */
function createPutQueue(db: Sqlite, { trash, pending }: Parts): (entry: number) => boolean {
  const insert = createInsert(db);
  return (entry) => {
    const queued = trash.rows(entry, "pending_messages").map((row) => ({
      ...row,
      ...(row.status === "processing"
        ? { status: "pending", lease_owner: null, lease_until_epoch: null }
        : {}),
    }));
    insert("pending_messages", queued);
    pending.count("skipped", -queued.length);
    return queued.length > 0;
  };
}

/** What was taken out of rows that stayed: events, texts and causes of injections, subtitles, a session's first prompt. */
function createPutBack(db: Sqlite, trash: Trash): (entry: number) => void {
  const sql = createSql(db);
  const putTexts = createPutTexts(db, trash);
  const fillEvent = sql.changes<[Row]>(
    "update raw_events set kind = @kind, payload = @payload where id = @id and payload = @left",
  );
  const sourcesOf = sql.values<[ids: string], number>(
    `select distinct raw_event_id
     from observation_sources
     where observation_id in (select value from json_each(?)) and cited = 0`,
  );
  const putCause = sql.run<[Row]>("update injections set cause = @cause where id = @id");
  const putFirst = sql.run<[Row]>(
    "update sessions set user_prompt = @user_prompt, revision = revision + 1, synced_at = null where id = @id",
  );
  const putTitle = sql.run<[Row]>(
    `update sessions
     set title = coalesce(title, @title), user_prompt = iif(user_prompt = '', @user_prompt, user_prompt),
       revision = revision + 1, synced_at = null
     where id = @id`,
  );
  const putSubtitle = sql.get<[Row], Observation>(
    `update observations
     set subtitle = @subtitle, revision = revision + 1, synced_at = null
     where id = @id and subtitle is null
     returning *`,
  );
  const derived = createDerivedRows(db);

  // Of an event from which another deletion took more, that deletion keeps it from now on.
  function fill(event: Row): void {
    if (fillEvent(event) > 0) return;
    const { kind = null, payload = null, left } = event;
    for (const { key, row } of trash.kept("events", Number(event.id)))
      if (row.payload === left) trash.replace(key, { ...row, kind, payload });
  }

  return (entry) => {
    for (const place of ["events", "turn_ends"]) for (const event of trash.rows(entry, place)) fill(event);
    // Another deleted record of the same event may have it.
    const ids = trash.rows(entry, "observations").map(({ id }) => id);
    for (const source of sourcesOf(JSON.stringify(ids))) {
      const event = trash.takeRow("events", source);
      if (event !== undefined) fill(event);
    }
    putTexts(entry);
    for (const cause of trash.rows(entry, "causes")) putCause(cause);
    for (const first of trash.rows(entry, "first_prompt")) putFirst(first);
    for (const title of trash.rows(entry, "titles")) putTitle(title);
    for (const row of trash.rows(entry, "subtitles")) {
      const put = putSubtitle(row);
      if (put !== undefined) derived.rewrite("observations", put);
    }
  };
}
