// Sessions of agents over HTTP: start, read, end.
import type * as z from "zod";
import { MemError } from "../../core/errors.ts";
import type { HostedSession, JobMention } from "../../core/records/hosted-event.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedLookupErrors, keyedWriteErrors } from "../schemas/error.ts";
import {
  anyIdParams,
  newSession,
  nothing,
  sessionAnswer,
  sessionEnded,
  v1JobMention,
  v1Session,
} from "../schemas/v1-jobs.ts";
import { callerOf } from "./authentication.ts";
import { onWire } from "./on-wire.ts";

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
      return reply.code(created ? 201 : 200).send({ session: onWire(v1Session, session) });
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
      return { session: onWire(v1Session, session) };
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
        session: onWire(v1Session, session),
        generationJob: job && onWire(v1JobMention, job),
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
