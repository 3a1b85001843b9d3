// The caller's team: its name, and how long its raw events are kept.
import { MemError } from "../../core/errors.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors, keyedWriteErrors, openOf } from "../schemas/error.ts";
import { teamAnswer, teamChange, usageAnswer } from "../schemas/v1-team.ts";
import { callerOf } from "./authentication.ts";
import { onWire } from "./on-wire.ts";

interface Team {
  id: string;
  name: string;
  retention_days: number | null;
  effective_retention_days: number;
  created_at_epoch: number;
}

export interface TeamPorts {
  find(caller: Caller): Promise<Team>;
  setRetention(caller: Caller, days: number | null, requestId: string): Promise<Team>;
}

/** `GET /v1/team` and `PATCH /v1/team`. */
export function teamRoutes(app: App, ports: TeamPorts): void {
  route(app, "GET /v1/team", {
    config: { access: "memories:read" },
    summary: "The caller's team.",
    response: { 200: teamAnswer, ...keyedErrors },
    handler: async (request) => ({
      team: onWire(teamAnswer.shape.team, await ports.find(callerOf(request))),
    }),
  });
  route(app, "PATCH /v1/team", {
    config: { access: "memories:write" },
    summary:
      "Set the days that raw events, including prompts, are kept; null is the server's setting. Records stay.",
    body: teamChange,
    response: { 200: teamAnswer, ...keyedWriteErrors },
    handler: async (request) => {
      const caller = callerOf(request);
      if (caller.project_id !== null) {
        throw new MemError("insufficient_scope", {
          message: "A key of one project cannot change the team.",
          hint: "Use a key of the whole team.",
        });
      }
      const team = await ports.setRetention(caller, request.body.retentionDays, request.id);
      return { team: onWire(teamAnswer.shape.team, team) };
    },
  });
}

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
  route(app, "GET /v1/usage", {
    config: { access: "memories:read", openOverQuota: true },
    summary: "Totals of the team since the first of the month (UTC), by kind.",
    response: { 200: usageAnswer, ...openOf(keyedErrors) },
    handler: (request) => thisMonth(callerOf(request)),
  });
}
