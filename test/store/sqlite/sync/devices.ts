// Devices with real stores and a log between them, for tests of what sync does to records.

import type { IncomingOp } from "../../../../src/core/records/sync.ts";
import { payloadOf, recordKinds } from "../../../../src/core/records/sync-payload.ts";
import { type FoundRow, nameOf, tableOf } from "../../../../src/store/sqlite/sync/identities.ts";
import { createSyncRecords, type SyncRecords } from "../../../../src/store/sqlite/sync/sync-records.ts";
import { createMemoryStore, type MemoryStore } from "../../../helpers/memory-store.ts";
import type { Random } from "../../../helpers/random.ts";

/** A log without a network, with the rules of the hub. */
export interface TestLog {
  epoch: string;
  ops: IncomingOp[];
  reset(): void;
}

export function createTestLog(): TestLog {
  const log: TestLog = {
    epoch: "epoch 1",
    ops: [],
    reset() {
      log.epoch = `${log.epoch}'`;
      log.ops = [];
    },
  };
  return log;
}

export interface TestDevice {
  /** The present id. */
  id(): string;
  memory: MemoryStore;
  sync: SyncRecords;
  /** Pushes at most `limit` operations; `isAnswered` is false when the answer is lost. */
  push(limit: number, isAnswered?: boolean): Promise<number>;
  /** Applies at most `limit` operations after the cursor. */
  pull(limit: number): Promise<void>;
  /** As after a copy of the data directory: what was pushed belongs to the old id. */
  renew(): Promise<void>;
}

export function createTestDevice(id: string, log: TestLog): TestDevice {
  const memory = createMemoryStore();
  const { store } = memory;
  const sync = createSyncRecords(memory.db, { ...store, clean: (text) => text });
  const present = () => sync.state().device_id ?? id;
  return {
    id: present,
    memory,
    sync,
    renew: () => sync.adoptDevice(`${present()}x`, "another nonce"),
    async push(limit, isAnswered = true) {
      await contact(sync, id, log);
      const sent = await sync.outgoing(limit);
      for (const { row: _row, ...op } of sent) arrive(log, { ...op, device: present() });
      if (isAnswered) await sync.stamp(sent, 1);
      return sent.length;
    },
    async pull(limit) {
      await contact(sync, id, log);
      const since = Number(sync.state().cursor);
      const ops = log.ops.slice(since, since + limit);
      await sync.apply({ epoch: log.epoch, cursor: String(since + ops.length), ops, failed: [], now: 1 });
      // As the worker does in the background.
      while (store.projectMoves.step(100));
    },
  };
}

async function contact(sync: SyncRecords, id: string, log: TestLog): Promise<void> {
  if (sync.state().device_id === undefined) await sync.adoptDevice(id, `nonce of ${id}`);
  if (sync.state().epoch === undefined) await sync.includeEarlier();
  if (sync.state().epoch !== log.epoch) await sync.adoptEpoch(log.epoch);
}

function arrive(log: TestLog, op: IncomingOp): void {
  const same = log.ops.filter(
    (each) => each.device === op.device && each.kind === op.kind && each.id === op.id,
  );
  const first = same.find((each) => each.revision === op.revision);
  if (first !== undefined) {
    if (JSON.stringify(first) !== JSON.stringify(op))
      throw new Error(`conflict: ${JSON.stringify([first, op])}`);
    return;
  }
  if (same.some(({ deleted }) => deleted)) throw new Error(`deleted: ${JSON.stringify(op)}`);
  log.ops.push(structuredClone(op));
}

