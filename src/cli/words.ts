// Times and paths as short text, with the numbers and sizes of `text/`.
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { homePath } from "../core/paths.ts";
import { bytesInWords, counted, durationInWords } from "../text/quantities.ts";

export { bytesInWords, counted, durationInWords, homePath };

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
