// What was recorded before sync was set up leaves a device only with a yes.
import { expect, test } from "vitest";
import { createSyncRecords } from "../../../../src/store/sqlite/sync/sync-records.ts";
import { createMemoryStore, someTime } from "../../../helpers/memory-store.ts";

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

test("a copied data directory keeps the launch", async () => {
  const { sync, titles } = await deviceWithHistory();
  await sync.noteLaunch(someTime + 1);
  await sync.adoptDevice("copy", "another nonce");
  await sync.adoptEpoch("another epoch");
  expect(await titles()).toEqual([]);
});
