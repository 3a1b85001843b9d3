// Events in the store: one or a batch, each once per key and with its job; reads by id.
import { type Cleaner, cleanHere } from "../../capture/cleaner.ts";
import { createInTurn, type InTurn } from "../../capture/in-turn.ts";
import { MemError } from "../../core/errors.ts";
import { isId, type ProjectScope, type Tenant } from "../../core/records/tenancy.ts";
import type { EventBody, EventPorts, HowToRecord, Recorded } from "../../http/v1/events.ts";
import { demandProject, noSuchProject, type ProjectScopePorts } from "../../http/v1/project-scope.ts";
import { noSuchSession } from "../../http/v1/sessions.ts";
import { type BatchItem, batchItem, type NewEvent, type Written } from "../../store/postgres/event-batch.ts";
import type { EventWriter } from "../../store/postgres/event-writer.ts";
import { findEvents, observationsOfEvent, storeKeyedBatch } from "../../store/postgres/events.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { bodyHash, cleanBody, isLargeBody, newEventOf, requestKey } from "./new-event.ts";

interface EventDeps {
  app: Connections;
  writer: EventWriter;
  projects: ProjectScopePorts;
  cleaner?: Cleaner;
  inTurn?: InTurn;
  /** Hears how many events a call stored; repeated ones do not count. */
  onStored?(events: number): void;
}

type Recorder = Required<Omit<EventDeps, "projects">>;

/** No audit row per event: the event with its key's team and time is the record, and a row would double the cost. */
export function createEvents({ projects, ...given }: EventDeps): EventPorts {
  const recorder: Recorder = {
    cleaner: cleanHere,
    inTurn: createInTurn(),
    onStored: () => undefined,
    ...given,
  };
  const { app } = recorder;
  return {
    async record(caller, body, how) {
      const recorded = await recordBody(
        recorder,
        await demandProject(caller, body.projectId, projects),
        body,
        how,
      );
      return counted(recorder, [recorded])[0] ?? recorded;
    },
    async recordBatch(caller, bodies, { generate, key }) {
      if (key !== undefined) {
        const scopes = await Promise.all(
          bodies.map(({ projectId }) => demandProject(caller, projectId, projects)),
        );
        return counted(recorder, await recordKeyedBatch(recorder, scopes, bodies, { generate, key }));
      }
      const results = await Promise.all(
        bodies.map(async (body) => {
          try {
            const scope = await demandProject(caller, body.projectId, projects);
            return await recordBody(recorder, scope, body, { generate, key: undefined });
          } catch (cause) {
            return refusalOf(cause);
          }
        }),
      );
      // Nothing was stored: the client can retry the whole request.
      const [first] = results;
      const isServersFault = (result: unknown) => result instanceof MemError && result.status >= 500;
      if (first instanceof MemError && results.every(isServersFault)) throw first;
      return counted(recorder, results);
    },
    async find(caller, id) {
      const [found] = isId(id) ? await findEvents(app, caller, [id]) : [];
      return found;
    },
    async observations(caller, id) {
      return isId(id) ? observationsOfEvent(app, caller, id) : undefined;
    },
  };
}

function counted<R extends Recorded | MemError>({ onStored }: Recorder, results: R[]): R[] {
  const stored = results.filter((result) => !(result instanceof MemError) && !result.replayed).length;
  if (stored > 0) onStored(stored);
  return results;
}

async function newEvent(
  { cleaner }: Recorder,
  scope: ProjectScope,
  body: EventBody,
  how: HowToRecord,
): Promise<NewEvent> {
  const cleaned = cleanBody(cleaner, body);
  return newEventOf(scope, body, how, cleaned instanceof Promise ? await cleaned : cleaned);
}

function recordBody(
  recorder: Recorder,
  scope: ProjectScope,
  body: EventBody,
  how: HowToRecord,
): Promise<Recorded> {
  const record = async () => recordEvent(recorder, await newEvent(recorder, scope, body, how));
  const session = sessionIn(scope, body);
  return session === null ? record() : recorder.inTurn(session, isLargeBody(body), record);
}

async function recordEvent({ app, writer }: Recorder, event: NewEvent): Promise<Recorded> {
  const first = await recordedOf(app, event, await writer.write(event));
  if (first !== undefined) return first;
  // The event of its key was deleted meanwhile, or lost against a third one: one retry decides.
  const second = await recordedOf(app, event, await writer.write(event));
  if (second !== undefined) return second;
  throw new MemError("conflict", {
    message: "The event of this key was deleted.",
    hint: "Send it under another key, or without one.",
  });
}

