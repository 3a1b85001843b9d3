import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createComparison } from "../../src/worker/derived-comparison.ts";
import { createMemoryStore, type MemoryStore, someTime } from "../helpers/memory-store.ts";

let memory: MemoryStore;
let now: number;
let warned: string[];
let turn: ReturnType<typeof createComparison>;

const hour = 3_600_000;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  now = someTime;
  warned = [];
  for (let index = 0; index < 2_500; index++) memory.addObservation({ title: "Peppermint" });
  startWorker();
});

function startWorker(commit = memory.store.commit): void {
  const { store } = memory;
  turn = createComparison({
    ...store.derived,
    clock: { now: () => now, monotonicMs: () => now },
    state: store.comparison,
    commit,
    quiet: async () => undefined,
    warn: (sentence) => void warned.push(sentence),
  });
}

const damage = (id: number) => memory.db.prepare("delete from observations_fts where rowid = ?").run(id);
const listed = () => memory.db.prepare("select id from stale_derived order by id").pluck().all();
const isEnded = () => memory.store.comparison.read().endedAt === now;

async function round(): Promise<number> {
  for (let turns = 1; turns < 50; turns++) {
    await turn(() => false);
    if (isEnded()) return turns;
  }
  return 0;
}

test("once a day all is compared, in several turns, and what is wrong is listed and said once", async () => {
  damage(1_400);
  expect(await round()).toBeGreaterThan(1);
  expect(listed()).toEqual([1_400]);
  expect(warned).toEqual(["Records that the index did not agree with, and that are made anew: 1."]);
  expect(memory.store.comparison.read()).toMatchObject({ endedFound: 1, found: 0 });
  damage(7);
  now += 23 * hour;
  await turn(() => false);
  expect(listed()).toEqual([1_400]);
  now += hour;
  await round();
  expect(listed()).toEqual([7, 1_400]);
  expect(warned).toHaveLength(2);
});

test("a worker that ends in a round is followed by one that goes on with it", async () => {
  damage(3);
  await turn(() => false);
  const { at } = memory.store.comparison.read();
  startWorker();
  expect(memory.store.comparison.read()).toMatchObject({ found: 1, at });
  expect(at.after).toBeGreaterThan(900);
  await round();
  expect(warned).toEqual(["Records that the index did not agree with, and that are made anew: 1."]);
});

test("a turn ends at once when the worker stops", async () => {
  await turn(() => true);
  expect(memory.store.comparison.read()).toMatchObject({ endedAt: null });
});

test("a clock that was put back does not end the comparisons", async () => {
  await round();
  now -= 48 * hour;
  damage(3);
  await round();
  expect(listed()).toEqual([3]);
});

test("a step that is run again, since a neighbour of its commit failed, compares the same records again", async () => {
  damage(150);
  const failing = () => {
    throw new Error("a neighbour");
  };
  const { store } = memory;
  const commit: typeof store.commit = async (write) => {
    const [done] = await Promise.allSettled([store.commit(write), store.commit(failing)]);
    if (done.status === "rejected") throw done.reason;
    return done.value;
  };
  startWorker(commit);
  await round();
  expect(listed()).toEqual([150]);
  expect(store.comparison.read()).toMatchObject({ endedFound: 1 });
});
