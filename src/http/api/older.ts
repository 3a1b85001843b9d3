// The older listing of routes: /health, /sessions and /observations, for integrations written against it.
import type { NotRecorded } from "../../capture/record-observation.ts";
import { MemError } from "../../core/errors.ts";
import type { Observation, Session } from "../../core/records/records.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import {
  observation,
  observationPage,
  type RecordObservation,
  recordObservationBody,
} from "../schemas/observation.ts";
import { initBody, notRecorded, renameBody, session, sessionPage } from "../schemas/session.ts";
import { type OlderHealth, olderHealth } from "../schemas/status.ts";
import { byIdRoute, type Paged, pageRoute, type Records } from "./records.ts";
import type { SessionIntake } from "./sessions.ts";

/** What the older routes need. */
export interface OlderPorts {
  intake: Pick<SessionIntake, "initSession">;
  olderHealth(): OlderHealth;
  sessions: Paged<Session> & {
    byId(id: number): Session | undefined;
    /** Sets the title; resolves to the session as it is now, or undefined when there is none. */
    rename(id: number, title: string): Promise<Session | undefined>;
  };
  observations: Records<Observation>;
  /** Stores a finished observation, cleaned like every other; opens its session when there is none; skipped when private. */
  recordObservation(input: RecordObservation): Promise<Observation | NotRecorded>;
}

/** `/health`, `/sessions`, `/sessions/:id`, `/observations`, `/observations/:id`. */
export function olderRoutes(app: App, ports: OlderPorts): void {
  app.get(
    "/health",
    { schema: { summary: "Older: is the worker there?", response: { 200: olderHealth, ...readErrors } } },
    () => ports.olderHealth(),
  );
  olderSessionRoutes(app, ports);

  pageRoute(app, "/observations", {
    summary: "Older: a page of observations, newest first.",
    page: observationPage,
    records: ports.observations,
  });
  byIdRoute(app, "/observations/:id", {
    summary: "Older: one observation.",
    noun: "observation",
    record: observation,
    records: ports.observations,
  });
  app.post(
    "/observations",
    {
      schema: {
        summary: "Older: record a finished observation, without the generator.",
        body: recordObservationBody,
        response: { 200: notRecorded, 201: observation, ...writeErrors, 409: errorBody },
      },
    },
    async ({ body }, reply) => {
      const answer = await ports.recordObservation(body);
      return "reason" in answer ? reply.code(200).send(answer) : reply.code(201).send(answer);
    },
  );
}

function olderSessionRoutes(app: App, { intake, sessions }: OlderPorts): void {
  pageRoute(app, "/sessions", {
    summary: "Older: a page of sessions, newest first.",
    page: sessionPage,
    records: sessions,
  });
  byIdRoute(app, "/sessions/:id", {
    summary: "Older: one session.",
    noun: "session",
    record: session,
    records: sessions,
  });
  app.post(
    "/sessions",
    {
      schema: {
        summary: "Older: begin or continue a session; answers its record.",
        body: initBody,
        response: { 200: session, ...writeErrors },
      },
    },
    async ({ body: { platformSource, ...prompt } }) => {
      const { sessionDbId } = await intake.initSession({ ...prompt, host: platformSource });
      return sessions.byId(sessionDbId) ?? noSession(sessionDbId);
    },
  );
  app.patch(
    "/sessions/:id",
    {
      schema: {
        summary: "Older: give a session a title.",
        params: idParams,
        body: renameBody,
        response: { 200: session, ...changeErrors },
      },
    },
    async ({ params, body }) => (await sessions.rename(params.id, body.title)) ?? noSession(params.id),
  );
}

function noSession(id: number): never {
  throw new MemError("not_found", {
    message: `There is no session ${id}.`,
    hint: "GET /sessions lists them.",
  });
}