/** Everything that devices agree about, by the names of records. */
export function digestOf({ memory: { db }, id }: TestDevice): Record<string, unknown> {
  const name = (kind: (typeof recordKinds)[number], row: FoundRow) => {
    const { device, origin_id } = nameOf(kind, row);
    return `${device || id()}/${kind}/${origin_id}`;
  };
  const observation = db.prepare<[number], FoundRow>("select * from observations where id = ?");
  const families = db.prepare<[number], string>(
    "select family from fix_commands where observation_id = ? order by 1",
  );
  return Object.fromEntries(
    recordKinds.flatMap((kind) =>
      db
        .prepare<[], FoundRow>(`select * from ${tableOf[kind]}`)
        .all()
        .filter((row) => row.private !== 1)
        .map((row): [string, unknown] => {
          const by = typeof row.superseded_by === "number" ? observation.get(row.superseded_by) : undefined;
          const links = kind === "observation" ? families.pluck().all(row.id) : [];
          const successor = by && name("observation", by);
          return [name(kind, row), { ...payloadOf(kind, row), revision: row.revision, successor, links }];
        })
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  );
}

/** Names of the device's own records that were sent. */
export function sentNames({ memory: { db }, id }: TestDevice): string[] {
  return recordKinds.flatMap((kind) =>
    db
      .prepare<[], FoundRow>(
        `select * from ${tableOf[kind]} where sent_revision > 0 and origin_device_id is null`,
      )
      .all()
      .map((row) => `${id()}/${kind}/${nameOf(kind, row).origin_id}`),
  );
}

/** Names of records that were deleted. */
export function deletedNames({ memory: { db }, id }: TestDevice): string[] {
  return db
    .prepare<[], { device: string; kind: string; origin_id: number }>("select * from sync_deletions")
    .all()
    .map(({ device, kind, origin_id }) => `${device || id()}/${kind}/${origin_id}`);
}

/** Pushes and pulls until nothing moves any more. */
export async function settle(devices: readonly TestDevice[]): Promise<void> {
  for (let round = 0; round < 30; round++) {
    let moved = 0;
    for (const device of devices) {
      // The user lets projects of other devices go too.
      device.memory.db.prepare("update projects set synced = 1").run();
      await device.pull(1_000_000);
      moved += await device.push(1_000_000);
    }
    if (moved === 0) return;
  }
  throw new Error("the devices do not come to rest");
}

let words = 0;

/** One change by a user or a host on the device. */
export function changeSomething({ id, memory }: TestDevice, random: Random): void {
  const { store, db } = memory;
  const folder = random.pick(["shop", "shop", "tools"]);
  const project = store.projects.byAlias(folder)?.label ?? folder;
  const session = `${id()} ${folder} ${random.between(1, 3)}`;
  const word = `word${++words}`;
  const some = (table: string): number | undefined => {
    const ids = db.prepare<[], number>(`select id from ${table} order by id`).pluck().all();
    return ids.length === 0 ? undefined : random.pick(ids);
  };
  const changes: Record<string, () => void> = {
    observation: () => memory.addObservation({ project, session, title: word, facts: [word] }),
    fix: () =>
      memory.addObservation({
        ...{ project, session, title: word },
        statement: {
          said_by: "tool",
          standing: false,
          reach: "project",
          salience: 1,
          families: ["npm test"],
        },
      }),
    rule: () =>
      memory.addObservation({
        ...{ project, session, title: word },
        statement: { said_by: "user", standing: true, reach: "everywhere", salience: 2 },
      }),
    summary: () => memory.addSummary({ project, session, request: word }),
    prompt: () => memory.addPrompt(word, { project, session }),
    edit() {
      const at = some("observations");
      if (at !== undefined) store.edits.observation(at, { title: word }, 1);
    },
    editPrompt() {
      const at = some("user_prompts");
      if (at !== undefined) store.edits.prompt(at, word, 1);
    },
    title() {
      const at = some("sessions");
      if (at !== undefined) store.edits.session(at, word, 1);
    },
    supersede() {
      const [one, other] = [some("observations"), some("observations")];
      if (one === undefined || other === undefined || one === other) return;
      store.review.setStanding(one, { status: "superseded", pinned: 0, superseded_by: other });
    },
    pin() {
      const at = some("observations");
      if (at !== undefined)
        store.review.setStanding(at, { status: "active", pinned: 1, superseded_by: null });
    },
    remove() {
      const kind = random.pick(["observation", "observation", "summary", "prompt", "session"] as const);
      const at = some(tableOf[kind]);
      if (at !== undefined) store.deletions[kind](at, 1);
    },
    restore() {
      const entry = some("trash");
      if (entry !== undefined) store.restore(entry, 0);
    },
    rename() {
      const [from, to] = [random.pick(["shop", "tools"]), random.pick(["shop", "tools", `kit of ${id()}`])];
      store.projectMoves.free(from, to);
      const [one, other] = [store.projects.byLabel(from), store.projects.byLabel(to)];
      if (one === undefined || from === to) return;
      if (other === undefined) store.projectMoves.rename(one.id, from, to);
      else store.projectMoves.merge(one, other);
      while (store.projectMoves.step(100));
    },
    drop() {
      // As a regeneration does with a record that its new answer leaves out.
      const at = some("observations");
      if (at === undefined) return;
      db.prepare("delete from observations_fts where rowid = ?").run(at);
      db.prepare("delete from observations where id = ?").run(at);
    },
  };
  const often = ["observation", "fix", "rule", "summary", "prompt"];
  const change = changes[random.pick([...often, ...Object.keys(changes)])];
  db.transaction(() => {
    store.projects.ensure(project);
    change?.();
    // The user lets every project leave the device.
    db.prepare("update projects set synced = 1").run();
  })();
}
