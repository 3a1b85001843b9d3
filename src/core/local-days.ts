// Days and months in the time zone of this process; a day has 23, 24 or 25 hours.

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

// Made from year, month and day: adding 24 hours is wrong at clock changes. If midnight is skipped, Date gives 01:00.

/** First instant of the day of `epochMs`. */
export function startOfDay(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** First instant of the day after `epochMs`. */
export function startOfNextDay(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1).getTime();
}

/** First instant of the month of `epochMs`. */
export function startOfMonth(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth(), 1).getTime();
}

/** First instant of the month after `epochMs`. */
export function startOfNextMonth(epochMs: number): number {
  const at = new Date(epochMs);
  return new Date(at.getFullYear(), at.getMonth() + 1, 1).getTime();
}

/** `2026-01-31`, the day of `epochMs`. */
export function dayName(epochMs: number): string {
  const at = new Date(epochMs);
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** `2026-01-31 00:00`. */
export function localTime(epochMs: number): string {
  const at = new Date(epochMs);
  return `${dayName(epochMs)} ${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

/** The time zone: `Europe/Berlin`, `UTC`. */
export function zoneName(): string {
  return new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
