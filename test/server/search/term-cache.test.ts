import { expect, test } from "vitest";
import { unpackTerms } from "../../../src/core/records/record-terms.ts";
import { createTermCache } from "../../../src/server/search/term-cache.ts";
import type { IndexedRecord } from "../../../src/store/postgres/search.ts";

function recordOf(id: number, words = 10): IndexedRecord {
  return { id, created_at_epoch: 1, terms: unpackTerms(new Uint32Array(2 + words)) };
}

function memoryAt({ maxBytes }: { maxBytes?: number } = {}) {
  const clock = { now: 0 };
  const memory = createTermCache({
    clock: { monotonicMs: () => clock.now },
    forgetMs: 1_000,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  return { memory, clock };
}

test("what was kept is given back, and nothing else", () => {
  const { memory } = memoryAt();
  const record = recordOf(7);
  memory.keep(record);
  expect(memory.get(7)).toBe(record);
  expect(memory.get(8)).toBeUndefined();
});

test("a record is gone when its time is over, however often somebody asks", () => {
  const { memory, clock } = memoryAt();
  memory.keep(recordOf(1));
  for (const passed of [400, 550, 990]) {
    clock.now = passed;
    memory.age();
    expect(memory.get(1)?.id).toBe(1);
  }
  clock.now = 1_000;
  memory.age();
  expect(memory.get(1)).toBeUndefined();
  memory.keep(recordOf(1));
  expect(memory.get(1)?.id).toBe(1);
});

test("what is kept has a bound, and the latest are among it", () => {
  const { memory } = memoryAt({ maxBytes: 100_000 });
  for (let id = 0; id < 1_000; id++) memory.keep(recordOf(id));
  const kept = Array.from({ length: 1_000 }, (_, id) => memory.get(id)).filter((one) => one !== undefined);
  expect(kept.length).toBeLessThan(350);
  expect(memory.get(999)?.id).toBe(999);
});
