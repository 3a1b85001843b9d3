// The session routes of the local worker, on the server's store: init, observations, summarize, complete.
import type { App } from "../../plugins/zod.ts";
import {
  completeAnswer,
  completeBody,
  initAnswer,
  initBody,
  messageAnswer,
  observeBody,
  summarizeBody,
} from "../../schemas/session.ts";
import { keyedWriteErrors } from "../../schemas/v1-errors.ts";
import { callerOf } from "../authentication.ts";
import type { LegacyPorts } from "./ports.ts";
import { writes } from "./reads.ts";

type SessionPorts = Pick<LegacyPorts, "demandScope" | "intake">;

/** `/api/sessions/*`: what hooks and plugins post while an agent works. */
export function legacySessionRoutes(app: App, ports: SessionPorts): void {
  messageRoutes(app, ports);
  lifecycleRoutes(app, ports);
}

function messageRoutes(app: App, ports: SessionPorts): void {
  app.post(
    "/api/sessions/observations",
    {
      config: writes,
      schema: {
        summary: "Older: store one tool use and ask for records of it.",
        body: observeBody,
        response: { 200: messageAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { platformSource, tool_use_id, ...toolUse } = request.body;
      const scope = await ports.demandScope(callerOf(request), toolUse);
      return ports.intake(scope).observe({ ...toolUse, host: platformSource, eventKey: tool_use_id });
    },
  );
  app.post(
    "/api/sessions/summarize",
    {
      config: writes,
      schema: {
        summary: "Older: ask for a summary of a session.",
        body: summarizeBody,
        response: { 200: messageAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { platformSource, ...messages } = request.body;
      const scope = await ports.demandScope(callerOf(request), messages);
      return ports.intake(scope).summarize({ ...messages, host: platformSource });
    },
  );
}

function lifecycleRoutes(app: App, ports: SessionPorts): void {
  app.post(
    "/api/sessions/init",
    {
      config: writes,
      schema: {
        summary: "Older: begin or continue a session with a user prompt.",
        body: initBody,
        response: { 200: initAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { platformSource, ...prompt } = request.body;
      const scope = await ports.demandScope(callerOf(request), prompt);
      const answer = await ports.intake(scope).initSession({ ...prompt, host: platformSource });
      return { ...answer, status: answer.skipped ? ("skipped" as const) : ("initialized" as const) };
    },
  );
  app.post(
    "/api/sessions/complete",
    {
      config: writes,
      schema: {
        summary: "Older: mark a session completed.",
        body: completeBody,
        response: { 200: completeAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { claudeSessionId } = request.body;
      const scope = await ports.demandScope(callerOf(request), { claudeSessionId });
      return ports.intake(scope).complete({ claudeSessionId });
    },
  );
}
