// Wire shape of the token budgets: what is allowed, used and left, and until when.
import * as z from "zod";
import { epochMs } from "./fields.ts";

/** The budgets that are set; `until` is when they begin anew. */
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
