// Numbers, sizes, times and paths as short text.
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { homePath } from "../core/paths.ts";

export { homePath };

/** A path below the project of the working directory relative to it, another one below the home with `~`. */
export function projectPath(path: string): string {
  const root = projectRoot();
  return dirname(root) !== root && path.startsWith(root + sep) ? relative(root, path) : homePath(path);
}

function projectRoot(): string {
  const here = resolve(".");
  let at = here;
  while (!existsSync(join(at, ".git"))) {
    if (dirname(at) === at) return here;
    at = dirname(at);
  }
  return at;
}

/** `1 observation`, `1,204 observations`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

/** `812 B`, `12.3 MB`. */
export function bytesInWords(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? "B"}`;
}

/** `340 ms`, `12 s`, `3 h 12 min`, `5 d 2 h`. */
export function durationInWords(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return withRest(`${hours} h`, minutes % 60, "min");
  return withRest(`${Math.floor(hours / 24)} d`, hours % 24, "h");
}

/** `just now`, `3 h ago`, and the date from a week on. */
export function ageInWords(thenEpochMs: number, nowEpochMs: number): string {
  const minutes = Math.floor((nowEpochMs - thenEpochMs) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 60 * 24) return `${Math.floor(minutes / 60)} h ago`;
  if (minutes < 60 * 24 * 7) return `${Math.floor(minutes / (60 * 24))} d ago`;
  return localDate(new Date(thenEpochMs));
}

/** `2026-01-31` in local time. */
export function localDate(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** `14:05` in local time; with seconds within two minutes of now, with the date on another day. */
export function localTime(epochMs: number, nowEpochMs: number): string {
  const date = new Date(epochMs);
  const isSoon = Math.abs(epochMs - nowEpochMs) < secondsMatterMs;
  const seconds = isSoon ? `:${String(date.getSeconds()).padStart(2, "0")}` : "";
  const time = `${clockTime(epochMs)}${seconds}`;
  const day = localDate(date);
  return day === localDate(new Date(nowEpochMs)) ? time : `${day} ${time}`;
}

/** `14:05` in local time. */
export function clockTime(epochMs: number): string {
  const date = new Date(epochMs);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

const secondsMatterMs = 120_000;

function withRest(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`;
}
