// What arrives from other devices, what they refused, and another reader of the log.
import { expect, test } from "vitest";
import { activityGrainMs } from "../../../../src/core/records/records.ts";
import type { IncomingOp, OutgoingOp } from "../../../../src/core/records/sync.ts";
import { createSyncRecords } from "../../../../src/store/sqlite/sync/sync-records.ts";
import { createMemoryStore, someTime } from "../../../helpers/memory-store.ts";
import { createTestDevice, createTestLog } from "./devices.ts";

async function device() {
  const memory = createMemoryStore();
  const sync = createSyncRecords(memory.db, { ...memory.store, clean: (text) => text });
  await sync.adoptDevice("laptop", "nonce");
  await sync.adoptEpoch("epoch");
  await sync.includeEarlier();
  const receive = async (...ops: IncomingOp[]) => {
    await sync.apply({ epoch: "epoch", cursor: "7", ops, failed: [], now: 1 });
    while (memory.store.projectMoves.step(100));
  };
  return { memory, sync, receive, leaving: () => sync.outgoing(100) };
}

const merge = (from: string, to: string): IncomingOp => ({
  ...{ device: "other", kind: "mutation", id: "remap/1", revision: "1", deleted: false },
  payload: { remap: { from, to } },
});

const titles = (ops: readonly OutgoingOp[]) => ops.flatMap(({ payload }) => payload?.title ?? []);

test("another device's merge makes no project leave that had no yes here", async () => {
  const { memory, sync, receive, leaving } = await device();
  await sync.projects.set("shop", true);
  await sync.projects.set("attic", true);
  memory.store.projects.ensure("diary");
  memory.addObservation({ project: "diary", title: "mine" });
  memory.addObservation({ project: "attic", title: "ours" });
  await receive(merge("diary", "shop"), { ...merge("attic", "shop"), id: "remap/2" });
  const ops = await leaving();
  expect(titles(ops)).toEqual(["ours"]);
  expect(ops.map(({ payload }) => payload?.project)).toEqual(["shop", "shop"]);
});

test("a failed deletion and a failed renaming wait, and others leave", async () => {
  const { memory, sync, leaving } = await device();
  await sync.projects.set("app", true);
  const { id } = memory.addObservation({ title: "first" });
  await sync.stamp(await leaving(), 1);
  memory.db.prepare("delete from observations where id = ?").run(id);
  const app = memory.store.projects.byLabel("app");
  await memory.store.commit(() => memory.store.projectMoves.rename(app?.id ?? 0, "app", "web"));
  while (memory.store.projectMoves.step(100));
  const [remap, deletion, ...others] = await leaving();
  expect([remap?.id, deletion?.deleted]).toEqual(["remap/1", true]);
  for (const refused of [remap, deletion]) if (refused) await sync.fail(refused, "no", 1);
  expect(await leaving()).toEqual(others);
  await sync.retryFailed();
  expect(await leaving()).toEqual([remap, deletion, ...others]);
});

test("after a restarted log renamings leave in the order in which they were made", async () => {
  const { memory, sync, leaving } = await device();
  await sync.projects.setDefault(true);
  const { projects, projectMoves, commit } = memory.store;
  const rename = (from: string, to: string) =>
    commit(() => projectMoves.rename(projects.ensure(from), from, to));
  await rename("app", "web");
  await sync.stamp(await leaving(), 1);
  // Takes the label that the first one left.
  await rename("shop", "app");
  await rename("blog", "news");
  const refused = (await leaving()).at(-1);
  if (refused) await sync.fail(refused, "no", 1);
  await sync.restartLog();
  expect((await leaving()).map(({ payload }) => payload?.remap)).toEqual([
    { from: "app", to: "web" },
    { from: "shop", to: "app" },
  ]);
});

test("renamings in a row reach a device that knows only the first name", async () => {
  const log = createTestLog();
  const [laptop, desk] = [createTestDevice("laptop", log), createTestDevice("desk", log)];
  for (const { memory, sync } of [laptop, desk]) {
    memory.addObservation({ project: "app" });
    memory.store.projects.ensure("app");
    await sync.includeEarlier();
    await sync.projects.setDefault(true);
  }
  const { projects, projectMoves, commit } = laptop.memory.store;
  const rename = (from: string, to: string) =>
    commit(() => projectMoves.rename(projects.ensure(from), from, to));
  await rename("app", "web");
  await rename("web", "site");
  while (projectMoves.step(100));
  expect(laptop.sync.pending().remaps).toBe(2);
  await laptop.push(100);
  expect(laptop.sync.pending().remaps).toBe(0);
  await desk.pull(100);
  const labels = desk.memory.db.prepare("select distinct project from observations").pluck().all();
  expect(labels).toEqual(["site"]);
  expect(desk.memory.store.projects.byAlias("app")?.label).toBe("site");
});

