// Policies by which old records are deleted.
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, readErrors } from "../schemas/error.ts";
import { type ForgetPlan, forgetPlan } from "../schemas/forget.ts";
import {
  type RetentionBody,
  type RetentionState,
  retentionBody,
  retentionState,
} from "../schemas/retention.ts";

export interface RetentionPorts {
  state(): Promise<RetentionState>;
  /** Counts of a changed policy, without deleting. */
  plan(change: RetentionBody): Promise<ForgetPlan>;
  set(change: RetentionBody): Promise<RetentionState>;
}

/** `GET` and `POST /api/retention`, `POST /api/retention/plan`. */
export function retentionRoutes(app: App, retention: RetentionPorts): void {
  route(app, "GET /api/retention", {
    summary: "How long records are kept, and what is older now.",
    response: { 200: retentionState, ...readErrors },
    handler: () => retention.state(),
  });
  route(app, "POST /api/retention", {
    summary: "Set how long records are kept. Older ones go to the trash once a day.",
    body: retentionBody,
    response: { 200: retentionState, ...changeErrors },
    handler: ({ body }) => retention.set(body),
  });
  route(app, "POST /api/retention/plan", {
    summary: "What would be deleted with another policy. Changes nothing.",
    body: retentionBody,
    response: { 200: forgetPlan, ...changeErrors },
    handler: ({ body }) => retention.plan(body),
  });
}
