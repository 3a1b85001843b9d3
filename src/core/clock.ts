// Clocks, replaceable in tests, and start times of processes. No other file reads a clock.
import { readFileSync } from "node:fs";
import { failOpenSync } from "./errors.ts";

/** Wall time as epoch milliseconds (what is stored) and a monotonic clock in milliseconds (what deadlines use). */
export interface Clock {
  now(): number;
  monotonicMs(): number;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** One-shot timers, which do not keep the process alive. */
export interface Timers {
  /** Calls `run` after `delayMs`. Returns the function that cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** ISO 8601 in UTC of an epoch in milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * The start time of process `pid` in the system's format: pids are reused, pid and start time are not. Null if no such
 * process runs, and on Windows.
 */
export function processStart(pid: number): string | null {
  if (process.platform === "linux") return linuxStart(pid);
  if (process.platform === "win32") return null;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const options = { encoding: "utf8", timeout: 2_000, env: { LC_ALL: "C", PATH: "/bin:/usr/bin" } } as const;
  return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], options).stdout?.trim() || null;
}

// Clock ticks since boot. The name before may contain spaces and parentheses; a zombie counts as ended.
function linuxStart(pid: number): string | null {
  const stat = failOpenSync("read a process's start", () => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return state === "Z" || state === "X" ? null : (fields[18] ?? null);
}
