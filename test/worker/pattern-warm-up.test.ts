// The patterns are compiled after the first message, in steps, while no messages pour in.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reportFailOpenTo } from "../../src/core/errors.ts";
import { createPatternWarmUp } from "../../src/worker/pattern-warm-up.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("reads the samples one by one after the first message", async () => {
  const read = vi.fn();
  createPatternWarmUp({ firstMessage: Promise.resolve(), quiet: () => Promise.resolve(), read }).start();
  expect(read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(255);
  expect(read).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read).toHaveBeenCalledTimes(5);
});

test("reads nothing before the first message, nor when it comes after the stop", async () => {
  const read = vi.fn();
  let send = (): void => undefined;
  const firstMessage = new Promise<void>((resolve) => {
    send = resolve;
  });
  const warmUp = createPatternWarmUp({ firstMessage, quiet: () => Promise.resolve(), read });
  warmUp.start();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(read).not.toHaveBeenCalled();
  warmUp.stop();
  send();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(read).not.toHaveBeenCalled();
});

test("waits while messages pour in", async () => {
  const read = vi.fn();
  let end = (): void => undefined;
  const burst = new Promise<void>((resolve) => {
    end = resolve;
  });
  createPatternWarmUp({ firstMessage: Promise.resolve(), quiet: () => burst, read }).start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read).not.toHaveBeenCalled();
  end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read).toHaveBeenCalledTimes(5);
});

test("reads nothing after the stop", async () => {
  const read = vi.fn();
  const warmUp = createPatternWarmUp({
    firstMessage: Promise.resolve(),
    quiet: () => Promise.resolve(),
    read,
  });
  warmUp.start();
  await vi.advanceTimersByTimeAsync(255);
  warmUp.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read).toHaveBeenCalledTimes(1);
});

test("reads every sample without a failure", async () => {
  const failed = vi.fn();
  reportFailOpenTo(failed);
  const warmUp = createPatternWarmUp({ firstMessage: Promise.resolve(), quiet: () => Promise.resolve() });
  warmUp.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(failed).not.toHaveBeenCalled();
});
