// Reads the relative time that a question names: "yesterday", "last week", "two hours ago", by the user's clock.
import { startOfDay, startOfMonth, startOfNextDay, startOfNextMonth } from "../core/local-days.ts";
import type { RecordFilter } from "../core/records/search.ts";

/** Epoch milliseconds, both ends included. */
export interface Span {
  start: number;
  end: number;
}

/** The words that name the time, their place, and their span; the span of "recently" is null. */
export interface NamedTime {
  said: string;
  at: number;
  span: Span | null;
}

/** The first time that the words name, relative to `now`. Quoted words and parts of names are search words. */
export function namedTime(words: string, now: number): NamedTime | null {
  if (!mayName.test(words)) return null;
  for (const { pattern, spanOf } of forms) {
    const match = pattern.exec(words);
    if (match === null) continue;
    const { said = "", since, ...parts } = match.groups ?? {};
    const span = spanOf(parts, now);
    // Too long ago, or not a number.
    if (span !== null && !(span.start > 0)) return null;
    const whole = since === undefined || span === null ? span : { start: span.start, end: now };
    return { said: said.trim(), at: match.index + match[0].length - said.length, span: whole };
  }
  return null;
}

/** The part of the span inside the filter's dates. */
export function within({ start, end }: Span, { dateStart, dateEnd }: Dates): { [K in keyof Dates]: number } {
  return { dateStart: Math.max(start, dateStart ?? start), dateEnd: Math.min(end, dateEnd ?? end) };
}

type Dates = Pick<RecordFilter, "dateStart" | "dateEnd">;

type Parts = Record<string, string | undefined>;
type Form = { pattern: RegExp; spanOf(parts: Parts, now: number): Span | null };

/** Few questions name a time, and this test is faster than all the forms. */
const mayName =
  /\b(?:yesterday|today|tonight|ago|last|past|previous|this|recent|recently|lately|latest|newest|new|so far|just now|\w{3,6}day)\b/i;

const amounts = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const vague: ReadonlyMap<string, number> = new Map([
  ["a", 1],
  ["an", 1],
  ["couple", 2],
  ["couple of", 2],
  ["few", 3],
  ["several", 7],
]);
const amount = `(?<amount>\\d{1,4}|an?|${amounts.slice(1).join("|")}|few|couple(?: of)?|several)`;
const unit = "(?<unit>minute|hour|day|week|month|year)s?";
const dayPart = "(?<dayPart>morning|afternoon|evening|night)";
const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Words that exclude the time after them: "not today", "everything but yesterday", "before 3 March". */
export const negatedBefore =
  "\\b(?:before|until|till|by|than|after|next|every|each|not|never|but|except|excluding|without|besides|\\w{2,6}n['’]t)" +
  "(?:\\s+(?:for|from|of|in|on|during|since|the|those|that|what|everything|work|changes|we|i|you|was|were|is|do|did|done|made))*\\s+";

const forms: readonly Form[] = [
  form("the day before yesterday", (_, now) => dayAgo(now, 2)),
  form(`(?<day>yesterday|last|this) ${dayPart}`, ({ day, dayPart: part }, now) => partOfDay(day, part, now)),
  form("tonight", (_, now) => partOfDay("this", "evening", now)),
  form("(?<day>yesterday|today)", ({ day }, now) => dayAgo(now, day === "today" ? 0 : 1)),
  form(`(?:the )?(?:last|past|previous) ${amount} ${unit}`, rolling),
  form(`${amount} ${unit} ago`, ago),
  form("(?:the (?:last|past)|past) (?<unit>hour|day|week|month|year)", ({ unit: one }, now) =>
    rolling({ amount: "1", unit: one }, now),
  ),
  form("(?<which>last|previous|this) (?<unit>hour|weekend|week|month|year)", calendar),
  form(`(?:last |this )?(?<weekday>${weekdays.join("|")})`, weekday),
  form(
    "(?:recent|recently|lately|latest|newest|so far|just now|(?:the )?(?:last|previous) (?:time|sessions?))",
    () => null,
  ),
  form("(?<=^\\W*what(?:['’]s| is) )new", () => null),
];

