// Retention through the worker's routes, on a real database file, with a clock that the tests move.
import { expect, test } from "vitest";
import {
  ask,
  bytesWith,
  dayMs,
  db,
  eachWithAWorker,
  now,
  restore,
  retain,
  tablesWith,
  travel,
  workIn,
} from "./trash-world.ts";

eachWithAWorker();

const set = (body: object) => ask("POST", "/api/retention", body);
const state = async () => (await ask("GET", "/api/retention")).body;
const sessions = () =>
  db.prepare<[], string>("select claude_session_id from sessions order by id").pluck().all();
const receipts = async () => (await ask("GET", "/api/forget/receipts")).body.items;

/** A day on which the clock runs as usual. */
async function dayPasses(day: number): Promise<void> {
  for (let hour = 0; hour <= 24; hour += 12) {
    travel(day + hour / 24);
    await retain();
  }
}

test("is off by default", async () => {
  await workIn("s-1", "kumquat");
  for (let day = 0; day < 4; day += 1) await dayPasses(1_000 + day);
  expect(await state()).toMatchObject({ days: null, projects: [], last_run_epoch: null });
  expect(sessions()).toEqual(["s-1"]);
});

test("moves what is older to the trash once a day, and it can be restored", async () => {
  await workIn("s-old", "kumquat");
  travel(20);
  await workIn("s-new", "papaya");
  travel(40);
  const plan = await ask("POST", "/api/retention/plan", { days: 30 });
  expect(plan.body.counts).toMatchObject({ sessions: 1, observations: expect.any(Number) });
  expect(sessions()).toEqual(["s-old", "s-new"]);
  expect((await set({ days: 30 })).body.would_remove).toEqual(plan.body.counts);
  await retain();
  expect(sessions()).toEqual(["s-new"]);
  expect(await state()).toMatchObject({ days: 30, last_removed: { counts: plan.body.counts } });
  expect(await receipts()).toMatchObject([{ chosen_by: "retention", counts: plan.body.counts }]);
  travel(40.5);
  await retain();
  expect(await receipts()).toHaveLength(1);
  const { trash_id } = (await ask("GET", "/api/trash")).body.items[0];
  await restore(trash_id);
  expect(sessions()).toEqual(["s-old", "s-new"]);
  await dayPasses(41);
  expect(sessions()).toEqual(["s-new"]);
});

test("rules, pinned observations and their sessions stay, not what else is old", async () => {
  await workIn("s-pin", "kumquat");
  await ask("POST", "/api/rules", { text: "Always use the durian tool.", project: "app" });
  const pinned =
    db.prepare<[], number>("select min(id) from observations where standing = 0").pluck().get() ?? 0;
  db.prepare("update observations set pinned = 1 where id = ?").run(pinned);
  travel(20);
  await set({ days: 10 });
  await retain();
  expect(sessions()).toEqual(["s-pin"]);
  const left = db
    .prepare<[], number>("select id from observations where standing = 0 order by id")
    .pluck()
    .all();
  expect(left).toEqual([pinned]);
  expect(db.prepare("select count(*) from observations where standing = 1").pluck().get()).toBe(1);
  expect(db.prepare("select count(*) from session_summaries").pluck().get()).toBe(0);
  expect(db.prepare("select count(*) from user_prompts").pluck().get()).toBe(0);
  expect(db.prepare("select count(*) from raw_events where payload like '%kumquat%'").pluck().get()).toBe(0);
  expect((await state()).would_remove).toMatchObject({ sessions: 0, observations: 0, events: 0 });
});

test("a policy of a project wins over the general one, and follows a new name", async () => {
  await workIn("s-1", "kumquat");
  travel(20);
  await set({ days: 10 });
  await set({ project: "app", days: 0 });
  await retain();
  expect(sessions()).toEqual(["s-1"]);
  await ask("POST", "/api/projects/rename", { from: "app", to: "shop" });
  expect((await state()).projects).toEqual([{ project: "shop", days: 0 }]);
  await set({ days: null });
  await set({ project: "app", days: 10 });
  await retain();
  expect(sessions()).toEqual([]);
  expect((await set({ project: "shop", days: null })).body.projects).toEqual([]);
});

test.each([
  ["forward", 400],
  ["back and to today again", -400],
])("nothing goes on the day after the clock jumped %s", async (_name, jump) => {
  await workIn("s-1", "kumquat");
  await set({ days: 365 });
  await retain();
  travel(jump);
  await retain();
  if (jump < 0) travel(400);
  await retain();
  travel(Math.abs(jump) + 0.5);
  await retain();
  expect(sessions()).toEqual(["s-1"]);
  expect((await state()).waits_until_epoch).toBeGreaterThan(now + 399 * dayMs);
  travel(0);
  await retain();
  await dayPasses(1);
  expect(sessions()).toEqual(["s-1"]);
});

test("a machine that is used for hours, a week apart, applies it at every second use", async () => {
  await workIn("s-1", "kumquat");
  await set({ days: 10 });
  await retain();
  for (const week of [1, 2]) {
    expect(sessions()).toEqual(["s-1"]);
    for (const hour of [0, 2]) {
      travel(7 * week + hour / 24);
      await retain();
    }
  }
  expect(sessions()).toEqual([]);
});

test("a second jump that is too long for a machine that was off begins the wait again", async () => {
  await workIn("s-1", "kumquat");
  await set({ days: 365 });
  await retain();
  travel(7);
  await retain();
  travel(400);
  await retain();
  expect(sessions()).toEqual(["s-1"]);
  await dayPasses(400);
  expect(sessions()).toEqual([]);
});

test("leaves no byte once the trash has expired", async () => {
  await workIn("s-1", "kumquat");
  travel(20);
  await set({ days: 10 });
  await retain();
  expect(tablesWith("kumquat")).toEqual([]);
  travel(51);
  await retain();
  await ask("DELETE", "/api/trash");
  await expect.poll(() => db.prepare("select count(*) from trash_rows").pluck().get()).toBe(0);
  await expect.poll(() => bytesWith("kumquat")).toBe(false);
  // The receipt follows the last page of the full text.
  await expect.poll(async () => (await receipts())[0].gone_at_epoch).not.toBeNull();
});
