// Maps the verdicts of the limits to status, headers and errors.
import type { FastifyReply } from "fastify";
import { MemError } from "../../core/errors.ts";
import type { Admission } from "../../tenancy/limits/admission.ts";
import type { RateState, Verdict } from "../../tenancy/limits/counting.ts";
import type { Meter } from "../../tenancy/limits/metering.ts";
import type { Guard } from "./authentication.ts";

interface GuardDeps {
  /** Null when no rate and no cap is set. */
  admission: Pick<Admission, "admit"> | null;
  /** Null when metering is off. */
  meter: Pick<Meter, "count"> | null;
  /** First moment of the next UTC month, as ISO 8601. */
  nextMonth(): string;
}

/**
 * The guards that are set, in order: metering, rate, monthly requests, monthly tokens (writes). Metering is first:
 * refused calls count too.
 */
export function createGuards({ admission, meter, nextMonth }: GuardDeps): Guard[] {
  const guards: Guard[] = [];
  if (meter !== null) guards.push(async (_request, _reply, caller) => meter.count(caller));
  if (admission !== null) {
    guards.push(async (request, reply, caller) => {
      const { access, openOverQuota } = request.routeOptions.config;
      const wish = { writes: access === "memories:write", open: openOverQuota === true };
      const verdict = await admission.admit(caller, wish);
      if (verdict.rate !== null) sayRate(reply, verdict.rate);
      refuse(reply, verdict, nextMonth);
    });
  }
  return guards;
}

// The reset is an epoch in seconds, as at GitHub.
function sayRate(reply: FastifyReply, { limit, remaining, reset_epoch_seconds }: RateState): void {
  reply.headers({
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(reset_epoch_seconds),
  });
}

function refuse(reply: FastifyReply, verdict: Verdict, nextMonth: () => string): void {
  switch (verdict.is) {
    case "passed":
    case "unknown":
      return;
    case "rate_limited":
      reply.header("retry-after", String(verdict.retryAfterSeconds));
      throw new MemError("rate_limited", { details: { retryAfterSeconds: verdict.retryAfterSeconds } });
    case "requests_used_up":
    case "tokens_used_up": {
      const quota = verdict.is === "requests_used_up" ? "monthly_requests" : "monthly_tokens";
      const resetsAt = nextMonth();
      throw new MemError("quota_exceeded", {
        message:
          quota === "monthly_requests"
            ? "The team's requests of this month are used up."
            : "The team's provider tokens of this month are used up: it can read and delete, not write.",
        hint: `The quota resets at ${resetsAt}. GET /v1/usage and routes that delete or revoke stay open.`,
        details: { quota, used: verdict.used, cap: verdict.cap, resetsAt },
      });
    }
    default:
      verdict satisfies never;
  }
}
