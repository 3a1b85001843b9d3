// What the caller's team used this month.
import type { Caller } from "../../core/records/tenancy.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors, openOf } from "../schemas/error.ts";
import { usageAnswer } from "../schemas/v1-team.ts";
import { callerOf } from "./authentication.ts";

export interface UsagePorts {
  thisMonth(caller: Caller): Promise<{
    since: string;
    resetsAt: string;
    usage: Record<string, number>;
    caps: { monthlyRequests: number | null; monthlyTokens: number | null };
  }>;
}

/** `GET /v1/usage`. The totals are the team's, for a key of one project too. */
export function usageRoutes(app: App, { thisMonth }: UsagePorts): void {
  app.get(
    "/v1/usage",
    {
      config: { access: "memories:read", openOverQuota: true },
      schema: {
        summary: "Totals of the team since the first of the month (UTC), by kind.",
        response: { 200: usageAnswer, ...openOf(keyedErrors) },
      },
    },
    (request) => thisMonth(callerOf(request)),
  );
}
