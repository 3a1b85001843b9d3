// The lines of `mem export`: a header, one record a line, and an end with their number. A record is written from a row of
// the store and read into one, cleaned as intake cleans a host's texts.
import { cleanText } from "../../privacy/clean.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { storableText } from "../../text/storable.ts";
import { observationStatuses, parseList, provenances } from "./records.ts";
import { reaches, speakers, statementKinds } from "./statement.ts";

export const exportFormat = "mem-export";
export const exportVersion = 1;

/** The first line. */
export interface ExportHeader {
  format: typeof exportFormat;
  version: number;
  /** The version of mem that wrote it. */
  product: string;
  /** Where only a part was exported. */
  project?: string;
  since_epoch?: number;
  /** Id of the device in sync: its records have this id and their number on all devices. */
  device?: string;
  /** Lines between this one and the end. */
  records: number;
}

/** Kinds of lines between the header and the end, in the order of the file. */
export const exportKinds = [
  "project",
  "session",
  "prompt",
  "observation",
  "replacement",
  "summary",
  "deleted",
] as const;
export type ExportKind = (typeof exportKinds)[number];

/**
 * Begins the key of a prompt that another memory recorded. The host's prompt has another key: it is the same one if its
 * session and its words are, within a minute.
 */
export const foreignPrompt = "foreign:";

/** A row under the names of its columns; lists are JSON text. */
export type ExportRow = Record<string, string | number | null>;

/** A line that was read. */
export interface ExportedRecord {
  type: ExportKind;
  row: ExportRow;
  /** The device of the header, which the reader of the file puts into each line. */
  device?: string;
}

export type ExportCounts = Record<ExportKind, number>;

export function noRecords(): ExportCounts {
  return Object.fromEntries(exportKinds.map((kind) => [kind, 0])) as ExportCounts;
}

/** The line of a row. */
export function exportLine(type: ExportKind, row: ExportRow): string {
  const fields = Object.entries(exportedFields[type]).map(([name, field]) => [
    name,
    fieldTypes[field].toJson(row[name] ?? null),
  ]);
  return JSON.stringify({ type, ...Object.fromEntries(fields) });
}

/** The record of a parsed line, or what is wrong with it. */
export function readExportLine(line: Json): ExportedRecord | { fault: string } {
  if (!isJsonObject(line)) return { fault: "It is not a JSON object." };
  const type = exportKinds.find((kind) => kind === line.type);
  if (type === undefined) return { fault: `It has no known \`type\`: ${exportKinds.join(", ")}.` };
  const row: ExportRow = {};
  for (const [name, field] of Object.entries(exportedFields[type])) {
    const value = fieldTypes[field].read(line[name]);
    if (value === undefined) return { fault: `Its \`${name}\` is missing or not valid.` };
    row[name] = value;
  }
  return typeof line.device === "string" ? { type, row, device: line.device } : { type, row };
}

interface FieldKind {
  toJson(value: string | number | null): Json;
  /** The value of the column; undefined when it is not valid. */
  read(value: Json | undefined): string | number | null | undefined;
}

const largestTime = 253_402_300_799_999;

const fieldTypes = {
  id: { toJson: asIs, read: wholeUpTo(Number.MAX_SAFE_INTEGER) },
  /** Identifies something; not cleaned, which could change it. */
  name: { toJson: asIs, read: readName },
  "name?": { toJson: asIs, read: orNull(readName) },
  text: { toJson: asIs, read: readText },
  "text?": { toJson: asIs, read: orNull(readText) },
  texts: { toJson: (value) => parseList(String(value ?? "[]")), read: readTexts },
  count: { toJson: asIs, read: wholeUpTo(2 ** 31 - 1) },
  "count?": { toJson: asIs, read: orNull(wholeUpTo(2 ** 31 - 1)) },
  time: { toJson: asIs, read: wholeUpTo(largestTime) },
  "time?": { toJson: asIs, read: orNull(wholeUpTo(largestTime)) },
  "number?": {
    toJson: asIs,
    read: orNull((value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)),
  },
  flag: {
    toJson: (value) => value === 1,
    read: (value = false) => (typeof value === "boolean" ? Number(value) : undefined),
  },
  blobs: { toJson: (value) => JSON.parse(String(value ?? "[]")) as Json, read: readBlobs },
  state: oneOf(["active", "completed"]),
  status: oneOf(observationStatuses),
  provenance: oneOf(provenances),
  "statementKind?": { toJson: asIs, read: orNull(oneOf(statementKinds).read) },
  "speaker?": { toJson: asIs, read: orNull(oneOf(speakers).read) },
  reach: oneOf(reaches),
  recordKind: oneOf(["observation", "summary", "prompt"]),
} as const satisfies Record<string, FieldKind>;

