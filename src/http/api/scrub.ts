// `mem scrub` over HTTP: applies today's redaction to stored records.
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors } from "../schemas/error.ts";
import { type ScrubBody, type ScrubState, scrubBody, scrubState } from "../schemas/scrub.ts";

export interface ScrubPorts {
  /** Begins in the background; throws `conflict` while another one runs. */
  start(body: ScrubBody): ScrubState;
  state(): ScrubState;
}

/** `POST` and `GET /api/scrub`. */
export function scrubRoutes(app: App, scrub: ScrubPorts): void {
  route(app, "POST /api/scrub", {
    summary: "Redact private tags and secrets, as mem knows them today, in everything stored before.",
    body: scrubBody,
    response: { 200: scrubState, ...changeErrors, 409: errorBody },
    handler: async ({ body }) => scrub.start(body),
  });
  route(app, "GET /api/scrub", {
    summary: "Progress and result of the scrub that runs, or of the last one.",
    response: { 200: scrubState, ...readErrors },
    handler: async () => scrub.state(),
  });
}
