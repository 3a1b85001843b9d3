// The routes that name a session by its number: the oldest integrations post to them. The number says the project too.
import type { FastifyRequest } from "fastify";
import { MemError } from "../../../core/errors.ts";
import type { App } from "../../plugins/zod.ts";
import { pageQuery, sessionDbIdParams } from "../../schemas/fields.ts";
import {
  completeAnswer,
  legacyInitAnswer,
  legacyInitBody,
  legacyObserveBody,
  legacySummarizeBody,
  messageAnswer,
  sessionPage,
  sessionStatus,
} from "../../schemas/session.ts";
import { keyedErrors, keyedLookupErrors, keyedWriteErrors } from "../../schemas/v1-errors.ts";
import { callerOf } from "../authentication.ts";
import type { LegacyPorts, LegacySession } from "./ports.ts";
import { reads, readWithin, writes } from "./reads.ts";

/** `/sessions/:sessionDbId/*`, and `GET /sessions`. */
export function numberedSessionRoutes(app: App, ports: LegacyPorts): void {
  lifecycleRoutes(app, ports);
  messageRoutes(app, ports);
  readRoutes(app, ports);
}

function lifecycleRoutes(app: App, ports: LegacyPorts): void {
  app.post(
    "/sessions/:sessionDbId/init",
    {
      config: writes,
      schema: {
        summary: "Older: store a user prompt of a session.",
        params: sessionDbIdParams,
        body: legacyInitBody,
        response: { 200: legacyInitAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { body } = request;
      const { session, scope } = await existing(ports, request, request.params.sessionDbId);
      const answer = await ports.intake(scope).initSession({
        claudeSessionId: session.claude_session_id,
        prompt: body.userPrompt,
        promptNumber: body.promptNumber,
      });
      const status = answer.skipped ? ("skipped" as const) : ("initialized" as const);
      return { ...answer, status, port: ports.port() };
    },
  );
  app.post(
    "/sessions/:sessionDbId/complete",
    {
      config: writes,
      schema: {
        summary: "Older: mark a session completed.",
        params: sessionDbIdParams,
        response: { 200: completeAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { session, scope } = await existing(ports, request, request.params.sessionDbId);
      return ports.intake(scope).complete({ claudeSessionId: session.claude_session_id });
    },
  );
}

function messageRoutes(app: App, ports: LegacyPorts): void {
  app.post(
    "/sessions/:sessionDbId/observations",
    {
      config: writes,
      schema: {
        summary: "Older: store one tool use and ask for records of it.",
        params: sessionDbIdParams,
        body: legacyObserveBody,
        response: { 200: messageAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { tool_use_id, ...toolUse } = request.body;
      const { session, scope } = await existing(ports, request, request.params.sessionDbId);
      const claudeSessionId = session.claude_session_id;
      return ports.intake(scope).observe({ ...toolUse, claudeSessionId, eventKey: tool_use_id });
    },
  );
  app.post(
    "/sessions/:sessionDbId/summarize",
    {
      config: writes,
      schema: {
        summary: "Older: ask for a summary of a session.",
        params: sessionDbIdParams,
        body: legacySummarizeBody,
        response: { 200: messageAnswer, ...keyedWriteErrors },
      },
    },
    async (request) => {
      const { session, scope } = await existing(ports, request, request.params.sessionDbId);
      return ports.intake(scope).summarize({ ...request.body, claudeSessionId: session.claude_session_id });
    },
  );
}

function readRoutes(app: App, ports: LegacyPorts): void {
  app.get(
    "/sessions/:sessionDbId/status",
    {
      config: reads,
      schema: {
        summary: "Older: whether a session is active, and how much of it waits.",
        params: sessionDbIdParams,
        response: { 200: sessionStatus, ...keyedLookupErrors },
      },
    },
    async (request) => {
      const { session, waiting } = await existing(ports, request, request.params.sessionDbId);
      const until = session.completed_at_epoch ?? ports.now();
      return {
        status: session.status,
        sessionDbId: session.id,
        project: session.project,
        queueLength: waiting,
        uptime: Math.max(0, until - session.created_at_epoch),
      };
    },
  );
  app.get(
    "/sessions",
    {
      config: reads,
      schema: {
        summary: "Older: a page of sessions, newest first.",
        querystring: pageQuery,
        response: { 200: sessionPage, ...keyedErrors },
      },
    },
    async (request) => {
      const { project, offset, limit } = request.query;
      const page = await readWithin(ports, request, {
        project,
        work: async (reach) =>
          reach === null ? { items: [], hasMore: false } : ports.sessions.page(reach, { offset, limit }),
        count: ({ items }) => items.length,
      });
      return { ...page, offset, limit };
    },
  );
}

async function existing(ports: LegacyPorts, request: FastifyRequest, id: number): Promise<LegacySession> {
  const reach = await ports.reach(callerOf(request), undefined);
  const found = reach === null ? undefined : await ports.sessions.byId(reach, id);
  if (found !== undefined) return found;
  throw new MemError("not_found", {
    message: `There is no session ${id}.`,
    hint: "Begin one with POST /api/sessions/init; its answer carries sessionDbId.",
  });
}
