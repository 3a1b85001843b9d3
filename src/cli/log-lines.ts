// The worker's log for people: one JSON line in, one readable line out.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { terminalLine } from "../text/terminal-text.ts";
import type { Paint } from "./paint.ts";

// 50 lines are a few kilobytes; nobody reads more than this in a terminal.
const maxTailBytes = 4 * 1024 * 1024;

/** The last `count` lines of a file, and the size up to which it was read. */
export function lastLines(path: string, count: number): { lines: string[]; size: number } {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const length = Math.min(size, maxTailBytes);
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, size - length);
    const lines = bytes.toString("utf8").split("\n");
    return { lines: lines.filter((line) => line !== "").slice(count === 0 ? Infinity : -count), size };
  } finally {
    closeSync(descriptor);
  }
}

/** What was added to a file since it had `from` bytes; from the start when it has shrunk since. */
export function addedText(path: string, from: number): { text: string; size: number } {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const start = size < from ? 0 : from;
    const length = Math.min(size - start, maxTailBytes);
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, start);
    return { text: bytes.toString("utf8"), size: start + length };
  } finally {
    closeSync(descriptor);
  }
}

/** A log line as `12:00:01 INFO  the worker answers  port=37700`; a line that is not JSON as it is. */
export function renderLogLine(line: string, paint: Paint): string {
  const entry = parse(line);
  if (entry === undefined) return terminalLine(line);
  const { time, level, msg, err, ...rest } = entry;
  const name = levelNames.get(Number(level)) ?? String(level ?? "");
  const details = Object.entries(rest).map(([key, value]) => `${key}=${shown(value)}`);
  if (isJsonObject(err)) details.push(shown(err.message));
  const parts = [paint.dim(clockTime(time)), colored(name, paint), terminalLine(String(msg ?? ""))];
  return terminalSafe([...parts, paint.dim(terminalLine(details.join(" ")))]);
}

const levelNames = new Map([
  [10, "TRACE"],
  [20, "DEBUG"],
  [30, "INFO"],
  [40, "WARN"],
  [50, "ERROR"],
  [60, "FATAL"],
]);

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function clockTime(time: unknown): string {
  const date = new Date(typeof time === "string" || typeof time === "number" ? time : Number.NaN);
  if (Number.isNaN(date.getTime())) return "--:--:--";
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

function colored(name: string, paint: Paint): string {
  const padded = name.padEnd(5);
  if (name === "WARN") return paint.yellow(padded);
  return name === "ERROR" || name === "FATAL" ? paint.red(padded) : padded;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function terminalSafe(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .join("  ")
    .trimEnd();
}
