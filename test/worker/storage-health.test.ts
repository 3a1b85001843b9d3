import { expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { createStorageHealth } from "../../src/worker/status.ts";

test("reports a full disk while the last write failed, and for a minute longer", () => {
  const full = new MemError("storage_full");
  let [now, lastWrite]: [number, MemError | null] = [1_000, null];
  const health = createStorageHealth({ now: () => now, monotonicMs: () => now }, () => lastWrite);
  expect(health.failure()).toBeNull();
  lastWrite = full;
  health.failed(full);
  now += 3_600_000;
  expect(health.failure()).toBe(full);
  health.failed(full);
  lastWrite = null;
  now += 59_000;
  expect(health.failure()).toBe(full);
  now += 1_000;
  expect(health.failure()).toBeNull();
});

test("a write that fails by itself says nothing about the disk", () => {
  const health = createStorageHealth({ now: () => 1, monotonicMs: () => 1 }, () => null);
  health.failed(new Error("on purpose"));
  health.failed(new MemError("storage_busy"));
  expect(health.failure()).toBeNull();
});
