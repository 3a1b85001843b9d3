// Turns an event's body into a row: private parts and secrets removed, ids and idempotency keys added.
import { cleanKey } from "../../capture/clean-input.ts";
import { type Cleaner, cleanHere, isLarge, withCleaned } from "../../capture/cleaner.ts";
import { contentKey, newId } from "../../core/ids.ts";
import { isId, type ProjectScope } from "../../core/records/tenancy.ts";
import { isOwnRead } from "../../core/tools/event-message.ts";
import type { EventBody } from "../../http/v1/events.ts";
import { noSuchSession } from "../../http/v1/sessions.ts";
import { cleanJson, cleanText } from "../../privacy/clean.ts";
import type { NewEvent } from "../../store/postgres/event-batch.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { storableJson, storableText } from "../../text/storable.ts";

/** Payload and metadata of an event, cleaned. */
export interface CleanBody {
  payload: Json;
  metadata: Json;
}

export function cleanBody({ json }: Pick<Cleaner, "json">, body: EventBody): CleanBody | Promise<CleanBody> {
  const parts = [json(storableJson(body.payload ?? null)), json(storableJson(body.metadata ?? {}))] as const;
  return withCleaned(parts, (payload, metadata) => ({ payload, metadata }));
}

/** True when a thread cleans it. */
export function isLargeBody({ payload = null, metadata = {} }: EventBody): boolean {
  return isLarge({ payload, metadata });
}

/** The event of a body. Throws `not_found` for a session that no project can have. */
export function newEventOf(
  scope: ProjectScope,
  body: EventBody,
  { generate, key }: { generate: boolean; key: string | undefined },
  { payload, metadata } = cleanBody(cleanHere, body) as CleanBody,
): NewEvent {
  const session_id = body.serverSessionId ?? body.sessionId ?? null;
  if (session_id !== null && !isId(session_id)) throw noSuchSession();
  // Hot path, so field by field: spreading objects costs more than the cleaning.
  const event: NewEvent = {
    id: newId(),
    team_id: scope.team_id,
    project_id: scope.project_id,
    keys: [],
    body_hash: null,
    session_id,
    content_session_id: keyOf(body.contentSessionId),
    new_session_id: newId(),
    source_type: body.sourceType,
    source_event_id: keyOf(body.sourceEventId),
    event_type: wordOf(body.eventType),
    platform_source: wordOf(body.platformSource ?? ""),
    payload,
    metadata: isJsonObject(metadata) ? metadata : {},
    occurred_at_epoch: body.occurredAtEpoch,
    job_id:
      generate && !isOwnRead({ event_type: body.eventType, payload: body.payload ?? null }) ? newId() : null,
  };
  const { source_type, source_event_id } = event;
  if (key !== undefined) event.keys.push(requestKey(key));
  if (source_event_id !== null) event.keys.push(`source:${source_type}:${source_event_id}`);
  if (event.keys.length > 0) event.body_hash = bodyHash([event]);
  return event;
}

/** The name under which an `Idempotency-Key` is remembered. */
export function requestKey(key: string): string {
  return `key:${key}`;
}

/** Equal for bodies that store the same, in any field order. */
export function bodyHash(events: readonly NewEvent[]): string {
  return contentKey(...events.map(contentText));
}

/** A sender's JSON object, cleaned. */
export function cleanObject(value: JsonObject): JsonObject {
  const cleaned = cleanValue(value);
  return isJsonObject(cleaned) ? cleaned : {};
}

/** A sender's JSON value, cleaned. */
export function cleanValue(value: Json): Json {
  return cleanJson(storableJson(value));
}

/** A storable key; a key with private parts or secrets is replaced by its hash. */
export function keyOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const storable = storableText(text);
  return storable === "" ? null : cleanKey(storable);
}

function wordOf(text: string): string {
  return cleanText(storableText(text));
}

// The sender's fields, without those the server adds.
function contentText(event: NewEvent): string {
  return canonicalText({
    session_id: event.session_id,
    content_session_id: event.content_session_id,
    source_type: event.source_type,
    source_event_id: event.source_event_id,
    event_type: event.event_type,
    platform_source: event.platform_source,
    payload: event.payload,
    metadata: event.metadata,
    occurred_at_epoch: event.occurred_at_epoch,
  });
}

function canonicalText(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] ?? null)}`).join(",")}}`;
}
