import { expect, test } from "vitest";
import { createEmbedQueue, newest } from "../../../src/server/vectors/embed-queue.ts";

const whole = (team_id: string, project_id: string) => ({
  ...{ team_id, project_id, before: newest, after: 0 },
  isWhole: true,
});

test("a team with many projects is embedded no more often than one with a single one", () => {
  const queue = createEmbedQueue();
  for (const project of ["a", "b", "c"]) queue.put(whole("large", project));
  queue.put(whole("small", "d"));
  const taken = Array.from({ length: 6 }, () => {
    const walk = queue.take();
    if (walk !== undefined) queue.put(walk);
    return walk?.project_id;
  });
  expect(taken).toEqual(["a", "d", "b", "d", "c", "d"]);
});

test("new records go before the older ones of their team, and are walked to once", () => {
  const queue = createEmbedQueue();
  queue.put({ ...whole("one", "a"), before: 50 });
  queue.addNew([{ team_id: "one", project_id: "a" }], 90);
  queue.addNew([{ team_id: "one", project_id: "a" }], 80);
  expect(queue.take()).toEqual({
    team_id: "one",
    project_id: "a",
    before: newest,
    after: 80,
    isWhole: false,
  });
  expect(queue.take()).toMatchObject({ before: 50, after: 0, isWhole: true });
  expect(queue.take()).toBeUndefined();
});

test("a walk through new records is not a whole one, unless it joins one", () => {
  const queue = createEmbedQueue();
  queue.addNew([{ team_id: "one", project_id: "a" }], 0);
  queue.put(whole("two", "b"));
  queue.addNew([{ team_id: "two", project_id: "b" }], 90);
  expect(queue.take()).toMatchObject({ project_id: "a", after: 0, isWhole: false });
  expect(queue.take()).toEqual(whole("two", "b"));
  expect(queue.take()).toBeUndefined();
});

test("a walk that waits already is not put there twice", () => {
  const queue = createEmbedQueue();
  for (const after of [3, 3, 4]) queue.putOnce({ ...whole("one", "a"), after });
  expect([queue.take()?.after, queue.take()?.after, queue.take()]).toEqual([3, 4, undefined]);
});
