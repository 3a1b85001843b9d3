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

const sizeOf = (id: number): unknown =>
  db.prepare("select octet_length(payload) from raw_events where id = ?").pluck().get(id);

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
  expect(await store.regenerations.measure(local)).toEqual({
    observations: 3,
    summaries: 1,
    sessions: [[sizeOf(a), sizeOf(b), sizeOf(summarize)], [sizeOf(c)]],
  });
  expect(await store.regenerations.measure({ ...local, project: "tool" })).toEqual({
    observations: 1,
    summaries: 0,
    sessions: [[sizeOf(c)]],
  });
  expect(store.regenerations.counts().left).toBe(0);
});

test("what is listed already counts once, with a selection and without one", async () => {
  const one = addSession("one");
  const [a, summarize] = [addEvent(one), addEvent(one, "summarize")];
  await generate(one, [draft("a", a)], { summaries: [summaryDraft("s", summarize)] });
  const listed = { observations: 1, summaries: 1, sessions: [[sizeOf(a), sizeOf(summarize)]] };
  expect(await store.regenerations.measure(null)).toEqual({ observations: 0, summaries: 0, sessions: [] });
  await store.regenerations.select(local);
  expect(await store.regenerations.measure(null)).toEqual(listed);
  expect(await store.regenerations.measure(local)).toEqual(listed);
  expect(await store.regenerations.measure({ generator: "m" })).toEqual(listed);
});

test("a failed record is left out until it is chosen again", async () => {
  const one = addSession("one");
  const a = addEvent(one);
  await generate(one, [draft("a", a)]);
  await store.regenerations.select(local);
  for (let n = 0; n < 3; n++) await store.regenerations.fail(await nextBatch(), "no");
  expect((await store.regenerations.measure(null)).sessions).toEqual([]);
  expect((await store.regenerations.measure(local)).sessions).toEqual([[sizeOf(a)]]);
});

test("more records than one step reads are all measured, listed or not", async () => {
  const session = addSession("one");
  const ids = db.transaction(() => Array.from({ length: 1_200 }, () => addEvent(session)))();
  for (let n = 0; n < 24; n++) await generateEach(session, ids.slice(n * 50, n * 50 + 50));
  const measured = await store.regenerations.measure(local);
  expect({ ...measured, sessions: measured.sessions.map(({ length }) => length) }).toEqual({
    observations: 1_200,
    summaries: 0,
    sessions: [1_200],
  });
  await store.regenerations.select(local);
  expect(await store.regenerations.measure(null)).toEqual(measured);
});
