// Events of agents over HTTP: one or a batch in, each once per key; reads by id, with the records made of it.
import type { FastifyRequest } from "fastify";
import type * as z from "zod";
import { MemError } from "../../core/errors.ts";
import type { EventSource, EventWithJob, HostedEvent } from "../../core/records/hosted-event.ts";
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { inWordsOf } from "../plugins/errors.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedLookupErrors, keyedWriteErrors } from "../schemas/error.ts";
import {
  event,
  eventAnswer,
  eventCreated,
  eventObservations,
  eventsCreated,
  ingestQuery,
  newEvent,
  newEvents,
  observationOfEvent,
  sourceOfEvent,
} from "../schemas/v1-events.ts";
import { anyIdParams, v1JobMention } from "../schemas/v1-jobs.ts";
import { callerOf } from "./authentication.ts";
import { hostedErrorWords } from "./error-words.ts";
import { onWire } from "./on-wire.ts";

export type EventBody = z.output<typeof newEvent>;

/** A stored event; `replayed` when an earlier request stored it. */
export interface Recorded extends EventWithJob {
  replayed: boolean;
}

export interface HowToRecord {
  /** Queue a generation job for it. */
  generate: boolean;
  /** The request's Idempotency-Key. */
  key: string | undefined;
}

export interface EventPorts {
  /** Resolves once it is committed, with its job. Throws `not_found`, and `conflict` when its key means another one. */
  record(caller: Caller, body: EventBody, how: HowToRecord): Promise<Recorded>;
  /** One result per event, in order; with a key it is stored as a whole or, when it throws, not at all. */
  recordBatch(
    caller: Caller,
    bodies: readonly EventBody[],
    how: HowToRecord,
  ): Promise<(Recorded | MemError)[]>;
  find(caller: Caller, id: string): Promise<EventWithJob | undefined>;
  observations(
    caller: Caller,
    id: string,
  ): Promise<{ observation: HostedObservation; source: EventSource }[] | undefined>;
}

/** `POST /v1/events` and `/v1/events/batch`, `GET /v1/events/:id` and `/v1/events/:id/observations`. */
export function eventRoutes(app: App, events: EventPorts): void {
  ingestRoutes(app, events);
  route(app, "GET /v1/events/:id", {
    config: { access: "memories:read" },
    summary: "One event.",
    params: anyIdParams,
    response: { 200: eventAnswer, ...keyedLookupErrors },
    handler: async (request) => {
      const found = await events.find(callerOf(request), request.params.id);
      if (found === undefined) throw noSuchEvent();
      return { event: eventOnWire(found.event) };
    },
  });
  route(app, "GET /v1/events/:id/observations", {
    config: { access: "memories:read" },
    summary: "The records made of an event, oldest first.",
    params: anyIdParams,
    response: { 200: eventObservations, ...keyedLookupErrors },
    handler: async (request) => {
      const { id } = request.params;
      const found = await events.observations(callerOf(request), id);
      if (found === undefined) throw noSuchEvent();
      return { eventId: id, observations: found.map(observationOnWire) };
    },
  });
}

// `wait` changes nothing: the job is stored with the event, so every answer has it.
function ingestRoutes(app: App, events: EventPorts): void {
  route(app, "POST /v1/events", {
    config: { access: "memories:write" },
    summary: "Store an event, once per Idempotency-Key and `sourceEventId`, and queue its generation.",
    querystring: ingestQuery,
    readsHeaders: repeatable,
    body: newEvent,
    response: { 201: eventCreated, ...keyedWriteErrors },
    setsHeaders: {
      201: { "Idempotency-Replayed": "`true` when the event was stored before, by another request." },
    },
    handler: async (request, reply) => {
      const { generate } = request.query;
      const how = { generate, key: idempotencyKey(request) };
      const recorded = await events.record(callerOf(request), request.body, how);
      if (recorded.replayed) reply.header("idempotency-replayed", "true");
      return reply.code(201).send(recordedOnWire(recorded));
    },
  });
  route(app, "POST /v1/events/batch", {
    config: { access: "memories:write" },
    summary:
      "Store up to 500 events; one result for each, in order: the event, or its error. A batch with a malformed event is refused whole.",
    querystring: ingestQuery,
    readsHeaders: repeatable,
    body: newEvents,
    response: { 201: eventsCreated, ...keyedWriteErrors },
    handler: async (request, reply) => {
      const { generate } = request.query;
      const how = { generate, key: idempotencyKey(request) };
      const results = await events.recordBatch(callerOf(request), request.body.events, how);
      return reply.code(201).send({
        results: results.map((result) =>
          result instanceof MemError ? inWordsOf(hostedErrorWords, result).toBody() : recordedOnWire(result),
        ),
      });
    },
  });
}

const repeatable = {
  "Idempotency-Key":
    "1 to 255 visible ASCII characters. Within 48 hours the same key and body in a project are the same event or batch, stored once and answered again; another body under the key is a 409. Events of a batch with a key belong to one project.",
};

function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new MemError("invalid_request", {
    message: "Idempotency-Key must be one text of 1 to 255 visible ASCII characters without spaces.",
  });
}

function noSuchEvent(): MemError {
  return new MemError("not_found", {
    message: "There is no such event.",
    hint: "POST /v1/events answers the id of the event that it stored.",
  });
}

function recordedOnWire({ event, job }: EventWithJob) {
  return { event: eventOnWire(event), generationJob: job && onWire(v1JobMention, job) };
}

function eventOnWire(stored: HostedEvent) {
  return onWire(event, stored, { serverSessionId: stored.session_id });
}

function observationOnWire({ observation, source }: { observation: HostedObservation; source: EventSource }) {
  return onWire(observationOfEvent, observation, {
    serverSessionId: observation.session_id,
    type: observation.obs_type,
    source: onWire(sourceOfEvent, source),
  });
}
