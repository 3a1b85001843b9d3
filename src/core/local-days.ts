// Days and months as the user's calendar has them: 23, 24 or 25 hours long, by the time zone of this process.

export interface LocalDay {
  /** `2026-01-31`. */
  name: string;
  /** First instant of the day, and of the next one. */
  start: number;
  end: number;
}

/** The days that `from` to `until` (not included) touch, oldest first. */
export function localDays(from: number, until: number): LocalDay[] {
  const days: LocalDay[] = [];
  for (let start = startOfDay(from); start < until; ) {
    const end = startOfNextDay(start);
    days.push({ name: dayName(start), start, end });
    start = end;
  }
  return days;
}

// Made of year, month and day: adding 24 hours would drift by one at every change of the clock. Where a day begins at
// 01:00 because midnight was skipped, Date gives exactly that instant.

/** First instant of the day that `epochMs` lies in. */
export function startOfDay(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** First instant of the day after the one that `epochMs` lies in. */
export function startOfNextDay(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1).getTime();
}

/** First instant of the month that `epochMs` lies in. */
export function startOfMonth(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth(), 1).getTime();
}

/** First instant of the month after the one that `epochMs` lies in. */
export function startOfNextMonth(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth() + 1, 1).getTime();
}

/** `2026-01-31`, the day that `epochMs` lies in. */
export function dayName(epochMs: number): string {
  const at = new Date(epochMs);
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** `2026-01-31 00:00`. */
export function localTime(epochMs: number): string {
  const at = new Date(epochMs);
  return `${dayName(epochMs)} ${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

/** Whose days they are: `Europe/Berlin`, `UTC`. */
export function zoneName(): string {
  return new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
