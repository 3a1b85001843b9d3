// Routes of regeneration: a model rewrites the records of local rules.

import type { RegenerationState, Regenerator } from "../../generate/regenerate.ts";
import type { PlanRegeneration, RegenerationPlan } from "../../generate/regeneration-plan.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import {
  planQuery,
  type RegenerationPlanAnswer,
  regenerateBody,
  regenerationPlan,
  regenerationState,
  stopQuery,
} from "../schemas/regenerate.ts";

export type RegeneratePorts = Pick<Regenerator, "start" | "resume" | "stop" | "state"> & {
  plan: PlanRegeneration;
};

/** `POST`, `GET` and `DELETE /api/regenerate`, and `GET /api/regenerate/plan`. */
export function regenerateRoutes(app: App, regenerate: RegeneratePorts): void {
  route(app, "POST /api/regenerate", {
    summary: "Regenerate the selected records in the background; continues with what is already listed.",
    body: regenerateBody,
    response: { 200: regenerationState, ...writeErrors, 409: errorBody },
    handler: ({ body }): Promise<RegenerationState> | RegenerationState => {
      const { resume = false, generator = "local", since, project } = body;
      return resume ? regenerate.resume() : regenerate.start({ generator, since, project });
    },
  });
  route(app, "GET /api/regenerate", {
    summary: "Progress of the regeneration.",
    response: { 200: regenerationState, ...readErrors },
    handler: () => regenerate.state(),
  });
  route(app, "GET /api/regenerate/plan", {
    summary: "Calls and cost of a start; nothing is started.",
    querystring: planQuery,
    response: { 200: regenerationPlan, ...readErrors, 409: errorBody },
    handler: async ({ query: { resume, generator = "local", since, project } }) => {
      const plan = await regenerate.plan(resume ? null : { generator, since, project });
      return planOnWire(plan, regenerate.state().running);
    },
  });
  route(app, "DELETE /api/regenerate", {
    summary: "Stop; the rest stays listed for the next start, or is forgotten with `drop`.",
    querystring: stopQuery,
    response: { 200: regenerationState, ...readErrors },
    handler: ({ query }) => regenerate.stop(query),
  });
}

function planOnWire(
  { messages, costMicroUsd, budgets, ...plan }: RegenerationPlan,
  running: boolean,
): RegenerationPlanAnswer {
  return {
    ...plan,
    events: messages,
    costUsd: costMicroUsd === null ? null : costMicroUsd / 1_000_000,
    budgets: budgets.map(({ name, limit, used, left, until }) => ({
      name,
      limitTokens: limit,
      usedTokens: used,
      leftTokens: left,
      until,
    })),
    running,
  };
}
