// What of deleted and restored records leaves the device.
import { expect, test } from "vitest";
import { createSyncRecords } from "../../../../src/store/sqlite/sync/sync-records.ts";
import { createTeamRecords } from "../../../../src/store/sqlite/sync/team-records.ts";
import { createMemoryStore, type MemoryStore, someTime } from "../../../helpers/memory-store.ts";

const later = someTime + 1_000;

async function syncedDevice(id: string, launched: number) {
  const memory = createMemoryStore();
  const sync = createSyncRecords(memory.db, { ...memory.store, clean: (text) => text });
  memory.store.projects.ensure("app");
  memory.addPrompt("From before.", { session: "old", at: someTime - 1_000 });
  await sync.adoptDevice(id, "nonce");
  await sync.adoptEpoch("epoch");
  await sync.projects.set("app", true);
  await sync.noteLaunch(launched);
  const titles = async () => (await sync.outgoing(100)).flatMap(({ payload }) => payload?.title ?? []);
  return { memory, sync, titles };
}

function restoreAll({ db, store }: MemoryStore): void {
  const entries = db.prepare<[], number>("select id from trash order by id desc").pluck().all();
  for (const entry of entries) store.restore(entry, 0);
}

function addImport({ store, addPrompt, addObservation }: MemoryStore): { session: number; id: number } {
  addPrompt("An old question.", { session: "imported", at: someTime - 500 });
  const session = store.sessions.byClaudeId("imported")?.id ?? 0;
  store.imports.markSession({ session, now: later });
  const { id } = addObservation({ title: "imported", session: "imported", at: someTime - 500 });
  return { session, id };
}

test("an imported session that is deleted and restored stays on this device", async () => {
  const { memory, titles } = await syncedDevice("laptop", later);
  const { session } = addImport(memory);
  memory.store.deletions.session(session, later);
  restoreAll(memory);
  memory.addObservation({ title: "generated since", session: "imported", at: someTime - 400 });
  expect(await titles()).toEqual([]);
});

test("an imported session that is deleted and restored stays out of the team", async () => {
  const memory = createMemoryStore();
  const team = createTeamRecords(memory.db, memory.store);
  await team.projects.connect({ project: "app", team_project: "p", earlier: false }, "team", later);
  const { session } = addImport(memory);
  expect(team.waiting()).toBe(0);
  memory.store.deletions.session(session, later);
  restoreAll(memory);
  expect(team.waiting()).toBe(0);
});

test("an import that is restored after a yes to earlier records leaves", async () => {
  const { memory, sync, titles } = await syncedDevice("laptop", later);
  const { id, session } = addImport(memory);
  expect(await titles()).toEqual([]);
  memory.store.deletions.observation(id, later);
  memory.store.deletions.session(session, later);
  await sync.includeEarlier();
  restoreAll(memory);
  expect(await titles()).toContain("imported");
  expect(sync.pending()).toMatchObject({ sessions: 2 });
});

test("another device's earlier record that is deleted and restored goes back to it", async () => {
  const laptop = await syncedDevice("laptop", someTime);
  laptop.memory.addObservation({ title: "shared", session: "new", at: someTime });
  const ops = (await laptop.sync.outgoing(100)).map(({ row: _, ...op }) => ({ ...op, device: "laptop" }));
  const { memory, sync, titles } = await syncedDevice("desk", later);
  const page = { epoch: "epoch", cursor: String(ops.length), ops, failed: [], now: later };
  const { changed } = await sync.apply(page);
  for (const { kind, id } of changed)
    if (kind === "observation") memory.store.deletions.observation(id, later);
  const deletions = await sync.outgoing(100);
  expect(deletions.map(({ payload }) => payload)).toEqual([{ gone: true }]);
  await sync.stamp(deletions, later);
  restoreAll(memory);
  expect(await titles()).toEqual(["shared"]);
});
