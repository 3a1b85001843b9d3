// What was recorded before sync was set up leaves a device only with a yes.
import { expect, test } from "vitest";
import { createSyncRecords } from "../../../../src/store/sqlite/sync/sync-records.ts";
import { createMemoryStore, someTime } from "../../../helpers/memory-store.ts";
import { addImportedTurn } from "./imported-turn.ts";

async function deviceWithHistory() {
  const memory = createMemoryStore();
  const sync = createSyncRecords(memory.db, { ...memory.store, clean: (text) => text });
  memory.addObservation({ title: "before" });
  memory.addPrompt("A prompt from before.");
  memory.store.projects.ensure("app");
  await sync.adoptDevice("laptop", "nonce");
  await sync.adoptEpoch("epoch");
  await sync.projects.set("app", true);
  const titles = async () =>
    (await sync.outgoing(100))
      .map(({ payload }) => payload?.title ?? payload?.prompt_text)
      .filter((text) => typeof text === "string");
  return { memory, sync, titles };
}

test("nothing is pushed before the launch is noted", async () => {
  const { titles } = await deviceWithHistory();
  expect(await titles()).toEqual([]);
});

test("records from before the launch stay, later ones leave", async () => {
  const { memory, sync, titles } = await deviceWithHistory();
  await sync.noteLaunch(someTime + 1);
  memory.addObservation({ title: "after", at: someTime + 2 });
  // As an import does.
  memory.addObservation({ title: "imported", at: someTime - 1 });
  expect(await titles()).toEqual(["after"]);
  expect(sync.pending()).toMatchObject({ observations: 1, prompts: 0, sessions: 0 });
  expect(sync.boundary()).toBe(someTime + 1);
  await sync.noteLaunch(someTime + 1_000);
  expect(await titles()).toEqual(["after"]);
});

test("with a yes they leave too, also when it came before the launch", async () => {
  const { memory, sync, titles } = await deviceWithHistory();
  await sync.includeEarlier();
  expect(await titles()).toEqual(["before", "A prompt from before."]);
  await sync.noteLaunch(someTime + 1);
  memory.addObservation({ title: "after", at: someTime + 2 });
  expect(await titles()).toEqual(["before", "after", "A prompt from before."]);
  expect(sync.boundary()).toBeNull();
});

test("an import leaves the index of what waits, and goes after a yes", async () => {
  const { memory, sync, titles } = await deviceWithHistory();
  await sync.noteLaunch(someTime + 1);
  for (let row = 0; row < 50; row++) memory.addObservation({ title: "imported", at: someTime - 1 });
  memory.addObservation({ title: "after", at: someTime + 2 });
  const waiting = () =>
    memory.db
      .prepare("select count(*) from observations where synced_at is null and stays_here = 0 and id > 1")
      .pluck()
      .get();
  expect(waiting()).toBe(51);
  expect(await titles()).toEqual(["after"]);
  expect(waiting()).toBe(1);
  expect(sync.pending()).toMatchObject({ observations: 1 });
  await sync.includeEarlier();
  expect(sync.pending()).toMatchObject({ observations: 52 });
});

test("a record after an import of many steps leaves with the next push", async () => {
  const { memory, sync, titles } = await deviceWithHistory();
  await sync.noteLaunch(someTime + 1);
  memory.addObservation({ title: "imported", at: someTime - 1 });
  memory.db.prepare("update sqlite_sequence set seq = 12000 where name = 'observations'").run();
  memory.addObservation({ title: "after", at: someTime + 2 });
  expect(await titles()).toEqual(["after"]);
  expect(await titles()).toEqual(["after"]);
});

test("a copied data directory keeps the launch", async () => {
  const { sync, titles } = await deviceWithHistory();
  await sync.noteLaunch(someTime + 1);
  await sync.adoptDevice("copy", "another nonce");
  await sync.adoptEpoch("another epoch");
  expect(await titles()).toEqual([]);
});

test("a clock set back since blocks new records as little as it lets old ones leave", async () => {
  const { memory, sync, titles } = await deviceWithHistory();
  const at = someTime - 1_000;
  memory.addPrompt("An old prompt.", { session: "old", at });
  await sync.noteLaunch(someTime + 1);
  const { prompt_number } = memory.addPrompt("A new prompt.", { at });
  memory.addObservation({ title: "in an old session", prompt_number, at });
  memory.addObservation({ title: "regenerated", session: "old", prompt_number: 2, at });
  memory.addObservation({ title: "in a new session", session: "new", at });
  memory.addPrompt("An imported prompt.", { session: "transcript", at });
  memory.addObservation({ title: "imported", session: "transcript", at });
  const byHand = memory.addObservation({ title: "by hand", at });
  memory.db.prepare("update observations set generator = 'manual' where id = ?").run(byHand.id);
  const sessionId = (name: string) => memory.store.sessions.byClaudeId(name)?.id;
  memory.db.prepare("insert into imported_sessions values (?, 1)").run(sessionId("transcript"));
  memory.addObservation({ title: "of an export", session: "export", at });
  memory.db.prepare("update sessions set represented_until_epoch = 1 where id = ?").run(sessionId("export"));
  expect(await titles()).toEqual(["in an old session", "in a new session", "by hand", "A new prompt."]);
  expect(sync.pending()).toMatchObject({ observations: 3, prompts: 1, sessions: 1 });
});

test("a clock that was set back at the launch lets no record from before it leave", async () => {
  const { memory, sync, titles } = await deviceWithHistory();
  memory.addObservation({ title: "the newest", at: someTime + 50 });
  await sync.noteLaunch(someTime - 1_000_000);
  expect(sync.boundary()).toBe(someTime + 51);
  memory.addObservation({ title: "regenerated", at: someTime + 50 });
  memory.addObservation({ title: "after", session: "new", at: someTime - 999_000 });
  expect(await titles()).toEqual(["after"]);
});

test("an edit of a pulled record stays while its project is off, its deletion leaves", async () => {
  const { memory, sync } = await deviceWithHistory();
  await sync.noteLaunch(someTime + 1);
  memory.addObservation({ title: "to be pulled", at: someTime + 2 });
  const ops = (await sync.outgoing(100)).map(({ row: _, ...op }) => ({ ...op, device: "laptop" }));
  const desk = await deviceWithHistory();
  const page = { epoch: "epoch", cursor: "1", ops, failed: [], now: someTime };
  await desk.sync.adoptDevice("desk", "nonce of the desk");
  await desk.sync.noteLaunch(someTime + 1);
  const { changed } = await desk.sync.apply(page);
  const id = changed.find(({ kind }) => kind === "observation")?.id ?? 0;
  await desk.sync.projects.set("app", false);
  desk.memory.store.edits.observation(id, { title: "not for others" }, someTime);
  expect(await desk.titles()).toEqual([]);
  expect(desk.sync.pending()).toMatchObject({ observations: 0 });
  await desk.sync.projects.set("app", true);
  expect(await desk.titles()).toEqual(["not for others"]);
  await desk.sync.projects.set("app", false);
  desk.memory.store.deletions.observation(id, someTime);
  expect((await desk.sync.outgoing(100)).map(({ payload }) => payload)).toEqual([{ gone: true }]);
});

test("turns that an import adds to a session recorded here stay", async () => {
  const { memory, sync, titles } = await deviceWithHistory();
  memory.addPrompt("Recorded.", { session: "old", at: someTime });
  await sync.noteLaunch(someTime + 1);
  addImportedTurn(memory, "old");
  expect(await titles()).toEqual([]);
  expect(sync.pending()).toMatchObject({ observations: 0, prompts: 0 });
});
