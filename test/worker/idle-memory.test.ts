import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createIdleMemory, type IdleMemory } from "../../src/worker/idle-memory.ts";

let cpu: number;
let collected: number;
let memory: IdleMemory;

beforeEach(() => {
  vi.useFakeTimers();
  cpu = 0;
  collected = 0;
  memory = createIdleMemory({
    clock: { now: () => Date.now(), monotonicMs: () => Date.now() },
    cpuMs: () => cpu,
    collect: () => {
      collected += 1;
      cpu += 40;
    },
  });
  memory.start();
});

afterEach(() => {
  memory.stop();
  vi.useRealTimers();
});

/** Lets time pass while the process uses this much of a processor. */
function pass(seconds: number, share: number): void {
  for (let second = 0; second < seconds; second++) {
    cpu += share * 1_000;
    vi.advanceTimersByTime(1_000);
  }
}

test("memory is given back in two collections after work, when the worker rests", () => {
  pass(30, 0.5);
  expect(collected).toBe(0);
  pass(25, 0.001);
  expect(collected).toBe(2);
  pass(600, 0.001);
  expect(collected).toBe(2);
  pass(30, 0.5);
  expect(collected).toBe(2);
  pass(25, 0.001);
  expect(collected).toBe(4);
});

test("a worker that never worked, or never rests, collects nothing", () => {
  pass(300, 0.001);
  pass(300, 0.1);
  expect(collected).toBe(0);
});

test("after it was stopped nothing is collected", () => {
  pass(30, 0.5);
  memory.stop();
  pass(60, 0);
  expect(collected).toBe(0);
});

test("the collection itself works in this Node", async () => {
  vi.useRealTimers();
  let now = 0;
  let used = 0;
  vi.useFakeTimers();
  const real = createIdleMemory({
    clock: { now: () => now, monotonicMs: () => now },
    cpuMs: () => used,
  });
  real.start();
  const before = process.memoryUsage().heapUsed;
  let garbage: unknown[] | null = Array.from({ length: 500_000 }, (_, at) => ({ at }));
  expect(garbage.length).toBe(500_000);
  garbage = null;
  used += 10_000;
  now += 5_000;
  vi.advanceTimersByTime(5_000);
  now += 20_000;
  vi.advanceTimersByTime(5_000);
  real.stop();
  expect(process.memoryUsage().heapUsed).toBeLessThan(before + 8 * 1_048_576);
});
