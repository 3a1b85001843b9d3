import { expect, test } from "vitest";
import {
  addEvent,
  addSession,
  db,
  draft,
  eachInAStoreOfItsOwn,
  generate,
  generateEach,
  local,
  nextBatch,
  store,
  summaryDraft,
} from "./regeneration-support.ts";

eachInAStoreOfItsOwn();

/** The counts, and the messages of each batch that a run would take. */
async function measured(request: Parameters<typeof store.regenerations.measure>[0]) {
  const batches: number[][] = [];
  const counts = await store.regenerations.measure(request, {
    maxMessages: 41,
    each: ({ messages }) => void batches.push(messages.map(({ id }) => id)),
  });
  return { ...counts, batches };
}

const nothing = { observations: 0, summaries: 0, sessions: 0, messages: 0, batches: [] };

test("measures records, sessions and message sizes, and lists nothing", async () => {
  const one = addSession("one");
  const [a, b, summarize] = [addEvent(one), addEvent(one), addEvent(one, "summarize")];
  await generate(one, [draft("both", a, b), draft("again", a)], {
    summaries: [summaryDraft("s", summarize)],
  });
  const two = addSession("two", "tool");
  const c = addEvent(two);
  await generate(two, [draft("c", c)]);
  const three = addSession("three");
  await generate(three, [draft("other", addEvent(three))], { generator: "m" });
  expect(await measured(local)).toEqual({
    ...{ observations: 3, summaries: 1, sessions: 2, messages: 4 },
    batches: [[a, b, summarize], [c]],
  });
  expect(await measured({ ...local, project: "tool" })).toEqual({
    ...{ observations: 1, summaries: 0, sessions: 1, messages: 1 },
    batches: [[c]],
  });
  expect(store.regenerations.counts().left).toBe(0);
});

test("what is listed already counts once, with a selection and without one", async () => {
  const one = addSession("one");
  const [a, summarize] = [addEvent(one), addEvent(one, "summarize")];
  await generate(one, [draft("a", a)], { summaries: [summaryDraft("s", summarize)] });
  const listed = {
    ...{ observations: 1, summaries: 1, sessions: 1, messages: 2 },
    batches: [[a, summarize]],
  };
  expect(await measured(null)).toEqual(nothing);
  await store.regenerations.select(local);
  expect(await measured(null)).toEqual(listed);
  expect(await measured(local)).toEqual(listed);
  expect(await measured({ generator: "m" })).toEqual(listed);
});

test("a failed record is left out until it is chosen again", async () => {
  const one = addSession("one");
  const a = addEvent(one);
  await generate(one, [draft("a", a)]);
  await store.regenerations.select(local);
  for (let n = 0; n < 3; n++) await store.regenerations.fail(await nextBatch(), "no");
  expect(await measured(null)).toEqual(nothing);
  expect((await measured(local)).batches).toEqual([[a]]);
});

test("more records than one step reads are all measured, listed or not", async () => {
  const session = addSession("one");
  const ids = db.transaction(() => Array.from({ length: 1_200 }, () => addEvent(session)))();
  for (let n = 0; n < 24; n++) await generateEach(session, ids.slice(n * 50, n * 50 + 50));
  const before = await measured(local);
  expect(before).toMatchObject({ observations: 1_200, summaries: 0, sessions: 1, messages: 1_200 });
  expect(before.batches.map(({ length }) => length)).toEqual([...Array(29).fill(41), 11]);
  await store.regenerations.select(local);
  expect(await measured(null)).toEqual(before);
});
