// A point in time as people type it: `2026-01-31`, `2026-01-31T12:00`, `7d`, `36h`, `30m`, `yesterday`.
import { isoTime } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";

/**
 * The ISO time of `text` at `nowEpochMs`. A day without a time is the whole local day: its first instant for a start, its
 * last for an end. Throws `usage`.
 */
export function parseWhen(text: string, edge: "start" | "end", nowEpochMs: number): string {
  const written = text.trim().toLowerCase();
  const ago = agePattern.exec(written);
  if (ago !== null && Number(ago[1]) <= 0) throw noAge(text);
  if (ago !== null) return isoTime(nowEpochMs - Number(ago[1]) * (unitMs.get(ago[2] ?? "") ?? 0));
  const epochMs = dayNamed(written, edge, nowEpochMs) ?? timeNamed(text.trim());
  if (epochMs === undefined) {
    throw new MemError("usage", {
      message: `"${text}" is not a time.`,
      hint: "Write a date like 2026-01-31, a time like 2026-01-31T12:00, or an age like 30m, 36h, 7d, 2w.",
    });
  }
  return isoTime(epochMs);
}

/** True for an age such as `2h`: the time from then to now. */
export function isAge(text: string): boolean {
  return agePattern.test(text.trim().toLowerCase());
}

const agePattern = /^(-?\d{1,6})\s*(m|min|h|d|w)$/;

// Zero would exclude everything, and a negative age may mean the future.
function noAge(text: string): MemError {
  return new MemError("usage", {
    message: `"${text}" is not an age: it must be 1 or more.`,
    hint: "Write how long ago it was, like 30m, 36h, 7d, 2w, or `today`.",
  });
}

const unitMs = new Map([
  ["m", 60_000],
  ["min", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

function dayNamed(written: string, edge: "start" | "end", nowEpochMs: number): number | undefined {
  const now = new Date(nowEpochMs);
  const daysBack = ["today", "yesterday"].indexOf(written);
  if (daysBack >= 0) return dayEdge(now.getFullYear(), now.getMonth(), now.getDate() - daysBack, edge);
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(written);
  if (parts === null) return undefined;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])];
  const start = new Date(year, month, day);
  // 2026-02-31 would silently become a day in March.
  return start.getMonth() === month && start.getDate() === day ? dayEdge(year, month, day, edge) : undefined;
}

function dayEdge(year: number, month: number, day: number, edge: "start" | "end"): number {
  return edge === "start"
    ? new Date(year, month, day).getTime()
    : new Date(year, month, day + 1).getTime() - 1;
}

function timeNamed(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/i.test(text))
    return undefined;
  const epochMs = Date.parse(text.replace(" ", "T"));
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
