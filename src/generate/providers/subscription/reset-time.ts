// Parses the end of a usage limit in the host CLI's text: "resets 7:55pm (Europe/Paris)".

/** Epoch in milliseconds after "resets" or a bar; null when there is none. */
export function parseResetTime(text: string, now: number): number | null {
  const epoch = /\|(\d{10})(\d{3})?\b/.exec(text);
  if (epoch?.[1] !== undefined) return Number(epoch[1]) * 1_000;
  const named = resetPattern.exec(text)?.groups;
  if (named === undefined) return null;
  const zone = knownZone(named.zone);
  const today = inZone(now, zone);
  const month = named.month === undefined ? today.month : monthNames.indexOf(named.month.toLowerCase());
  const day = named.day === undefined ? today.day : Number(named.day);
  const wall: WallTime = {
    year: today.year,
    month,
    day,
    hour: hourOf(named),
    minute: Number(named.minute ?? 0),
  };
  const at = toEpoch(wall, zone);
  // Without a date: the next such hour. A date that is long past is next year's.
  if (named.month === undefined) return at > now ? at : toEpoch({ ...wall, day: day + 1 }, zone);
  return at > now - dayMs ? at : toEpoch({ ...wall, year: today.year + 1 }, zone);
}

interface WallTime {
  year: number;
  /** From 0. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const dayMs = 86_400_000;
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const resetPattern = new RegExp(
  String.raw`\bresets?\s+(?:at\s+)?(?:(?<month>${monthNames.join("|")})[a-z]*\s+(?<day>\d{1,2})(?:,|\s+at)?\s+)?` +
    String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s*(?<half>[ap]m)?(?:\s*\((?<zone>[\w/+-]+)\))?`,
  "i",
);

function hourOf(named: Record<string, string | undefined>): number {
  const hour = Number(named.hour);
  if (named.half === undefined) return hour;
  return (hour % 12) + (named.half.toLowerCase() === "pm" ? 12 : 0);
}

// The CLI names the zone of its machine, which is ours.
function knownZone(zone: string | undefined): string | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

// In two steps, because the offset of the guess and of the result differ around a change to summer time.
function toEpoch(wall: WallTime, zone: string | undefined): number {
  const guess = asUtc(wall);
  const near = guess - (asUtc(inZone(guess, zone)) - guess);
  return guess - (asUtc(inZone(near, zone)) - near);
}

function asUtc({ year, month, day, hour, minute }: WallTime): number {
  return Date.UTC(year, month, day, hour, minute);
}

function inZone(epochMs: number, zone: string | undefined): WallTime {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part("year"),
    month: part("month") - 1,
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
  };
}
