import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createReview, type Review } from "../../../src/context/freshness/review.ts";
import type { StreamEvent } from "../../../src/core/records/events.ts";
import { createRecent } from "../../../src/store/sqlite/recent.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";

let memory: MemoryStore;
let events: StreamEvent[];
let review: Review;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  events = [];
  const { commit, observations } = memory.store;
  review = createReview({
    commit,
    byId: observations.byId,
    setStanding: memory.store.review.setStanding,
    publish: (event) => events.push(event),
  });
});

const add = (count: number, project?: string) => {
  for (let index = 0; index < count; index += 1) memory.addObservation(project ? { project } : {});
};
const stored = (id: number) => memory.store.observations.byId(id);
const markSynced = () => memory.db.prepare("update observations set synced_at = 1").run();

test("supersedes, rejects and restores, each as a new unsynced revision", async () => {
  add(2);
  markSynced();
  expect(await review(1, { is: "superseded", by: 2 })).toMatchObject({
    status: "superseded",
    superseded_by: 2,
    revision: 2,
    synced_at: null,
  });
  markSynced();
  expect(await review(1, { is: "rejected" })).toMatchObject({
    status: "rejected",
    revision: 3,
    synced_at: null,
  });
  expect(await review(1, { is: "restored" })).toMatchObject({ status: "superseded", superseded_by: 2 });
  expect(await review(1, { is: "restored" })).toMatchObject({ status: "active", superseded_by: null });
  expect(stored(1)).toMatchObject({ status: "active", revision: 5 });
  expect(stored(2)).toMatchObject({ revision: 1, synced_at: 1 });
  expect(events).toHaveLength(4);
  expect(events[0]).toMatchObject({ type: "observation_changed", observation: { id: 1 } });
});

test("what is said twice changes nothing the second time", async () => {
  add(1);
  await review(1, { is: "pinned" });
  expect(await review(1, { is: "pinned" })).toMatchObject({ pinned: 1, revision: 2 });
  expect(events).toHaveLength(1);
});

test("what no longer holds is not pinned, and cannot be", async () => {
  add(2);
  await review(1, { is: "pinned" });
  expect(await review(1, { is: "superseded", by: 2 })).toMatchObject({ pinned: 0 });
  await expect(review(1, { is: "pinned" })).rejects.toMatchObject({
    code: "conflict",
    hint: expect.stringContaining("mem supersede 1 --undo"),
  });
});

test("what was pinned is pinned again when its rejection is taken back", async () => {
  add(1);
  await review(1, { is: "pinned" });
  expect(await review(1, { is: "rejected" })).toMatchObject({ status: "rejected" });
  expect(createRecent(memory.db).pinned("app", 5)).toEqual([]);
  expect(await review(1, { is: "restored" })).toMatchObject({ status: "active", pinned: 1 });
});

test("a circle of successors is refused, however long, and its way is shown", async () => {
  add(4);
  await review(1, { is: "superseded", by: 2 });
  await review(2, { is: "superseded", by: 3 });
  await review(3, { is: "superseded", by: 4 });
  await expect(review(4, { is: "superseded", by: 1 })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("1 -> 2 -> 3 -> 4"),
    hint: expect.stringContaining("mem supersede 1 --undo"),
  });
  await expect(review(4, { is: "superseded", by: 4 })).rejects.toMatchObject({ code: "conflict" });
  expect(stored(4)).toMatchObject({ status: "active" });
});

test("a rejected record and one of another project cannot take a place", async () => {
  add(2);
  add(1, "other");
  await review(2, { is: "rejected" });
  await expect(review(1, { is: "superseded", by: 2 })).rejects.toMatchObject({ code: "conflict" });
  await expect(review(1, { is: "superseded", by: 3 })).rejects.toMatchObject({ code: "conflict" });
  expect(stored(1)).toMatchObject({ status: "active", superseded_by: null });
});

test("an unknown id is refused without rolling back other writes", async () => {
  add(1);
  const [missing, pinned, by] = await Promise.allSettled([
    review(9, { is: "rejected" }),
    review(1, { is: "pinned" }),
    review(1, { is: "superseded", by: 8 }),
  ]);
  expect(missing).toMatchObject({ reason: { code: "not_found", message: "No observation 9." } });
  expect(by).toMatchObject({ reason: { code: "not_found", message: "No observation 8." } });
  expect(pinned).toMatchObject({ status: "fulfilled", value: { pinned: 1 } });
});

test("what was superseded by a record that is gone holds again", async () => {
  add(3);
  await review(1, { is: "superseded", by: 3 });
  await review(2, { is: "superseded", by: 3 });
  await review(2, { is: "rejected" });
  memory.db.prepare("delete from observations where id = 3").run();
  expect(stored(1)).toMatchObject({ status: "active", superseded_by: null, revision: 3 });
  expect(stored(2)).toMatchObject({ status: "rejected", superseded_by: null });
});
