import { describe, expect, test } from "vitest";
import type { Sqlite } from "../../../src/store/sqlite/open.ts";
import { createStore } from "../../../src/store/sqlite/store.ts";
import {
  addEvent,
  addSession,
  complete,
  db,
  draft,
  eachInAStoreOfItsOwn,
  generate,
  generateEach,
  local,
  maxMessages,
  nextBatch,
  store,
  summaryDraft,
  titles,
} from "./regeneration-support.ts";

eachInAStoreOfItsOwn();

describe("choosing", () => {
  test.each([
    ["generator", { generator: "model-0" }, ["d"]],
    ["project", { ...local, project: "tool" }, ["c"]],
    ["time", { ...local, since: 5_000 }, ["b"]],
    ["nothing but local", local, ["a", "b", "c"]],
  ])("by %s takes what fits", async (_by, selection, expected) => {
    const one = addSession("one");
    const [a, b] = [addEvent(one), addEvent(one, "observation", 5_000)];
    await generate(one, [draft("a", a), draft("b", b)]);
    const two = addSession("two", "tool");
    await generate(two, [draft("c", addEvent(two))]);
    const three = addSession("three", "tool");
    await generate(three, [draft("d", addEvent(three))], { generator: "model-0" });
    expect(await store.regenerations.select(selection)).toBe(expected.length);
    const chosen = db
      .prepare(
        `select o.title
         from regenerations g
         join observation_sources s on s.raw_event_id = g.raw_event_id
         join observations o on o.id = s.observation_id
         order by o.title`,
      )
      .pluck()
      .all();
    expect(chosen).toEqual(expected);
  });

  test("an observation of which a source is past its age stays as it is", async () => {
    const session = addSession("one");
    const [a, b, c] = [addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("both", a, b), draft("whole", c)]);
    db.prepare("delete from raw_events where id = ?").run(a);
    expect(await store.regenerations.select(local)).toBe(1);
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual([c]);
  });

  test("a kept rule does not cause its turn's end to be regenerated every time", async () => {
    const session = addSession("one");
    const end = addEvent(session, "summarize");
    const statement = { said_by: "user", standing: true, reach: "project", salience: 2 } as const;
    await generate(session, [{ ...draft("rule", end), statement }], { summaries: [summaryDraft("a", end)] });
    expect(await store.regenerations.select(local)).toBe(1);
    await complete([], [summaryDraft("b", end)]);
    expect(titles()).toEqual(["rule"]);
    expect(await store.regenerations.select(local)).toBe(0);
  });

  test("more records than one step takes are all chosen", async () => {
    const session = addSession("one");
    const ids = db.transaction(() => Array.from({ length: 1_200 }, () => addEvent(session)))();
    for (let n = 0; n < 24; n++) await generateEach(session, ids.slice(n * 50, n * 50 + 50));
    expect(await store.regenerations.select(local)).toBe(1_200);
  });

  test("a failed record is tried again when it is chosen again", async () => {
    const session = addSession("one");
    await generate(session, [draft("a", addEvent(session))]);
    await store.regenerations.select(local);
    for (let n = 0; n < 3; n++) await store.regenerations.fail(await nextBatch(), "no");
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 1 });
    expect(await store.regenerations.next(maxMessages)).toBeNull();
    await store.regenerations.select(local);
    expect(store.regenerations.counts()).toEqual({ left: 1, failed: 0 });
  });
});