/** Undefined when the event that it repeats is not found. */
async function recordedOf(
  app: Connections,
  event: NewEvent,
  written: Written,
): Promise<Recorded | undefined> {
  switch (written.outcome) {
    case "created":
      return createdOf(event, written);
    case "repeated": {
      const [stored] = await findEvents(app, event, [written.event_id]);
      return stored && { ...stored, replayed: true };
    }
    case "conflict":
      throw otherBody();
    case "no_session":
      throw noSuchSession();
    case "no_project":
      throw noSuchProject();
    case "busy":
      throw new MemError("storage_busy");
  }
}

async function recordKeyedBatch(
  recorder: Recorder,
  scopes: readonly ProjectScope[],
  bodies: readonly EventBody[],
  { generate, key }: { generate: boolean; key: string },
): Promise<(Recorded | MemError)[]> {
  const [scope] = scopes;
  if (scope === undefined || scopes.some(({ project_id }) => project_id !== scope.project_id)) {
    throw new MemError("invalid_request", {
      message: "With an Idempotency-Key all events of a batch belong to one project.",
    });
  }
  const how = { generate, key: undefined };
  const sessions = new Set(bodies.map((body) => sessionIn(scope, body)).filter((id) => id !== null));
  const store = async () =>
    storeBatch(recorder, scope, {
      events: await Promise.all(bodies.map((body) => newEvent(recorder, scope, body, how))),
      key,
    });
  // All batches wait for sessions in the same order, so two never wait for each other.
  const taken = [...sessions]
    .sort()
    .reduceRight((take, session) => () => recorder.inTurn(session, bodies.some(isLargeBody), take), store);
  return taken();
}

async function storeBatch(
  { app }: Recorder,
  scope: ProjectScope,
  { events, key }: { events: readonly NewEvent[]; key: string },
): Promise<(Recorded | MemError)[]> {
  // A refused event keeps its place and its reason, in every repetition too; the others are stored.
  const tried = events.map(itemOrRefusal);
  const items = tried.flatMap((item) => (item instanceof MemError ? [] : item));
  const batch = { key: requestKey(key), body_hash: bodyHash(events), items };
  const stored = await storeKeyedBatch(app, scope, batch);
  if (stored.outcome === "conflict") throw otherBody();
  const recorded =
    stored.outcome === "repeated"
      ? await replayed(app, scope, stored.event_ids)
      : await Promise.all(items.map(({ event }, index) => settled(app, event, stored.written[index])));
  const results = recorded.values();
  return tried.map((item) => (item instanceof MemError ? item : (results.next().value ?? otherBody())));
}

async function settled(
  app: Connections,
  event: NewEvent,
  written: Written | undefined,
): Promise<Recorded | MemError> {
  if (written === undefined) throw new MemError("internal", { message: "An event has no outcome." });
  const recorded = await recordedOf(app, event, written).catch(refusalOf);
  return recorded ?? otherBody();
}

async function replayed(
  app: Connections,
  tenant: Tenant,
  ids: readonly (string | null)[],
): Promise<(Recorded | MemError)[]> {
  const found = await findEvents(
    app,
    tenant,
    ids.filter((id) => id !== null),
  );
  const byId = new Map(found.map((stored) => [stored.event.id, stored]));
  return ids.map((id) => {
    const stored = id === null ? undefined : byId.get(id);
    return stored === undefined ? otherBody() : { ...stored, replayed: true };
  });
}

// Events without a session have no order.
function sessionIn({ project_id }: ProjectScope, body: EventBody): string | null {
  const { serverSessionId, sessionId, contentSessionId } = body;
  const session = serverSessionId ?? sessionId ?? contentSessionId;
  return session === undefined || session === null ? null : `${project_id} ${session}`;
}

function createdOf(event: NewEvent, written: Extract<Written, { outcome: "created" }>): Recorded {
  const at = written.stored_at_epoch;
  const { job_id } = event;
  return {
    event: { ...event, session_id: written.session_id, received_at_epoch: at },
    job:
      job_id === null
        ? null
        : {
            id: job_id,
            status: "queued",
            source_type: "agent_event",
            source_id: event.id,
            created_at_epoch: at,
            updated_at_epoch: at,
          },
    replayed: false,
  };
}

function itemOrRefusal(event: NewEvent): BatchItem | MemError {
  try {
    return batchItem(event);
  } catch (cause) {
    return refusalOf(cause);
  }
}

function otherBody(): MemError {
  return new MemError("conflict", {
    message: "The Idempotency-Key or `sourceEventId` was used for another event.",
    hint: "Repeat the first event, or use a new key.",
  });
}

function refusalOf(cause: unknown): MemError {
  if (cause instanceof MemError) return cause;
  throw cause;
}
