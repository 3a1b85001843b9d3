import { expect, test } from "vitest";
import { editDistance } from "../../src/text/edit-distance.ts";
import { eachMemorySearch } from "../helpers/memory-search.ts";

const index = { format: "index", limit: 20 } as const;

const { memory, search } = eachMemorySearch();

async function found(query: string, project?: string) {
  const { observations, notes } = await search({ ...index, query, project });
  return { ids: observations.map(({ id }) => id), notes };
}

test.each(["postgers", "Postgers", "psotgres", "postgress", "psotgers"])(
  "reads %s as the nearest word that a record has",
  async (typed) => {
    memory.addObservation({ title: "Read the guide" });
    const { id } = memory.addObservation({ title: "Moved the orders to Postgres" });
    const note = `No record has \`${typed.toLowerCase()}\`; searched for \`postgres\`.`;
    expect(await found(typed)).toEqual({ ids: [id], notes: [note] });
  },
);

test("replaces an unknown word beside known ones", async () => {
  memory.addObservation({ title: "The timeout of the mailer is 5 s" });
  const { id } = memory.addObservation({ title: "The timeout of Postgres is 30 s" });
  const { ids, notes } = await found("postgers timeout");
  expect(ids[0]).toBe(id);
  expect(notes).toEqual(["No record has `postgers`; searched for `postgres`."]);
});

test.each([
  ["a word that a record has", "cache"],
  ["the beginning of a word", "postg"],
  ["a part within words", "gres"],
])("leaves %s as it is", async (_what, typed) => {
  memory.addObservation({ title: "Cached grep results of Postgres in the cache" });
  const { ids, notes } = await found(typed);
  expect(ids).toHaveLength(1);
  expect(notes).toEqual([]);
});

test.each([
  [
    "kafka consumer timeout",
    undefined,
    "No record has `kafka`, `consumer`: the results match the other words.",
  ],
  ["why does the kafka rebalance hit the timeout", undefined, "No record has `kafka`, `rebalance`"],
  ["dockerfile timeout", "app", "No record has `dockerfile`: the results match the other words."],
  ["mailer timeout", undefined, null],
])("says which main words of %j no record has (project %s)", async (query, project, note) => {
  memory.addObservation({ title: "The timeout of the mailer is 5 s" });
  memory.addObservation({ title: "Wrote the dockerfile", project: "shop" });
  const { notes } = await found(query, project);
  if (note === null) expect(notes).toEqual([]);
  else expect(notes[0]).toContain(note);
});

test("does not replace a word beside known ones by a word two letters off", async () => {
  memory.addObservation({ title: "How we collect the logs" });
  const note = "No record has `connect`: the results match the other words.";
  expect((await found("connect logs")).notes).toEqual([note]);
});

test("takes a word that the searched project has", async () => {
  memory.addObservation({ title: "Wrote the dockerfile", project: "shop" });
  const { id } = memory.addObservation({ title: "Wrote the doctrine", project: "blog" });
  expect(await found("doctrime", "blog")).toEqual({
    ids: [id],
    notes: ["No record has `doctrime`; searched for `doctrine`."],
  });
  expect((await found("doctrime", "shop")).ids).toEqual([]);
});

test("says that no record has the words when none is near", async () => {
  memory.addObservation({ title: "Moved the orders to Postgres" });
  expect(await found("zebra crossing")).toEqual({ ids: [], notes: ["No record has `zebra`, `crossing`."] });
});

test("leaves the words of a prompt as they are", async () => {
  memory.addObservation({ title: "Moved the orders to Postgres" });
  const { observations, notes } = await search({ ...index, query: "postgers", isPrompt: true });
  expect({ observations, notes }).toEqual({ observations: [], notes: [] });
});

test.each([
  ["postgres", "postgres", 0],
  ["postgers", "postgres", 1],
  ["postgrs", "postgres", 1],
  ["postgress", "postgres", 1],
  ["pastgres", "postgres", 1],
  ["pstgrs", "postgres", 2],
  ["", "ab", 2],
  ["kitten", "sitting", 3],
  ["short", "muchlonger", 3],
])("%j and %j are %i errors apart, at most one more than asked for", (left, right, errors) => {
  expect(editDistance(left, right, 2)).toBe(errors);
  expect(editDistance(right, left, 2)).toBe(errors);
});
