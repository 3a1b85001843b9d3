// What the month will have cost by its end, if it goes on as in the last days.
import { startOfMonth, startOfNextMonth } from "../core/local-days.ts";

export interface Used {
  tokens: number;
  /** Millionths of a US dollar, of what has a price. */
  costMicroUsd: number;
}

export interface Projection {
  /** Used since the month began. */
  soFar: Used;
  /** Expected by its end. */
  byEnd: Used;
  /** Days that the average was taken over. */
  days: number;
}

// Days that are looked back on at most.
const projectedFromDays = 7;

interface Past {
  now: number;
  /** When the first call ever was made, or null. */
  firstCallAt: number | null;
  month: Used;
  /** In the last `projectedFromDays` times 24 hours. */
  lastDays: Used;
}

/** The month so far, and at its end by the average of the last days; null when no model was ever asked. */
export function projectMonth({ now, firstCallAt, month, lastDays }: Past): Projection | null {
  if (firstCallAt === null) return null;
  // Who began yesterday has two days to go by, not seven; and less than one says nothing yet.
  const days = Math.min(projectedFromDays, Math.max(1, (now - firstCallAt) / dayMs));
  const daysLeft = (startOfNextMonth(now) - now) / dayMs;
  const atEnd = (soFar: number, last: number): number => Math.round(soFar + (last / days) * daysLeft);
  return {
    soFar: month,
    byEnd: {
      tokens: atEnd(month.tokens, lastDays.tokens),
      costMicroUsd: atEnd(month.costMicroUsd, lastDays.costMicroUsd),
    },
    days,
  };
}

/** First instant of the time that `Past` looks at. */
export function projectionStart(now: number): { month: number; lastDays: number } {
  return { month: startOfMonth(now), lastDays: now - projectedFromDays * dayMs };
}

const dayMs = 24 * 3_600_000;
