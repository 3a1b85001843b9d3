import { beforeEach, expect, test } from "vitest";
import { type BatchSizes, createBatchSizes } from "../../src/generate/batch-sizes.ts";

let sizes: BatchSizes;
beforeEach(() => {
  sizes = createBatchSizes(20);
});

/** Sizes of the session's calls while all with more than `most` messages come too late. */
function calls(count: number, most: number): number[] {
  return Array.from({ length: count }, () => {
    const size = sizes.of(1);
    if (size > most) sizes.timedOut(1, { size, isProbe: false });
    else sizes.answered(1, size);
    return size;
  });
}

test("a session's calls are halved until they come in time, and stay so small", () => {
  expect(calls(6, 5)).toEqual([20, 10, 5, 5, 5, 5]);
  expect(calls(4, 0)).toEqual([5, 2, 1, 1]);
  expect(sizes.of(2)).toBe(20);
});

test("a session that was late with its provider gets back to whole batches", () => {
  expect(calls(5, 1)).toEqual([20, 10, 5, 2, 1]);
  const later = calls(50, 20);
  expect(later.slice(0, 12)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2]);
  expect(sizes.of(1)).toBe(20);
});

test("where more are still too many, only one call in eleven is late", () => {
  calls(3, 5);
  const late = calls(110, 5).filter((size) => size > 5);
  expect(late).toEqual(Array(10).fill(10));
});

test("after an outage the calls of a session grow again", () => {
  for (const size of [20, 10, 5, 2, 1]) sizes.timedOut(1, { size, isProbe: true });
  expect(calls(6, 20)).toEqual([1, 2, 4, 8, 16, 20]);
});

test("a message that is late by itself leaves the others together", () => {
  sizes.timedOut(1, { size: 1, isProbe: false });
  expect(calls(5, 20)).toEqual([1, 2, 4, 8, 16]);
});

test("whole batches return after the backlog, but not after a single retry", () => {
  calls(1, 10);
  sizes.answered(1, 1);
  expect(sizes.of(1)).toBe(10);
  sizes.answered(1, 7);
  expect(sizes.of(1)).toBe(20);
});