// Not quoted, and not part of a name or of code: "yesterday()", "@latest".
function form(text: string, spanOf: Form["spanOf"]): Form {
  const before = `(?<!${negatedBefore})(?<![\\w./"'\`“‘@#$:=-])`;
  const after = '(?![\\w/"`”(\\[=-]|\\.\\w)';
  return { pattern: new RegExp(`${before}(?<since>since )?(?<said>${text})${after}`, "i"), spanOf };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function dayAgo(now: number, days: number): Span {
  let start = startOfDay(now);
  for (let n = 0; n < days; n++) start = startOfDay(start - 1);
  return { start, end: startOfNextDay(start) - 1 };
}

function partOfDay(day = "", part = "", now: number): Span {
  const { start } = dayAgo(now, day.toLowerCase() === "this" ? 0 : 1);
  const [from, until] = partHours.get(part.toLowerCase()) ?? [0, 24];
  return { start: atHour(start, from), end: atHour(start, until) - 1 };
}

// Work after midnight belongs to the evening before.
const partHours: ReadonlyMap<string, [from: number, until: number]> = new Map([
  ["morning", [0, 12]],
  ["afternoon", [12, 18]],
  ["evening", [18, 24]],
  ["night", [18, 30]],
]);

function atHour(day: number, hour: number): number {
  const at = new Date(day);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate(), hour).getTime();
}

/** From that long ago to now; days and longer units start at midnight. */
function rolling({ amount: count, unit: of }: Parts, now: number): Span {
  return { start: back(now, numberOf(count), of), end: now };
}

/** The day, week, month or year that far back; for hours and minutes, everything since. */
function ago(parts: Parts, now: number): Span {
  const of = parts.unit?.toLowerCase();
  const { start } = rolling(parts, now);
  if (of === "minute" || of === "hour") return { start, end: now };
  return of === "day" ? dayAgo(start, 0) : around(of, start);
}

function calendar({ which, unit: of }: Parts, now: number): Span {
  const name = of?.toLowerCase();
  const isThis = which?.toLowerCase() === "this";
  if (name === "hour") return { start: now - hourMs, end: now };
  if (name !== "weekend") return around(name, isThis ? now : around(name, now).start - 1);
  // On a weekend "last weekend" means the current one.
  const week = around("week", now);
  const saturday = dayAgo(week.end, 1).start;
  if (now >= saturday || isThis) return { start: saturday, end: week.end };
  return { start: dayAgo(week.start, 2).start, end: week.start - 1 };
}

/** The calendar's week (from Monday), month or year around a time. */
function around(of: string | undefined, at: number): Span {
  if (of === "month") return { start: startOfMonth(at), end: startOfNextMonth(at) - 1 };
  const date = new Date(at);
  if (of === "year")
    return {
      start: new Date(date.getFullYear(), 0, 1).getTime(),
      end: new Date(date.getFullYear() + 1, 0, 1).getTime() - 1,
    };
  const monday = (shift: number) =>
    new Date(
      date.getFullYear(),
      date.getMonth(),
      date.getDate() - ((date.getDay() + 6) % 7) + shift,
    ).getTime();
  return { start: monday(0), end: monday(7) - 1 };
}

function weekday({ weekday: name = "" }: Parts, now: number): Span {
  const days = (new Date(now).getDay() - weekdays.indexOf(name.toLowerCase()) + 7) % 7;
  return dayAgo(now, days);
}

function back(now: number, count: number, of = ""): number {
  const date = new Date(now);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  switch (of.toLowerCase()) {
    case "minute":
      return now - count * minuteMs;
    case "hour":
      return now - count * hourMs;
    case "week":
      return new Date(year, month, day - 7 * count).getTime();
    case "month":
      return new Date(year, month - count, day).getTime();
    case "year":
      return new Date(year - count, month, day).getTime();
    default:
      return new Date(year, month, day - count).getTime();
  }
}

function numberOf(written = ""): number {
  const name = written.toLowerCase();
  return vague.get(name) ?? (amounts.includes(name) ? amounts.indexOf(name) : Number(written));
}
