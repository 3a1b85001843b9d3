// Sessions of agents over HTTP: start, read, end.
import type * as z from "zod";
import { MemError } from "../../core/errors.ts";
import type { HostedSession, JobMention } from "../../core/records/hosted-event.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedLookupErrors, keyedWriteErrors } from "../schemas/error.ts";
import { anyIdParams, newSession, nothing, sessionAnswer, sessionEnded } from "../schemas/v1-jobs.ts";
import { callerOf } from "./authentication.ts";
import { jobMentionOnWire } from "./events.ts";

export type SessionBody = z.output<typeof newSession>;

export interface HostedSessionPorts {
  /** The session, and whether it is new. */
  start(caller: Caller, body: SessionBody): Promise<{ created: boolean; session: HostedSession }>;
  find(caller: Caller, id: string): Promise<HostedSession | undefined>;
  end(caller: Caller, id: string): Promise<{ session: HostedSession; job: JobMention | null } | undefined>;
}

/** `POST /v1/sessions/start`, `GET /v1/sessions/:id`, `POST /v1/sessions/:id/end`. */
export function hostedSessionRoutes(app: App, sessions: HostedSessionPorts): void {
  route(app, "POST /v1/sessions/start", {
    config: { access: "memories:write" },
    summary: "Start a session; 200 when the project already has one of that name.",
    body: newSession,
    response: { 200: sessionAnswer, 201: sessionAnswer, ...keyedWriteErrors },
    handler: async (request, reply) => {
      const { created, session } = await sessions.start(callerOf(request), request.body);
      return reply.code(created ? 201 : 200).send({ session: sessionOnWire(session) });
    },
  });
  route(app, "GET /v1/sessions/:id", {
    config: { access: "memories:read" },
    summary: "One session.",
    params: anyIdParams,
    response: { 200: sessionAnswer, ...keyedLookupErrors },
    handler: async (request) => {
      const session = await sessions.find(callerOf(request), request.params.id);
      if (session === undefined) throw noSuchSession();
      return { session: sessionOnWire(session) };
    },
  });
  route(app, "POST /v1/sessions/:id/end", {
    config: { access: "memories:write" },
    summary: "End a session and queue its summary; repeating it changes nothing.",
    params: anyIdParams,
    body: nothing,
    response: { 200: sessionEnded, ...keyedWriteErrors },
    handler: async (request) => {
      const ended = await sessions.end(callerOf(request), request.params.id);
      if (ended === undefined) throw noSuchSession();
      const { session, job } = ended;
      return {
        session: sessionOnWire(session),
        generationJob: job === null ? null : jobMentionOnWire(job),
      };
    },
  });
}

/** The same answer for an unknown session and one out of reach. */
export function noSuchSession(): MemError {
  return new MemError("not_found", {
    message: "There is no such session.",
    hint: "POST /v1/sessions/start begins one.",
  });
}

function sessionOnWire(session: HostedSession) {
  return {
    id: session.id,
    projectId: session.project_id,
    teamId: session.team_id,
    contentSessionId: session.content_session_id,
    agentId: session.agent_id,
    agentType: session.agent_type,
    platformSource: session.platform_source,
    title: session.title,
    status: session.status,
    metadata: session.metadata,
    startedAtEpoch: session.started_at_epoch,
    lastActiveAtEpoch: session.last_active_at_epoch,
    endedAtEpoch: session.ended_at_epoch,
    lastGeneratedAtEpoch: session.last_generated_at_epoch,
  };
}
