// What an operation of sync says about a record: its state as JSON, written from a row and read into one.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { observationStatuses, parseList, provenances } from "./records.ts";
import { reaches, speakers, statementKinds } from "./statement.ts";

/** Kinds of records that devices replicate. */
export const recordKinds = ["observation", "summary", "prompt", "session"] as const;
export type SyncedKind = (typeof recordKinds)[number];

/** Columns of a record by name, lists as JSON text. Undefined from `read*` means that the state is not valid. */
export type SyncedRow = Record<string, string | number | null>;

/** One column: its value in a payload, and back. */
interface Column {
  toJson(value: string | number | null): Json;
  /** Undefined when the value is not valid; a missing one is `undefined` itself. */
  fromJson(value: Json | undefined, clean: Clean): string | number | null | undefined;
}

/** Removes what is private from a text of another device, as intake does with a host's. */
export type Clean = (text: string) => string;

/** The payload of a row of the kind, with the label of its project that other devices know. */
export function payloadOf(kind: SyncedKind, row: SyncedRow): JsonObject {
  const state = Object.entries(columns[kind]).map(([name, { toJson }]) => [name, toJson(row[name] ?? null)]);
  return { ...Object.fromEntries(state), project: row.shared_project ?? row.project ?? null };
}

/** The columns that a payload has; the name of the first column that is not valid instead. */
export function rowOf(kind: SyncedKind, payload: JsonObject, clean: Clean): SyncedRow | string {
  const row: SyncedRow = {};
  for (const [name, { fromJson }] of Object.entries(columns[kind])) {
    const value = fromJson(payload[name], clean);
    if (value === undefined) return name;
    row[name] = value;
  }
  return row;
}

/** Names of the columns of a kind. */
export function syncedColumns(kind: SyncedKind): string[] {
  return Object.keys(columns[kind]);
}

// A record of this device is shorter: the bounds keep another device, or a hub, from filling this one.
const longText = 256_000;
const shortText = 2_000;
const mostEntries = 2_000;

const asIs = (value: string | number | null): Json => value;

/** A text; a missing one is `fallback`, or not valid without it. */
function text(max: number, fallback?: string): Column {
  return {
    toJson: asIs,
    fromJson: (value = fallback, clean) =>
      typeof value === "string" && value.length <= max ? clean(value) : undefined,
  };
}

/** An identifier, which is not cleaned: cleaning could change it. */
function name(fallback?: string): Column {
  return {
    toJson: asIs,
    fromJson: (value = fallback) =>
      typeof value === "string" && value.length <= shortText && !/\p{Cc}/u.test(value) ? value : undefined,
  };
}

function optional(column: Column): Column {
  return {
    toJson: asIs,
    fromJson: (value = null, clean) => (value === null ? null : column.fromJson(value, clean)),
  };
}

function list(max: number): Column {
  return {
    toJson: (value) => (typeof value === "string" ? parseList(value) : []),
    fromJson(value = [], clean) {
      if (!Array.isArray(value) || value.length > mostEntries) return undefined;
      const entries = value.map((entry) =>
        typeof entry === "string" && entry.length <= max ? clean(entry) : undefined,
      );
      return entries.includes(undefined) ? undefined : JSON.stringify(entries);
    },
  };
}

function integer(fallback?: number): Column {
  return {
    toJson: asIs,
    fromJson: (value = fallback) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
  };
}

const number: Column = {
  toJson: asIs,
  fromJson: (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined),
};

const flag: Column = {
  toJson: asIs,
  fromJson: (value = 0) => (value === 0 || value === 1 ? value : undefined),
};

function oneOf(values: readonly string[], fallback?: string): Column {
  return { toJson: asIs, fromJson: (value = fallback) => values.find((each) => each === value) };
}

const lists = {
  facts: list(longText),
  concepts: list(shortText),
  files_touched: list(shortText),
  files_read: list(shortText),
  files_modified: list(shortText),
};

// Left out by devices of an older version.
const place = { branch: optional(text(shortText)), git_commit: optional(name()) };

const columns: Record<SyncedKind, Record<string, Column>> = {
  observation: {
    sdk_session_id: name(),
    project: name(),
    obs_type: name(),
    title: text(shortText),
    subtitle: optional(text(longText)),
    summary: text(longText),
    narrative: optional(text(longText)),
    text: optional(text(longText)),
    ...lists,
    prompt_number: optional(integer()),
    generator: name("unknown"),
    provenance: oneOf(provenances),
    agent_id: optional(name()),
    agent_type: optional(name()),
    discovery_tokens: integer(0),
    created_at_epoch: integer(),
    status: oneOf(observationStatuses, "active"),
    pinned: flag,
    said_by: optional(oneOf(speakers)),
    statement_kind: optional(oneOf(statementKinds)),
    standing: flag,
    reach: oneOf(reaches, "project"),
    salience: optional(number),
    routine: flag,
    ...place,
  },
  summary: {
    sdk_session_id: name(),
    project: name(),
    summary_text: text(longText),
    request: optional(text(longText)),
    investigated: optional(text(longText)),
    learned: optional(text(longText)),
    completed: optional(text(longText)),
    next_steps: optional(text(longText)),
    notes: optional(text(longText)),
    ...lists,
    prompt_number: optional(integer()),
    generator: name("unknown"),
    created_at_epoch: integer(),
    ...place,
  },
  prompt: {
    claude_session_id: name(),
    sdk_session_id: name(),
    project: name(),
    prompt_number: integer(),
    prompt_text: text(longText),
    created_at_epoch: integer(),
    ...place,
  },
  session: {
    claude_session_id: name(),
    sdk_session_id: name(),
    project: name(),
    user_prompt: text(longText, ""),
    host: name(),
    title: optional(text(shortText)),
    created_at_epoch: integer(),
    last_active_at_epoch: integer(),
    ...place,
  },
};

/** A record by the device that made it and that device's number for it. */
export interface RecordName {
  /** Empty for this device. */
  device: string;
  kind: SyncedKind;
  origin_id: number;
}

/** The name as `<device>/<kind>/<number>`, the id of a mutation. */
export function nameText({ device, kind, origin_id }: RecordName): string {
  return `${device}/${kind}/${origin_id}`;
}

/** Undefined for a text that names no record. */
export function parseName(given: string): RecordName | undefined {
  const [, device, kindText, idText] = /^([A-Za-z0-9_-]{1,128})\/([a-z]+)\/(\d{1,16})$/.exec(given) ?? [];
  const kind = recordKinds.find((each) => each === kindText);
  const origin_id = Number(idText);
  if (device === undefined || kind === undefined || !Number.isSafeInteger(origin_id)) return undefined;
  return { device, kind, origin_id };
}

/** Fields of a payload that are no columns: what replaces an observation, and the commands that it is a fix for. */
export interface Links {
  superseded_by: RecordName | null;
  families: string[];
}

export function linksOf(payload: JsonObject): Links {
  const { superseded_by, families } = payload;
  return {
    superseded_by: (typeof superseded_by === "string" && parseName(superseded_by)) || null,
    families: Array.isArray(families)
      ? families.filter((family): family is string => typeof family === "string" && family.length <= 200)
      : [],
  };
}

/** True for the payload of a mutation that deletes its record. */
export function isGone(payload: Json): boolean {
  return isJsonObject(payload) && payload.gone === true;
}
