// Projects the cost of the month from the last days.
import { startOfMonth, startOfNextMonth } from "../core/local-days.ts";

export interface Used {
  tokens: number;
  /** Millionths of a US dollar, of what has a price. */
  costMicroUsd: number;
}

export interface Projection {
  /** Since the month began. */
  soFar: Used;
  /** Expected at its end. */
  byEnd: Used;
  /** Days of the average. */
  days: number;
}

const projectedFromDays = 7;

interface Past {
  now: number;
  /** Epoch of the first call ever, or null. */
  firstCallAt: number | null;
  month: Used;
  /** In the last `projectedFromDays` times 24 hours. */
  lastDays: Used;
}

/** The month so far, and at its end by the average of the last days; null before the first call. */
export function projectMonth({ now, firstCallAt, month, lastDays }: Past): Projection | null {
  if (firstCallAt === null) return null;
  // A first call yesterday gives two days of data, not seven; less than one day says nothing.
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

/** Starts of the periods in `Past`. */
export function projectionStart(now: number): { month: number; lastDays: number } {
  return { month: startOfMonth(now), lastDays: now - projectedFromDays * dayMs };
}

const dayMs = 24 * 3_600_000;
