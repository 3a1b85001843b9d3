// Wire shape of what a team used this month.
import * as z from "zod";

/** Answer of `GET /v1/usage`: totals by kind since the first of the month (UTC), and the caps that are set. */
export const usageAnswer = z.object({
  since: z.iso.datetime(),
  resetsAt: z.iso.datetime(),
  usage: z.record(z.string(), z.number()),
  caps: z.object({ monthlyRequests: z.int().nullable(), monthlyTokens: z.int().nullable() }),
});
