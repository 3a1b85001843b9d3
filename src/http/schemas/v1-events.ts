// Wire shapes of the hosted server's events, as sent and as stored.
import * as z from "zod";
import { anyId, anyJson, anyJsonObject, epochMs, epochMsIn, flag, word } from "./fields.ts";
import { v1JobMention } from "./v1-jobs.ts";

/** Query of the routes that take events. */
export const ingestQuery = z.lazy(() =>
  z.strictObject({
    generate: flag(true, "Whether records are to be made of it; false stores it and queues no job."),
    wait: flag(
      false,
      "Asks for `generationJob` in the reply; it is always there, unless `generate` is false. The reply does not wait for the job: GET /v1/jobs/{id} returns its state.",
    ),
  }),
);

/** Body of `POST /v1/events`. */
export const newEvent = z.lazy(() => z.strictObject(eventFields()));

/** Body of `POST /v1/events/batch`: the events, as a list or under `events`. */
export const newEvents = z.lazy(() => {
  const error = "must be a list of 1 to 500 events";
  const list = z.array(z.strictObject(eventFields()), { error }).min(1, { error }).max(500, { error });
  return z.preprocess(
    (body) => (Array.isArray(body) ? { events: body } : body),
    z.strictObject({ events: list }),
  );
});

/** An event as stored. */
export const event = z.lazy(() =>
  z
    .object({
      id: z.string(),
      projectId: z.string(),
      teamId: z.string(),
      serverSessionId: z.string().nullable(),
      sourceType: z.string(),
      sourceEventId: z.string().nullable(),
      eventType: z.string(),
      platformSource: z.string(),
      payload: anyJson(),
      metadata: anyJsonObject(),
      occurredAtEpoch: epochMs(),
      receivedAtEpoch: epochMs(),
    })
    .meta({ id: "V1Event" }),
);

export const eventAnswer = z.lazy(() => z.object({ event }));

/** Answer of `POST /v1/events`: `generationJob` is null when nothing is to be generated. */
export const eventCreated = z.lazy(() => z.object(createdFields()));

/** Answer of the batch: one result per event, in order. */
export const eventsCreated = z.lazy(() =>
  z.object({
    results: z.array(
      z.union([
        z.object(createdFields()),
        z.object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }) }),
      ]),
    ),
  }),
);

/** Observations generated from an event. */
export const eventObservations = z.lazy(() =>
  z.object({ eventId: z.string(), observations: z.array(observationOfEvent) }),
);

export const observationOfEvent = z.lazy(() =>
  z.object({
    id: z.string(),
    projectId: z.string(),
    teamId: z.string(),
    serverSessionId: z.string().nullable(),
    kind: z.string(),
    type: z.string(),
    title: z.string(),
    content: z.string(),
    metadata: anyJsonObject(),
    createdAtEpoch: epochMs(),
    updatedAtEpoch: epochMs(),
    source: sourceOfEvent,
  }),
);

export const sourceOfEvent = z.lazy(() =>
  z.object({
    id: z.string(),
    sourceType: z.string(),
    sourceId: z.string(),
    generationJobId: z.string().nullable(),
    createdAtEpoch: epochMs(),
  }),
);

function createdFields() {
  return { event, generationJob: v1JobMention.nullable() };
}

function eventFields() {
  return {
    projectId: anyId().optional(),
    sourceType: z.enum(["hook", "worker", "provider", "server", "api"]),
    eventType: word(200).meta({
      description:
        "`tool_use` with the payload `{tool_name, tool_input, tool_response}` is what a tool did, `user_prompt` with `{prompt}` what a person asked, `stop` with `{last_assistant_message}` the end of a turn; `session_end` ends an unfinished turn; any other word is the name of what was done, and its payload what is known of it.",
    }),
    occurredAtEpoch: epochMsIn(),
    contentSessionId: word(512).optional(),
    sessionId: anyId().optional(),
    serverSessionId: anyId().optional(),
    platformSource: z.string().max(100).optional(),
    sourceEventId: word(255).optional(),
    payload: anyJson().optional(),
    metadata: anyJsonObject().optional(),
  };
}