type FieldType = keyof typeof fieldTypes;

const lists = {
  facts: "texts",
  concepts: "texts",
  files_touched: "texts",
  files_read: "texts",
  files_modified: "texts",
} as const;

const place = { branch: "text?", git_commit: "name?" } as const;

/** The fields of a line of each kind, in their order. Projects and sessions come first: records name them. */
export const exportedFields = {
  project: { label: "text", folder: "text?", identities: "texts", aliases: "texts" },
  session: {
    id: "id",
    claude_session_id: "name",
    sdk_session_id: "name",
    project: "text",
    user_prompt: "text",
    host: "name",
    cwd: "text?",
    title: "text?",
    status: "state",
    prompt_count: "count",
    newest_prompt: "count",
    newest_prompt_key: "name?",
    newest_prompt_at_epoch: "time",
    prompt_private: "flag",
    trusts_numbers: "flag",
    created_at_epoch: "time",
    last_active_at_epoch: "time",
    completed_at_epoch: "time?",
    ...place,
    /** Until when the records stand for the session's events: null where another memory wrote them. */
    represented_until_epoch: "time?",
  },
  prompt: {
    id: "id",
    claude_session_id: "name",
    sdk_session_id: "name",
    project: "text",
    prompt_number: "count",
    prompt_text: "text",
    private: "flag",
    event_key: "name",
    created_at_epoch: "time",
    ...place,
  },
  observation: {
    id: "id",
    key: "name",
    claude_session_id: "name?",
    sdk_session_id: "name",
    project: "text",
    obs_type: "name",
    title: "text",
    subtitle: "text?",
    summary: "text",
    narrative: "text?",
    text: "text?",
    ...lists,
    prompt_number: "count?",
    generator: "name",
    provenance: "provenance",
    agent_id: "name?",
    agent_type: "name?",
    discovery_tokens: "count",
    created_at_epoch: "time",
    upgrade: "flag",
    status: "status",
    pinned: "flag",
    said_by: "speaker?",
    statement_kind: "statementKind?",
    standing: "flag",
    reach: "reach",
    salience: "number?",
    routine: "flag",
    ...place,
    families: "texts",
    blobs: "blobs",
  },
  /** `by` replaces an observation; both are keys. */
  replacement: { key: "name", by: "name" },
  summary: {
    id: "id",
    key: "name",
    claude_session_id: "name?",
    sdk_session_id: "name",
    project: "text",
    summary_text: "text",
    request: "text?",
    investigated: "text?",
    learned: "text?",
    completed: "text?",
    next_steps: "text?",
    notes: "text?",
    ...lists,
    prompt_number: "count?",
    generator: "name",
    created_at_epoch: "time",
    upgrade: "flag",
    ...place,
  },
  deleted: {
    id: "id",
    kind: "recordKind",
    key: "name",
    sdk_session_id: "name",
    deleted_at_epoch: "time",
    title_key: "name?",
    is_statement: "flag",
    /** Of a prompt: hashes as which an import of transcripts may bring it, and when. */
    delivery_key: "name?",
    asked_at_epoch: "time?",
  },
} as const satisfies Record<ExportKind, Record<string, FieldType>>;

function asIs(value: string | number | null): Json {
  return value;
}

function readName(value: Json | undefined): string | undefined {
  return typeof value === "string" ? storableText(value) : undefined;
}

function readText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? cleanText(storableText(value)) : undefined;
}

function readTexts(value: Json | undefined = []): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(readText);
  return texts.includes(undefined) ? undefined : JSON.stringify(texts);
}

function wholeUpTo(max: number): FieldKind["read"] {
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max ? value : undefined;
}

function orNull(read: FieldKind["read"]): FieldKind["read"] {
  return (value = null) => (value === null ? null : read(value));
}

function oneOf(values: readonly string[]): FieldKind {
  return { toJson: asIs, read: (value) => values.find((each) => each === value) };
}

// The git blob of a file when the observation was stored.
function readBlobs(value: Json | undefined = []): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const blobs = value.map(readBlob);
  return blobs.includes(undefined) ? undefined : JSON.stringify(blobs);
}

function readBlob(value: Json): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const [path, place] = [readText(value.path), readText(value.place)];
  const { blob_id, size, mtime_ns = null, spans = null } = value;
  if (path === undefined || place === undefined) return undefined;
  if (typeof blob_id !== "string" || typeof size !== "number" || !Number.isInteger(size)) return undefined;
  return isTextOrNull(mtime_ns) && isTextOrNull(spans)
    ? { path, place, blob_id, size, mtime_ns, spans }
    : undefined;
}

function isTextOrNull(value: Json): value is string | null {
  return value === null || typeof value === "string";
}
