// The store's side of sync: what leaves this device, what arrives, and what sync remembers.
import type { Applied, IncomingPage, OutgoingOp } from "../../../core/records/sync.ts";
import type { Clean, RecordName } from "../../../core/records/sync-payload.ts";
import { createDerivedRows } from "../derived-rows.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Sqlite } from "../open.ts";
import type { PendingMessages } from "../pending-messages.ts";
import type { ProjectMoves } from "../project-moves.ts";
import { createProjects } from "../projects.ts";
import { createRecordCopies, createSourcesOf } from "../record-copies.ts";
import { createSql } from "../sql.ts";
import { createTombstones } from "../tombstones.ts";
import type { Row, Trash } from "../trash.ts";
import { createApply, createCopyCheck } from "./apply.ts";
import { type FoundRow, tableOf } from "./identities.ts";
import { theBeginning } from "./leaving.ts";
import { createOutgoing } from "./outgoing.ts";
import { createProjectChoices, createSyncFailures, createSyncMemory } from "./state.ts";

interface Parts extends Pick<GroupCommit, "commit"> {
  clean: Clean;
  pending: Pick<PendingMessages, "count">;
  trash: Pick<Trash, "kept" | "replace" | "noteDeleted">;
  projectMoves: Pick<ProjectMoves, "free" | "rename" | "merge">;
}

export type SyncRecords = ReturnType<typeof createSyncRecords>;

/** Every writing function is one transaction. */
export function createSyncRecords(db: Sqlite, { commit, clean, projectMoves, ...parts }: Parts) {
  const memory = createSyncMemory(db);
  const failures = createSyncFailures(db);
  const projects = createProjectChoices(db);
  const outgoing = createOutgoing(db, failures);
  const remove = createRemove(db, parts);
  const foreign = createForeignDeletions(db);
  const isOfOther = createCopyCheck(db);
  const remap = createRemap(db, projectMoves, projects.synced);
  const apply = createApply(db, { clean, remove: remove.record, remap });

  function applyPage({ epoch, cursor, digest, ops, failed, now }: IncomingPage): Applied {
    const applied: Applied = { changed: [], deleted: [], isRemapped: false };
    const { epoch: present, device_id: self } = memory.state();
    if (epoch !== present || self === undefined) return applied;
    if (ops.some((op) => isOfOther(op, self))) return { ...applied, isCopy: true };
    foreign.hold();
    const earlier = memory.earlierIds();
    for (const op of ops) {
      const reason = apply(op, { self, earlier, now, applied });
      if (reason === undefined) continue;
      const { device, kind, id, revision } = op;
      failures.pull({ direction: "pull", device, kind, id, revision, reason }, now);
    }
    remove.copies(applied.deleted);
    foreign.release(now);
    for (const op of failed) failures.pull(op, now);
    memory.setCursor(cursor, digest);
    return applied;
  }

  return {
    projects: {
      list: projects.list,
      set: (label: string, synced: boolean) => commit(() => projects.set(label, synced)),
      isDefault: projects.isDefault,
      setDefault: (synced: boolean) => commit(() => projects.setDefault(synced)),
    },
    state: memory.state,
    /** Nothing is pushed before this: what was recorded until now stays here, unless `includeEarlier` is called too. */
    noteLaunch: (now: number) => commit(() => memory.noteLaunch(now)),
    /** Reads the log again where another reader, `name`, may understand what an earlier one failed on. */
    noteReader: (name: string) =>
      commit(() => {
        if (memory.noteReader(name) && failures.clearPulls() > 0) memory.setCursor("0");
      }),
    includeEarlier: async () => {
      await commit(() => memory.includeEarlier());
      while (await commit(() => outgoing.sortNext(theBeginning)));
    },
    /** Records from before this time stay here; null for none. */
    boundary: () => memory.launch()?.at_epoch || null,
    outgoing: (limit: number): Promise<OutgoingOp[]> =>
      firstOps(commit, () => {
        const { device_id: self } = memory.state();
        const launch = memory.launch();
        if (self === undefined || launch === undefined) return { ops: [], isSorted: true };
        return outgoing.take({ self, projects: projects.synced(), launch, limit });
      }),
    stamp: (sent: readonly OutgoingOp[], now: number) =>
      commit(() => {
        outgoing.stamp(sent, memory.state().device_id ?? "", now);
        memory.noteFlush(now);
      }),
    revise: (sent: readonly OutgoingOp[]) => commit(() => outgoing.revise(sent)),
    fail: (op: OutgoingOp, reason: string, now: number) => commit(() => failures.push(op, reason, now)),
    failed: failures.list,
    retryFailed: () => commit(() => failures.clearPushes()),
    apply: (page: IncomingPage) => commit(() => applyPage(page)),
    restartLog: () =>
      commit(() => {
        failures.clearPulls();
        memory.restartLog();
      }),
    adoptEpoch: (epoch: string) => commit(() => memory.adoptEpoch(epoch)),
    adoptDevice: (device_id: string, nonce: string) => commit(() => memory.adoptDevice(device_id, nonce)),
    setPaused: (paused: boolean) => commit(() => memory.setPaused(paused)),
    pending: () => outgoing.pending({ projects: projects.synced(), launch: memory.launch() ?? theBeginning }),
  };
}

