import { expect, test } from "vitest";
import { createEmbedTurns, newest } from "../../src/server/embed-turns.ts";

const whole = (team_id: string, project_id: string) => ({
  ...{ team_id, project_id, before: newest, after: 0 },
  isWhole: true,
});

test("a team with many projects is embedded no more often than one with a single one", () => {
  const turns = createEmbedTurns();
  for (const project of ["a", "b", "c"]) turns.put(whole("large", project));
  turns.put(whole("small", "d"));
  const taken = Array.from({ length: 6 }, () => {
    const turn = turns.take();
    if (turn !== undefined) turns.put(turn);
    return turn?.project_id;
  });
  expect(taken).toEqual(["a", "d", "b", "d", "c", "d"]);
});

test("new records go before the older ones of their team, and are walked to once", () => {
  const turns = createEmbedTurns();
  turns.put({ ...whole("one", "a"), before: 50 });
  turns.addNew([{ team_id: "one", project_id: "a" }], 90);
  turns.addNew([{ team_id: "one", project_id: "a" }], 80);
  expect(turns.take()).toEqual({
    team_id: "one",
    project_id: "a",
    before: newest,
    after: 80,
    isWhole: false,
  });
  expect(turns.take()).toMatchObject({ before: 50, after: 0, isWhole: true });
  expect(turns.take()).toBeUndefined();
});

test("a walk through new records that ends at the oldest is no whole one, and one that takes in a whole one is", () => {
  const turns = createEmbedTurns();
  turns.addNew([{ team_id: "one", project_id: "a" }], 0);
  turns.put(whole("two", "b"));
  turns.addNew([{ team_id: "two", project_id: "b" }], 90);
  expect(turns.take()).toMatchObject({ project_id: "a", after: 0, isWhole: false });
  expect(turns.take()).toEqual(whole("two", "b"));
  expect(turns.take()).toBeUndefined();
});

test("a walk that waits already is not put there twice", () => {
  const turns = createEmbedTurns();
  for (const after of [3, 3, 4]) turns.putOnce({ ...whole("one", "a"), after });
  expect([turns.take()?.after, turns.take()?.after, turns.take()]).toEqual([3, 4, undefined]);
});
