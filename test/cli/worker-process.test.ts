import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { whileSlow } from "../../src/cli/worker-process.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function saidDuring(workMs: number, talksToTerminal: boolean): Promise<string[]> {
  const said: string[] = [];
  const io = { err: (line: string) => void said.push(line), talksToTerminal };
  const done = whileSlow(io, "still at it", () => new Promise((resolve) => setTimeout(resolve, workMs)));
  await vi.runAllTimersAsync();
  await done;
  return said;
}

test("work that takes long says so once, to a terminal alone", async () => {
  expect(await saidDuring(15_000, true)).toEqual(["still at it"]);
  expect(await saidDuring(15_000, false)).toEqual([]);
});

test("quick work says nothing", async () => {
  expect(await saidDuring(900, true)).toEqual([]);
});
