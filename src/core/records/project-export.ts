// The exported tables of a project: the fields of a line of each kind, in their order, and how each is stored.
import type { Json, JsonObject } from "../../text/json.ts";

/** What a field holds. `?` allows null. */
export interface FieldValues {
  id: string;
  /** A name that must not be empty. */
  name: string;
  text: string;
  "text?": string | null;
  /** Identifies a record to its sender: a text that may not be stored is replaced by its hash. */
  "key?": string | null;
  /** The host's name of a session; `session?` is that of the session that the record belongs to. */
  session: string;
  "session?": string | null;
  texts: string[];
  object: JsonObject;
  json: Json;
  /** Epoch milliseconds. */
  time: number;
  "time?": number | null;
  count: number;
  "count?": number | null;
  /** False where an older export does not have it. */
  flag: boolean;
  status: "active" | "completed";
}

export type FieldType = keyof FieldValues;

/** Sessions come first, since the other records name them. */
export const exportedFields = {
  session: {
    id: "id",
    contentSessionId: "session",
    platformSource: "text",
    agentId: "text?",
    agentType: "text?",
    title: "text?",
    status: "status",
    promptCount: "count",
    metadata: "object",
    startedAtEpoch: "time",
    lastActiveAtEpoch: "time",
    endedAtEpoch: "time?",
    lastGeneratedAtEpoch: "time?",
  },
  event: {
    id: "id",
    contentSessionId: "session?",
    sourceType: "name",
    sourceEventId: "key?",
    eventType: "name",
    platformSource: "text",
    payload: "json",
    metadata: "object",
    occurredAtEpoch: "time",
    receivedAtEpoch: "time",
  },
  observation: {
    id: "id",
    contentSessionId: "session?",
    kind: "name",
    type: "name",
    title: "text",
    subtitle: "text?",
    summary: "text",
    narrative: "text?",
    facts: "texts",
    concepts: "texts",
    filesRead: "texts",
    filesModified: "texts",
    content: "text",
    metadata: "object",
    generator: "text",
    provenance: "text",
    promptNumber: "count?",
    discoveryTokens: "count",
    generationKey: "key?",
    createdAtEpoch: "time",
    routine: "flag",
    ended: "flag",
  },
} as const satisfies Record<string, Record<string, FieldType>>;

export type ExportKind = keyof typeof exportedFields;

/** A record of an export, under the names of its columns. */
export type ExportRow<K extends ExportKind> = {
  -readonly [F in keyof (typeof exportedFields)[K] &
    string as ColumnName<F>]: (typeof exportedFields)[K][F] extends FieldType
    ? FieldValues[(typeof exportedFields)[K][F]]
    : never;
};

/** `startedAtEpoch` is `started_at_epoch`. */
export type ColumnName<F extends string> = F extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : F;

/** The same for a value. */
export function columnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** How many records of each kind. */
export interface ExportCounts {
  sessions: number;
  events: number;
  observations: number;
}
