// Wire shapes of model cost and token budgets.
import * as z from "zod";
import { epochMs, isoTimestamp } from "./fields.ts";

/** Parameters of `GET /api/cost`; without `since` the last 30 days, including today. */
export const costQuery = z.lazy(() =>
  z.object({
    by: z.enum(["day", "project", "model"], { error: "must be day, project or model" }).default("day"),
    since: isoTimestamp("start"),
  }),
);

/** Answer of `GET /api/cost`. `inputTokens` is all that was read, the cached part included. */
export const costAnswer = z.lazy(() =>
  z
    .object({
      by: z.enum(["day", "project", "model"]),
      since: epochMs(),
      until: epochMs(),
      rows: z.array(z.object({ key: z.string(), ...sums() })),
      total: z.object(sums()),
      projection: z
        .object({
          month: z.string().meta({ description: "The month that it is about, as `2026-01`." }),
          averageOfDays: z.number(),
          soFar: used(),
          byEnd: used(),
        })
        .nullable(),
      budgets: tokenBudgets(),
      notice: z.string().nullable().meta({ description: "The budget that is spent, in words." }),
      prices: z.object({ date: z.string(), source: z.string(), own: z.string() }),
    })
    .meta({ id: "Cost" }),
);

/** `costQuery` as the handler gets it. */
export type CostQuery = z.output<typeof costQuery>;
/** `costAnswer`, inferred. */
export type CostAnswer = z.output<typeof costAnswer>;

function sums() {
  return {
    calls: z.int(),
    failedCalls: z.int(),
    inputTokens: z.int(),
    cachedTokens: z.int(),
    outputTokens: z.int(),
    costUsd: z.number().nullable().meta({ description: "Null where no call has a known price." }),
    unpricedCalls: z.int(),
  };
}

function used() {
  return z.object({
    tokens: z.int(),
    costUsd: z
      .number()
      .nullable()
      .meta({ description: "Of what has a known price; null where nothing has." }),
    unpricedCalls: z.int().meta({ description: "Calls that the cost lacks." }),
  });
}

/** The budgets that are set; `until` is when they reset. */
export function tokenBudgets() {
  return z.array(
    z.object({
      name: z.enum(["daily", "monthly"]),
      limitTokens: z.int(),
      usedTokens: z.int(),
      leftTokens: z.int(),
      until: epochMs(),
    }),
  );
}
