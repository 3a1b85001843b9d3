// Compatibility routes of the worker: /health, /sessions and /observations, for integrations that predate `/api`.
import type { NotRecorded } from "../../capture/record-observation.ts";
import { MemError } from "../../core/errors.ts";
import type { Observation, Session } from "../../core/records/records.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import {
  observation,
  observationPage,
  type RecordObservation,
  recordObservationBody,
} from "../schemas/records.ts";
import { initBody, notRecorded, renameBody, session } from "../schemas/session.ts";
import { type CompatibilityHealth, compatibilityHealth } from "../schemas/status.ts";
import { byIdRoute, pageRoute } from "./records.ts";
import type { ApiService, SessionIntake } from "./service.ts";

export interface CompatibilityPorts {
  intake: Pick<SessionIntake, "initSession">;
  health(): CompatibilityHealth;
  sessions: {
    byId(id: number): Session | undefined;
    /** Sets the title; resolves to the changed session, or undefined when there is none. */
    rename(id: number, title: string): Promise<Session | undefined>;
  };
  /** Stores a finished observation, cleaned; starts its session when there is none; skipped when private. */
  recordObservation(input: RecordObservation): Promise<Observation | NotRecorded>;
}

/** `/health`, `/sessions`, `/sessions/:id`, `/observations`, `/observations/:id`. */
export function compatibilityRoutes(app: App, service: ApiService, ports: CompatibilityPorts): void {
  route(app, "GET /health", {
    summary: "Health of the worker.",
    response: { 200: compatibilityHealth, ...readErrors },
    handler: () => ports.health(),
  });
  sessionRecordRoutes(app, service, ports);
  pageRoute(app, service, {
    url: "/observations",
    of: "observations",
    page: observationPage,
    read: ({ observations }) => observations.page,
  });
  byIdRoute(app, service, {
    url: "/observations/:id",
    noun: "observation",
    record: observation,
    find: ({ observations }) => observations.byId,
  });
  route(app, "POST /observations", {
    summary: "Record a finished observation, without the generator.",
    body: recordObservationBody,
    response: { 200: notRecorded, 201: observation, ...writeErrors, 409: errorBody },
    handler: async ({ body }, reply) => {
      const answer = await ports.recordObservation(body);
      return "reason" in answer ? reply.code(200).send(answer) : reply.code(201).send(answer);
    },
  });
}

function sessionRecordRoutes(app: App, service: ApiService, { intake, sessions }: CompatibilityPorts): void {
  byIdRoute(app, service, {
    url: "/sessions/:id",
    noun: "session",
    record: session,
    find: () => (id, project) => {
      const found = sessions.byId(id);
      return project === undefined || found?.project === project ? found : undefined;
    },
  });
  route(app, "POST /sessions", {
    summary: "Start or continue a session; answers its record.",
    body: initBody,
    response: { 200: session, ...writeErrors },
    handler: async ({ body: { platformSource, ...prompt } }) => {
      const { sessionDbId } = await intake.initSession({ ...prompt, host: platformSource });
      return sessions.byId(sessionDbId) ?? noSession(sessionDbId);
    },
  });
  route(app, "PATCH /sessions/:id", {
    summary: "Set the title of a session.",
    params: idParams,
    body: renameBody,
    response: { 200: session, ...changeErrors },
    handler: async ({ params, body }) =>
      (await sessions.rename(params.id, body.title)) ?? noSession(params.id),
  });
}

function noSession(id: number): never {
  throw new MemError("not_found", {
    message: `There is no session ${id}.`,
    hint: "GET /sessions lists them.",
  });
}
