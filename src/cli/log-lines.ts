// Lines of the worker's log, read and rendered for people.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { terminalLine } from "../text/terminal-text.ts";
import type { Paint } from "./paint.ts";

const maxTailBytes = 4 * 1024 * 1024;

/** The last `count` lines of a file, and the size up to which it was read. */
export function lastLines(path: string, count: number): { lines: string[]; size: number } {
  const { text, size } = readPart(path, (size) => Math.max(0, size - maxTailBytes));
  const lines = text.split("\n").filter((line) => line !== "");
  return { lines: lines.slice(count === 0 ? Infinity : -count), size };
}

/** What was added to a file since it had `from` bytes; from the start when it has shrunk since. */
export function addedText(path: string, from: number): { text: string; size: number } {
  return readPart(path, (size) => (size < from ? 0 : from));
}

function readPart(path: string, startOf: (size: number) => number): { text: string; size: number } {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const start = startOf(size);
    const bytes = Buffer.alloc(Math.min(size - start, maxTailBytes));
    readSync(descriptor, bytes, 0, bytes.length, start);
    return { text: bytes.toString("utf8"), size: start + bytes.length };
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
  return [...parts, paint.dim(terminalLine(details.join(" ")))]
    .filter((part) => part !== "")
    .join("  ")
    .trimEnd();
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
