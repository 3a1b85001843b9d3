// Session lifecycle: init, observations, summarize, complete.
import type { Intake } from "../../capture/inputs.ts";
import type { App } from "../plugins/zod.ts";
import { writeErrors } from "../schemas/error.ts";
import {
  completeAnswer,
  completeBody,
  initAnswer,
  initBody,
  messageAnswer,
  observeBody,
  summarizeBody,
} from "../schemas/session.ts";

/** Where prompts and messages go; each call resolves after what it stored is committed. */
export type SessionIntake = Pick<Intake, "initSession" | "observe" | "summarize" | "complete">;

/** `/api/sessions/*`: what hooks and plugins post while an agent works. */
export function sessionRoutes(app: App, intake: SessionIntake): void {
  messageRoutes(app, intake);
  lifecycleRoutes(app, intake);
}

function messageRoutes(app: App, intake: SessionIntake): void {
  app.post(
    "/api/sessions/observations",
    {
      schema: {
        summary: "Queue one tool use.",
        body: observeBody,
        response: { 200: messageAnswer, ...writeErrors },
      },
    },
    ({ body: { platformSource, tool_use_id, ...toolUse } }) =>
      intake.observe({ ...toolUse, host: platformSource, eventKey: tool_use_id }),
  );

  app.post(
    "/api/sessions/summarize",
    {
      schema: {
        summary: "Queue a session summary.",
        body: summarizeBody,
        response: { 200: messageAnswer, ...writeErrors },
      },
    },
    ({ body: { platformSource, ...messages } }) => intake.summarize({ ...messages, host: platformSource }),
  );
}

function lifecycleRoutes(app: App, intake: SessionIntake): void {
  app.post(
    "/api/sessions/init",
    {
      schema: {
        summary: "Begin or continue a session with a user prompt.",
        body: initBody,
        response: { 200: initAnswer, ...writeErrors },
      },
    },
    async ({ body: { platformSource, ...prompt } }) => {
      const answer = await intake.initSession({ ...prompt, host: platformSource });
      return { ...answer, status: answer.skipped ? ("skipped" as const) : ("initialized" as const) };
    },
  );

  app.post(
    "/api/sessions/complete",
    {
      schema: {
        summary: "Mark a session completed.",
        body: completeBody,
        response: { 200: completeAnswer, ...writeErrors },
      },
    },
    ({ body }) => intake.complete({ claudeSessionId: body.claudeSessionId }),
  );
}