describe("batches", () => {
  test("hold one session's messages in order within limits, newest session first", async () => {
    const [one, two] = [addSession("one"), addSession("two")];
    const first = [addEvent(one), addEvent(one), addEvent(one)];
    const second = [addEvent(two)];
    await generateEach(one, first);
    await generateEach(two, second);
    await store.regenerations.select(local);
    const batch = await store.regenerations.next(2);
    expect(batch?.session.id).toBe(two);
    await store.regenerations.complete(batch ?? (await nextBatch()), {
      observations: [draft("new", ...second)],
      summaries: [],
      generator: "m",
    });
    expect((await store.regenerations.next(2))?.messages.map(({ id }) => id)).toEqual(first.slice(0, 2));
  });

  test("a message holds what the host sent", async () => {
    const session = addSession("one");
    const id = addEvent(session);
    await generate(session, [draft("a", id)]);
    await store.regenerations.select(local);
    const batch = await nextBatch();
    expect(batch.messages[0]).toMatchObject({
      id,
      session_id: session,
      failures: 0,
      message: { type: "observation", tool_name: `Tool ${id}` },
    });
    expect(batch.recentTitles).toEqual([]);
  });

  test("messages that stand in one observation come together, over the limit too", async () => {
    const session = addSession("one");
    const ids = [addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("all", ...ids)]);
    await store.regenerations.select(local);
    const batch = await store.regenerations.next(1);
    expect(batch?.messages.map(({ id }) => id)).toEqual(ids);
  });

  test("are not taken over their limits by what stands together with their messages", async () => {
    const session = addSession("one");
    const [a, b, c, d] = [addEvent(session), addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("a", a), draft("b, c and d", b, c), draft("chained", c, d)]);
    await store.regenerations.select(local);
    const ids = async (most: number) => (await store.regenerations.next(most))?.messages.map(({ id }) => id);
    expect(await ids(3)).toEqual([a]);
    expect(await ids(4)).toEqual([a, b, c, d]);
  });

  test("cost the same to read and to complete, however long their session is", async () => {
    const short = await rowsOfOneBatch("short", 50);
    expect(await rowsOfOneBatch("long", 600)).toBe(short);
    expect(short).toBeGreaterThan(0);
  });

  test("one that failed is tried after the others", async () => {
    const [one, two] = [addSession("one"), addSession("two")];
    const first = [addEvent(one)];
    const second = [addEvent(two), addEvent(two)];
    await generateEach(one, first);
    await generateEach(two, second);
    await store.regenerations.select(local);
    await store.regenerations.fail(await nextBatch(), "no");
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual(first);
    await store.regenerations.fail(await nextBatch(), "no");
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual(second);
  });

  test("a source deleted after the selection leaves its observation unchanged", async () => {
    const session = addSession("one");
    const [a, b, c] = [addEvent(session), addEvent(session), addEvent(session)];
    await generate(session, [draft("both", a, b), draft("whole", c)]);
    await store.regenerations.select(local);
    db.prepare("delete from raw_events where id = ?").run(a);
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual([c]);
    await complete([draft("new", c)]);
    expect(titles()).toEqual(["both", "new"]);
    expect(store.regenerations.counts()).toEqual({ left: 0, failed: 0 });
  });

  test("a payload that cannot be read holds nothing up", async () => {
    const session = addSession("one");
    const [a, b] = [addEvent(session), addEvent(session)];
    await generate(session, [draft("a", a), draft("b", b)]);
    await store.regenerations.select(local);
    db.prepare("update raw_events set payload = '{' where id = ?").run(a);
    expect((await nextBatch()).messages.map(({ id }) => id)).toEqual([b]);
  });
});

/** How many rows are read while the first batch of a session with `messages` observations is taken and completed. */
async function rowsOfOneBatch(name: string, messages: number): Promise<number> {
  const session = addSession(name);
  const ids = db.transaction(() => Array.from({ length: messages }, () => addEvent(session)))();
  for (let n = 0; n < messages; n += 50) await generateEach(session, ids.slice(n, n + 50));
  await store.regenerations.select({ ...local, project: "app" });
  const counted = countRows(db);
  const { regenerations } = createStore(counted.db);
  const batch = await regenerations.next(maxMessages);
  if (batch === null) throw new Error("no batch");
  expect(batch.session.id).toBe(session);
  const observations = batch.messages.map(({ id }) => draft(`new${id}`, id));
  await regenerations.complete(batch, { observations, summaries: [], generator: "m" });
  await store.regenerations.drop();
  return counted.rows();
}

/** `real`, of which every row that a statement gives back is counted. */
function countRows(real: Sqlite): { db: Sqlite; rows(): number } {
  let rows = 0;
  function* counted(found: Iterable<unknown>): Generator<unknown> {
    for (const row of found) {
      rows += 1;
      yield row;
    }
  }
  const statement = (sql: string) => {
    const prepared: object = real.prepare(sql);
    const counting: object = new Proxy(prepared, {
      get(_prepared, name) {
        const part: unknown = Reflect.get(prepared, name);
        if (typeof part !== "function") return part;
        return (...values: unknown[]) => {
          const result: unknown = part(...values);
          // `pluck` returns the statement.
          if (result === prepared) return counting;
          if (name === "all") return [...counted(result as unknown[])];
          return name === "iterate" ? counted(result as Iterable<unknown>) : result;
        };
      },
    });
    return counting;
  };
  const db: Sqlite = Object.create(real, { prepare: { value: statement } });
  return { db, rows: () => rows };
}
