// The legacy routes, which name a session by its row id: older integrations still post to them.
import type { Clock } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import type { Session } from "../../core/records/records.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, lookupErrors } from "../schemas/error.ts";
import { sessionDbIdParams } from "../schemas/fields.ts";
import {
  completeAnswer,
  legacyInitAnswer,
  legacyInitBody,
  legacyObserveBody,
  legacySummarizeBody,
  messageAnswer,
  sessionStatus,
} from "../schemas/session.ts";
import type { SessionIntake } from "./sessions.ts";

/** What the legacy routes need: they look the session up and post what the new routes post. */
export interface LegacySessionPorts {
  intake: SessionIntake;
  clock: Clock;
  sessions: {
    byId(id: number): Session | undefined;
    /** Messages of the session that wait or are being worked on. */
    queueLength(id: number): number;
  };
  address(): { port: number };
}

/** `/sessions/:sessionDbId/*`. */
export function legacySessionRoutes(app: App, ports: LegacySessionPorts): void {
  lifecycleRoutes(app, ports);
  messageRoutes(app, ports);
  statusRoute(app, ports);
}

function lifecycleRoutes(app: App, { intake, sessions, address }: LegacySessionPorts): void {
  app.post(
    "/sessions/:sessionDbId/init",
    {
      schema: {
        summary: "Legacy: store a user prompt of a session.",
        params: sessionDbIdParams,
        body: legacyInitBody,
        response: { 200: legacyInitAnswer, ...changeErrors },
      },
    },
    async ({ params, body }) => {
      const { claude_session_id: claudeSessionId } = existing(sessions, params.sessionDbId);
      const answer = await intake.initSession({
        claudeSessionId,
        prompt: body.userPrompt,
        promptNumber: body.promptNumber,
      });
      const status = answer.skipped ? ("skipped" as const) : ("initialized" as const);
      return { ...answer, status, port: address().port };
    },
  );

  app.post(
    "/sessions/:sessionDbId/complete",
    {
      schema: {
        summary: "Legacy: mark a session completed.",
        params: sessionDbIdParams,
        response: { 200: completeAnswer, ...changeErrors },
      },
    },
    ({ params }) => {
      const { claude_session_id: claudeSessionId } = existing(sessions, params.sessionDbId);
      return intake.complete({ claudeSessionId });
    },
  );
}

function messageRoutes(app: App, { intake, sessions }: LegacySessionPorts): void {
  app.post(
    "/sessions/:sessionDbId/observations",
    {
      schema: {
        summary: "Legacy: queue one tool use.",
        params: sessionDbIdParams,
        body: legacyObserveBody,
        response: { 200: messageAnswer, ...changeErrors },
      },
    },
    ({ params, body: { tool_use_id, ...toolUse } }) => {
      const { claude_session_id: claudeSessionId } = existing(sessions, params.sessionDbId);
      return intake.observe({ ...toolUse, claudeSessionId, eventKey: tool_use_id });
    },
  );

  app.post(
    "/sessions/:sessionDbId/summarize",
    {
      schema: {
        summary: "Legacy: queue a session summary.",
        params: sessionDbIdParams,
        body: legacySummarizeBody,
        response: { 200: messageAnswer, ...changeErrors },
      },
    },
    ({ params, body }) => {
      const { claude_session_id: claudeSessionId } = existing(sessions, params.sessionDbId);
      return intake.summarize({ ...body, claudeSessionId });
    },
  );
}

function statusRoute(app: App, { clock, sessions }: LegacySessionPorts): void {
  app.get(
    "/sessions/:sessionDbId/status",
    {
      schema: {
        summary: "Legacy: whether a session is active, and how much of it waits.",
        params: sessionDbIdParams,
        response: { 200: sessionStatus, ...lookupErrors },
      },
    },
    ({ params }) => {
      const session = existing(sessions, params.sessionDbId);
      const until = session.completed_at_epoch ?? clock.now();
      return {
        status: session.status,
        sessionDbId: session.id,
        project: session.project,
        queueLength: sessions.queueLength(session.id),
        uptime: Math.max(0, until - session.created_at_epoch),
      };
    },
  );
}

function existing(sessions: LegacySessionPorts["sessions"], id: number): Session {
  const session = sessions.byId(id);
  if (session !== undefined) return session;
  throw new MemError("not_found", {
    message: `There is no session ${id}.`,
    hint: "Begin one with POST /api/sessions/init; its answer carries sessionDbId.",
  });
}