/** Takes, each time in another transaction, until there are operations or it is known of all records whether they leave. */
async function firstOps(
  commit: Parts["commit"],
  take: () => { ops: OutgoingOp[]; isSorted: boolean },
): Promise<OutgoingOp[]> {
  for (;;) {
    const { ops, isSorted } = await commit(take);
    if (ops.length > 0 || isSorted) return ops;
  }
}

/** Deletes what another device deleted, with the copies on this device. The trash of the other device has the record. */
function createRemove(db: Sqlite, { pending, trash }: Pick<Parts, "pending" | "trash">) {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const tombstones = createTombstones(db);
  const copies = createRecordCopies(db, { pending, bin: { ...trash, keep: () => undefined } });
  const drops = {
    observation: sql.run<[id: number]>("delete from observations where id = ?"),
    summary: sql.run<[id: number]>("delete from session_summaries where id = ?"),
    prompt: sql.run<[id: number]>("delete from user_prompts where id = ?"),
  };
  const sourcesOf = createSourcesOf(db);
  // Its records are deleted by name, each by a separate operation.
  const detach = ["observations", "session_summaries", "user_prompts"].map((table) =>
    sql.run<[id: number]>(`update ${table} set session_id = null where session_id = ?`),
  );
  // No entry: nothing is kept.
  const none = 0;

  function record({ kind }: RecordName, found: FoundRow, now: number): void {
    const { id } = found;
    const row = found as Row;
    if (kind === "session") {
      for (const each of detach) each(id);
      copies.session(none, row, now);
      return;
    }
    const sources = kind === "observation" ? sourcesOf(id) : [];
    derived.drop(tableOf[kind], id);
    // What it was made from must not make it again.
    if (found.origin_device_id === null) tombstones.add({ kind, row, sources, now });
    drops[kind](id);
    if (kind === "observation") copies.observation(none, row, sources);
    else copies[kind](none, row);
  }

  return {
    record,
    /** Copies that are found in one search for all records of a page. */
    copies(deleted: Applied["deleted"]): void {
      if (deleted.length === 0) return;
      const injected = deleted.filter(({ kind }) => kind === "observation" || kind === "summary");
      copies.texts(
        none,
        injected.map(({ kind, id }) => `${kind === "summary" ? "S" : ""}${id}`),
      );
      trash.noteDeleted();
    },
  };
}

/** Keeps deletions that arrive apart from deletions by the user, which are still to be pushed. */
function createForeignDeletions(db: Sqlite) {
  const sql = createSql(db);
  const held = -1;
  const where = "where device <> '' and synced_at";
  const hold = sql.run<[number]>(`update sync_deletions set synced_at = ? ${where} is null`);
  const arrived = sql.run<[number]>(`update sync_deletions set synced_at = ? ${where} is null`);
  const release = sql.run<[number]>(`update sync_deletions set synced_at = null ${where} = ?`);
  return {
    hold: () => hold(held),
    release(now: number): void {
      arrived(now);
      release(held);
    },
  };
}

function createRemap(
  db: Sqlite,
  moves: Parts["projectMoves"],
  synced: () => readonly string[],
): (from: string, to: string) => void {
  const projects = createProjects(db);
  return (from, to) => {
    moves.free(from, to);
    const renamed = projects.byLabel(from);
    if (renamed === undefined) return;
    const into = projects.byLabel(to);
    if (into === undefined) return moves.rename(renamed.id, from, to, false);
    const leaving = synced();
    // Another device's merge is no yes for records that stay on this one: they would leave with the other project.
    if (leaving.includes(from) || !leaving.includes(to)) moves.merge(renamed, into, false);
  };
}
