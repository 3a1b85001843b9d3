// Deleting many records with one request, and the receipts of that.
import type { ForgetChoice, ForgetReceipt } from "../../core/records/forget.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors } from "../schemas/error.ts";
import {
  type ForgetBody,
  type ForgetPlan,
  type ForgetState,
  forgetBody,
  forgetChoice,
  forgetPlan,
  forgetReceipts,
  forgetState,
} from "../schemas/forget.ts";

export interface ForgetPorts {
  /** Throws `not_found` for an id that is not there. */
  plan(choice: ForgetChoice): Promise<ForgetPlan>;
  /** Begins in the background; throws `not_found` as `plan`, and `conflict` while another one runs. */
  start(body: ForgetBody): Promise<ForgetState>;
  state(): ForgetState;
  receipts(): ForgetReceipt[];
}

/** `POST /api/forget/plan`, `POST` and `GET /api/forget`, `GET /api/forget/receipts`. */
export function forgetRoutes(app: App, forget: ForgetPorts): void {
  route(app, "POST /api/forget/plan", {
    summary: "What a forget would delete. Deletes nothing.",
    body: forgetChoice,
    response: { 200: forgetPlan, ...changeErrors },
    handler: ({ body }) => forget.plan(body),
  });
  route(app, "POST /api/forget", {
    summary: "Delete many records. They can be restored together for 30 days, unless `forever` is true.",
    body: forgetBody,
    response: { 200: forgetState, ...changeErrors, 409: errorBody },
    handler: ({ body }) => forget.start(body),
  });
  route(app, "GET /api/forget", {
    summary: "Progress and result of the forget that runs, or of the last one.",
    response: { 200: forgetState, ...readErrors },
    handler: async () => forget.state(),
  });
  route(app, "GET /api/forget/receipts", {
    summary: "How much each forget deleted, newest first, without any content.",
    response: { 200: forgetReceipts, ...readErrors },
    handler: async () => ({ items: forget.receipts() }),
  });
}
