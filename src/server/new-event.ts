// From an event's body to what is stored: private parts and secrets gone, ids given, repeats made recognisable.
import { cleanKey } from "../capture/clean-input.ts";
import { cleanJson, cleanText } from "../domain/clean.ts";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import { storableJson, storableText } from "../domain/storable.ts";
import { isId, type ProjectScope } from "../domain/tenancy.ts";
import type { EventBody } from "../http/v1/events.ts";
import { noSuchSession } from "../http/v1/sessions.ts";
import { contentKey, newId } from "../ids.ts";
import type { NewEvent } from "../store/postgres/event-batch.ts";

/** The event of a body. Throws `not_found` for a session that no project can have. */
export function newEventOf(
  scope: ProjectScope,
  body: EventBody,
  { generate, key }: { generate: boolean; key: string | undefined },
): NewEvent {
  const session_id = body.serverSessionId ?? body.sessionId ?? null;
  if (session_id !== null && !isId(session_id)) throw noSuchSession();
  const content = {
    session_id,
    content_session_id: keyOf(body.contentSessionId),
    source_type: body.sourceType,
    source_event_id: keyOf(body.sourceEventId),
    event_type: wordOf(body.eventType),
    platform_source: wordOf(body.platformSource ?? ""),
    payload: cleanJson(storableJson(body.payload ?? null)),
    metadata: cleanObject(body.metadata ?? {}),
    occurred_at_epoch: body.occurredAtEpoch,
  };
  const keys = [
    ...(key === undefined ? [] : [requestKey(key)]),
    ...(content.source_event_id === null ? [] : [`source:${content.source_type}:${content.source_event_id}`]),
  ];
  return {
    ...scope,
    ...content,
    id: newId(),
    keys,
    body_hash: keys.length === 0 ? null : contentKey(canonicalText(content)),
    new_session_id: newId(),
    job_id: generate ? newId() : null,
  };
}

/** The name under which an `Idempotency-Key` is remembered. */
export function requestKey(key: string): string {
  return `key:${key}`;
}

/** The same for all bodies that store the same, whatever the order of their fields. */
export function bodyHash(events: readonly NewEvent[]): string {
  return contentKey(
    ...events.map(({ id: _, keys: __, body_hash: ___, new_session_id: ____, job_id: _____, ...content }) =>
      canonicalText({ ...content }),
    ),
  );
}

/** A JSON object of a sender's, as it may be stored. */
export function cleanObject(value: JsonObject): JsonObject {
  const cleaned = cleanJson(storableJson(value));
  return isJsonObject(cleaned) ? cleaned : {};
}

/** A text that tells things apart, as it may be stored; what may not be is replaced by its hash. */
export function keyOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const storable = storableText(text);
  return storable === "" ? null : cleanKey(storable);
}

function wordOf(text: string): string {
  return cleanText(storableText(text));
}

function canonicalText(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] ?? null)}`).join(",")}}`;
}
