// Stores a manual record, cleaned.

import { MemError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { HostedObservation, NewHostedObservation } from "../../core/records/hosted-record.ts";
import { type Caller, isId, type ProjectScope } from "../../core/records/tenancy.ts";
import type { NewMemory } from "../../http/schemas/v1-recall.ts";
import { cleanJson, cleanText } from "../../privacy/clean.ts";
import { addObservation } from "../../store/postgres/manual-observations.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { excerpt } from "../../text/excerpt.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";
import { storableJson, storableText } from "../../text/storable.ts";

interface Write {
  caller: Caller;
  scope: ProjectScope;
  memory: NewMemory;
  request_id: string;
}

/** Throws `not_found` for a session that the project does not have, `invalid_request` when nothing may be stored. */
export async function addMemory(
  app: Connections,
  { caller, scope, memory, request_id }: Write,
): Promise<HostedObservation> {
  const { serverSessionId: session_id = null } = memory;
  if (session_id !== null && !isId(session_id)) throw noSuchSession();
  const observation = draftOf(memory, scope, session_id);
  const stored = await addObservation(app, caller, {
    observation,
    audit: {
      team_id: scope.team_id,
      project_id: scope.project_id,
      api_key_id: caller.key_id,
      action: "observation.created",
      resource_type: "observation",
      resource_id: observation.id,
      details: {},
      request_id,
    },
  });
  if (stored === undefined) throw noSuchSession();
  return stored;
}

const maxTitleChars = 120;

function draftOf(
  { content, title, kind, type, metadata }: NewMemory,
  scope: ProjectScope,
  session_id: string | null,
): Omit<NewHostedObservation, "memory_epoch"> {
  const text = cleaned(content);
  if (text.trim() === "") {
    throw new MemError("invalid_request", { message: "`content`: all of it is private or secret" });
  }
  const named = cleaned(title ?? "").trim() || excerpt(text, maxTitleChars);
  const texts = { title: named, summary: named, narrative: text === named ? null : text, content: text };
  return {
    ...byHand(scope, { ...texts, obs_type: cleaned(type) }),
    session_id,
    kind: cleaned(kind),
    metadata: cleanedObject(metadata),
  };
}

type Texts = Pick<NewHostedObservation, "title" | "summary" | "narrative" | "content" | "obs_type">;

/** A record outside of sessions that no model made; its texts are cleaned. */
export function byHand(scope: ProjectScope, texts: Texts): Omit<NewHostedObservation, "memory_epoch"> {
  return {
    ...texts,
    ...scope,
    id: newId(),
    session_id: null,
    kind: "manual",
    subtitle: null,
    facts: [],
    concepts: [],
    files_read: [],
    files_modified: [],
    metadata: {},
    generator: "",
    provenance: "user",
    prompt_number: null,
    discovery_tokens: 0,
    generation_key: null,
    created_by_job_id: null,
    created_at_epoch: null,
    sources: [],
  };
}

export function cleaned(text: string): string {
  return cleanText(storableText(text));
}

function cleanedObject(metadata: JsonObject): JsonObject {
  const value = cleanJson(storableJson(metadata));
  return isJsonObject(value) ? value : {};
}

function noSuchSession(): MemError {
  return new MemError("not_found", {
    message: "The project has no such session.",
    hint: "Use the id that POST /v1/sessions/start answered; a record needs none.",
  });
}