test("events from before another device deleted their session do not record it again", async () => {
  const log = createTestLog();
  const [laptop, desk] = [createTestDevice("laptop", log), createTestDevice("desk", log)];
  laptop.memory.addPrompt("at the laptop", { session: "s" });
  await laptop.sync.includeEarlier();
  await laptop.sync.projects.setDefault(true);
  await laptop.push(100);
  await desk.pull(100);
  const { sessions } = desk.memory.store;
  const known = sessions.byClaudeId("s");
  expect([known?.claude_session_id, sessions.isDeletedSince("s", 1)]).toEqual(["s", false]);
  laptop.memory.db.prepare("delete from sessions").run();
  await laptop.push(100);
  await desk.pull(100);
  expect(sessions.byClaudeId("s")).toBeUndefined();
  expect([sessions.isDeletedSince("s", 1), sessions.isDeletedSince("s", 2)]).toEqual([true, false]);
});

test("another reader reads the log again where one could not read something", async () => {
  const { sync, receive } = await device();
  await sync.noteReader("without the key");
  await receive();
  await sync.noteReader("with the key");
  expect(sync.state().cursor).toBe("7");
  await receive({ ...merge("a", "b"), id: "nonsense", payload: null });
  expect(sync.failed()).toHaveLength(1);
  await sync.noteReader("with the key");
  expect(sync.state().cursor).toBe("7");
  await sync.noteReader("a newer version");
  expect([sync.state().cursor, sync.failed()]).toEqual(["0", []]);
});

test("a backup from before a record was pushed does not double it", async () => {
  const log = createTestLog();
  const laptop = createTestDevice("laptop", log);
  const { memory, sync } = laptop;
  memory.addObservation({ title: "a record", at: someTime });
  memory.addSummary({ request: "a summary" });
  memory.addPrompt("a prompt");
  await laptop.pull(10);
  await sync.projects.setDefault(true);
  await laptop.push(100);
  const count = () =>
    memory.db
      .prepare(
        "select (select count(*) from observations), (select count(*) from session_summaries), (select count(*) from user_prompts)",
      )
      .raw()
      .get();
  for (const table of ["observations", "session_summaries", "user_prompts", "sessions"])
    memory.db.prepare(`update ${table} set synced_at = null, sent_revision = 0`).run();
  await laptop.renew();
  // Another record that took a number of the backup.
  memory.addObservation({ title: "written since", at: someTime + 1 });
  await laptop.pull(100);
  expect(count()).toEqual([2, 1, 1]);
  await laptop.push(100);
  const own = log.ops.filter(({ device }) => device === laptop.id());
  expect(own.map(({ kind, payload }) => [kind, payload?.title])).toEqual([["observation", "written since"]]);
});

test("a record that only shares its number with an earlier one stays", async () => {
  const log = createTestLog();
  const laptop = createTestDevice("laptop", log);
  const { memory, sync } = laptop;
  memory.addObservation({ title: "pushed", at: someTime });
  await laptop.pull(10);
  await sync.projects.setDefault(true);
  await laptop.push(100);
  // The backup did not have it, and its number was taken before the log was read.
  memory.db.prepare("delete from observations").run();
  memory.db.prepare("delete from sync_deletions").run();
  memory.db.prepare("update sqlite_sequence set seq = 0 where name = 'observations'").run();
  await laptop.renew();
  memory.addObservation({ title: "written since", at: someTime + 1 });
  await laptop.pull(100);
  expect(memory.db.prepare("select title from observations order by title").pluck().all()).toEqual([
    "pushed",
    "written since",
  ]);
});

test("pulled records stand for the session's events until its last activity there", async () => {
  const log = createTestLog();
  const [laptop, desk] = [createTestDevice("laptop", log), createTestDevice("desk", log)];
  laptop.memory.addPrompt("at the laptop");
  await laptop.sync.includeEarlier();
  await laptop.sync.projects.setDefault(true);
  await laptop.push(100);
  await desk.pull(100);
  const [session] = desk.memory.db
    .prepare<[], { id: number; last_active_at_epoch: number }>(
      "select id, last_active_at_epoch from sessions",
    )
    .all();
  const [id = 0, until = 0] = [session?.id, session?.last_active_at_epoch];
  expect(desk.memory.store.imports.isRepresented(id, until + activityGrainMs - 1)).toBe(true);
  expect(desk.memory.store.imports.isRepresented(id, until + activityGrainMs)).toBe(false);
  expect(laptop.memory.store.imports.isRepresented(1, until)).toBe(false);
});
