// Session lifecycle: init, observations, summarize, complete; by the host's session id, or by the session's number.
import type { FastifyRequest } from "fastify";
import type * as z from "zod";
import type { PromptAnswer } from "../../capture/inputs.ts";
import { MemError } from "../../core/errors.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { sessionDbIdParams } from "../schemas/fields.ts";
import {
  completeAnswer,
  completeBody,
  initAnswer,
  initBody,
  messageAnswer,
  numberedInitAnswer,
  numberedInitBody,
  numberedObserveBody,
  numberedSummarizeBody,
  observeBody,
  sessionStatus,
  summarizeBody,
} from "../schemas/session.ts";
import { type ApiService, type NumberedSession, postRoute } from "./service.ts";

/** `/api/sessions/*`: posts of hooks and plugins while an agent works. */
export function sessionRoutes(app: App, service: ApiService): void {
  const at = (action: string) => ({
    service,
    url: `/api/sessions/${action}`,
    access: "write" as const,
  });
  postRoute(
    app,
    at("init"),
    { summary: "Start or continue a session with a user prompt.", input: initBody, answer: initAnswer },
    async ({ intake }, { platformSource, ...prompt }) =>
      initialized(await intake.initSession({ ...prompt, host: platformSource })),
  );
  postRoute(
    app,
    at("observations"),
    { summary: "Queue one tool use.", input: observeBody, answer: messageAnswer },
    ({ intake }, { platformSource, tool_use_id, ...toolUse }) =>
      intake.observe({ ...toolUse, host: platformSource, eventKey: tool_use_id }),
  );
  postRoute(
    app,
    at("summarize"),
    { summary: "Queue a session summary.", input: summarizeBody, answer: messageAnswer },
    ({ intake }, { platformSource, ...messages }) => intake.summarize({ ...messages, host: platformSource }),
  );
  postRoute(
    app,
    at("complete"),
    { summary: "Mark a session completed.", input: completeBody, answer: completeAnswer },
    ({ intake }, { claudeSessionId }) => intake.complete({ claudeSessionId }),
  );
}

/** `/sessions/:sessionDbId/*`: the legacy routes, which name a session by its number. */
export function numberedSessionRoutes(app: App, service: ApiService): void {
  numberedRoute(
    app,
    { service, action: "init" },
    {
      summary: "Store a user prompt of a session.",
      input: numberedInitBody,
      answer: numberedInitAnswer,
    },
    async ({ intake, session, port }, { userPrompt: prompt, promptNumber }) => {
      const { claude_session_id: claudeSessionId } = session;
      const answer = await intake.initSession({ claudeSessionId, prompt, promptNumber });
      return { ...initialized(answer), port };
    },
  );
  numberedRoute(
    app,
    { service, action: "observations" },
    { summary: "Queue one tool use of a session.", input: numberedObserveBody, answer: messageAnswer },
    ({ intake, session }, { tool_use_id, ...toolUse }) =>
      intake.observe({ ...toolUse, claudeSessionId: session.claude_session_id, eventKey: tool_use_id }),
  );
  numberedRoute(
    app,
    { service, action: "summarize" },
    { summary: "Queue a summary of a session.", input: numberedSummarizeBody, answer: messageAnswer },
    ({ intake, session }, messages) =>
      intake.summarize({ ...messages, claudeSessionId: session.claude_session_id }),
  );
  completeAndStatusRoutes(app, service);
}

function numberedRoute<Body, Answer>(
  app: App,
  { service, action }: { service: ApiService; action: string },
  { summary, input, answer }: { summary: string; input: z.ZodType<Body>; answer: z.ZodType<Answer> },
  answering: (of: NumberedSession & { port: number }, body: Body) => Promise<Answer>,
): void {
  route(app, `POST /sessions/:sessionDbId/${action}`, {
    ...service.access.write,
    summary,
    params: sessionDbIdParams,
    body: input,
    response: { 200: answer, ...service.errors.change },
    handler: async (request) => {
      const of = await demandSession(service, request, request.params.sessionDbId);
      return answering({ ...of, port: service.portsFor(request).port() }, request.body as Body);
    },
  });
}

function completeAndStatusRoutes(app: App, service: ApiService): void {
  route(app, "POST /sessions/:sessionDbId/complete", {
    ...service.access.write,
    summary: "Mark a session completed.",
    params: sessionDbIdParams,
    response: { 200: completeAnswer, ...service.errors.change },
    handler: async (request) => {
      const { intake, session } = await demandSession(service, request, request.params.sessionDbId);
      return intake.complete({ claudeSessionId: session.claude_session_id });
    },
  });
  route(app, "GET /sessions/:sessionDbId/status", {
    ...service.access.read,
    summary: "Status of a session, and how many of its messages wait.",
    params: sessionDbIdParams,
    response: { 200: sessionStatus, ...service.errors.lookup },
    handler: async (request) => {
      const { session, waiting } = await demandSession(service, request, request.params.sessionDbId);
      const until = session.completed_at_epoch ?? service.portsFor(request).now();
      return {
        status: session.status,
        sessionDbId: session.id,
        project: session.project,
        queueLength: waiting,
        uptime: Math.max(0, until - session.created_at_epoch),
      };
    },
  });
}

function initialized(answer: PromptAnswer) {
  return { ...answer, status: answer.skipped ? ("skipped" as const) : ("initialized" as const) };
}

async function demandSession(
  service: ApiService,
  request: FastifyRequest,
  id: number,
): Promise<NumberedSession> {
  const found = await service.portsFor(request).numberedSession(id);
  if (found !== undefined) return found;
  throw new MemError("not_found", {
    message: `There is no session ${id}.`,
    hint: "Start one with POST /api/sessions/init; its answer has sessionDbId.",
  });
}
