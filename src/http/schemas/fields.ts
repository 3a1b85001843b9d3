// Shared field definitions: numbers, ids, names, lists, times, flags, and alternative spellings.
import * as z from "zod";
import { modeWordId } from "../../core/records/mode.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";

/**
 * A whole number as a query carries it: digits only, so `-1`, `1.5`, `0x10`, `1e3` and the empty text fail; `fallback`
 * when it is left out.
 */
export function wholeNumberOr(fallback: number, min: number, max: number) {
  return z.preprocess(digitsAsNumber, bounded(min, max).default(fallback));
}

/** `{ id }` of a path. */
export const idParams = z.lazy(() => z.object({ id: rowId() }));

/** `{ sessionDbId }` of a path of the legacy routes. */
export const sessionDbIdParams = z.lazy(() => z.object({ sessionDbId: rowId() }));

/** A text of a query that may be left out; the empty text counts as left out. */
export function optionalText(maxLength = 4096) {
  return z
    .string()
    .max(maxLength)
    .transform((text) => (text === "" ? undefined : text))
    .optional();
}

/** `offset`, `limit` and `project` of the paged routes. */
export const pageQuery = z.lazy(() =>
  z.object({
    offset: wholeNumberOr(0, 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumberOr(20, 1, 100),
    project: optionalText(),
  }),
);

/** A page of observations, which also have a source. */
export const observationPageQuery = z.lazy(() =>
  z.object({
    ...pageQuery.unwrap().shape,
    source: optionalText(100).meta({ description: "Host agent of the session, such as codex." }),
  }),
);

/** `project` of the routes of one record. */
export const ofProjectQuery = z.lazy(() => z.object({ project: optionalText() }));

/** A page of `item`: `items`, whether more follow, and the window that was read. */
export function pageOf<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), hasMore: z.boolean(), offset: z.int(), limit: z.int() });
}

/** A comma list of a query as its entries, white space around them removed; at most 100. */
export function commaList() {
  return z.preprocess(
    (value) => (typeof value === "string" ? entriesOf(value) : value),
    z.array(z.string().max(4096)).max(100).default([]),
  );
}

/** An ISO date or time as epoch milliseconds. A bare date means its first instant in UTC, or its last for an end. */
export function isoTimestamp(edge: "start" | "end") {
  const error = "must be an ISO date or time, for example 2026-01-31 or 2026-01-31T12:00:00Z";
  return z
    .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], { error })
    .transform((text) => Date.parse(text) + (edge === "end" && text.length === 10 ? lastMsOfDay : 0))
    .optional();
}

/** Any JSON value, unchecked: it comes from JSON.parse. */
export function anyJson() {
  return z.custom<Json>();
}

/** A JSON object with any content. */
export function anyJsonObject() {
  return z.custom<JsonObject>(isJsonObject, "must be a JSON object");
}

/** The host's session identifier, in a body. */
export function claudeSessionId() {
  const error = "must be the host's session identifier, a text of 1 to 1024 characters";
  return z.string({ error }).min(1, { error }).max(1024, { error });
}

/** The list columns of observations and summaries as stored: JSON arrays of texts, as text. */
export function listsAsText() {
  const list = z.string().meta({ description: "A JSON array of strings, as text." });
  return { facts: list, concepts: list, files_touched: list, files_read: list, files_modified: list };
}

/** The list columns as arrays, as search and context answer them. */
export function listsParsed() {
  const list = z.array(z.string());
  return { facts: list, concepts: list, files_touched: list, files_read: list, files_modified: list };
}

/** Id of an observation type or concept: a standard one, or one of the active mode. */
export function modeWord() {
  const error = "must be an id such as bugfix or how-it-works: small letters, digits and hyphens, at most 48";
  return z.string({ error }).regex(modeWordId, { error });
}

/** A moment in epoch milliseconds. */
export function epochMs() {
  return z.int().meta({ description: "Epoch milliseconds." });
}

/** Where a record was made. */
export function gitPlace() {
  const outside = "null or left out outside of a git repository";
  return {
    branch: z
      .string()
      .nullable()
      .optional()
      .meta({ description: `Git branch; ${outside}.` }),
    commit: z
      .string()
      .nullable()
      .optional()
      .meta({ description: `Git commit; ${outside}.` }),
    merged: z.boolean().optional().meta({
      description: "False where it is of a git branch that is not merged into the reader's branch.",
    }),
  };
}

/** Sync columns of a replicated row. */
export function syncColumns() {
  return {
    synced_at: epochMs().nullable(),
    origin_device_id: z.string().nullable(),
    origin_local_id: z.int().nullable(),
    revision: z.int(),
  };
}

/**
 * A body whose fields have a second spelling: `spellings` maps it to the first one, which wins when both are sent.
 * A field sent as null counts as left out, but for those in `nullable`.
 */
export function bodyWithSpellings<S extends z.ZodType>(
  schema: S,
  spellings: Readonly<Record<string, string>>,
  nullable: readonly string[] = [],
) {
  return z.preprocess((body) => respelled(body, spellings, nullable), schema);
}

function rowId() {
  return z.preprocess(digitsAsNumber, bounded(1, Number.MAX_SAFE_INTEGER));
}

const lastMsOfDay = 86_400_000 - 1;

function bounded(min: number, max: number) {
  const error =
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, at least ${min}`
      : `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

const digits = /^(?:0|[1-9]\d{0,15})$/;

function digitsAsNumber(value: unknown): unknown {
  return typeof value === "string" && digits.test(value) ? Number(value) : value;
}

function entriesOf(list: string): string[] {
  return list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

// Most bodies use the first spelling and no null: they pass without a copy.
function respelled(
  body: unknown,
  spellings: Readonly<Record<string, string>>,
  nullable: readonly string[],
): unknown {
  if (!isJsonObject(body)) return body;
  for (const key in body) {
    if (Object.hasOwn(spellings, key) || (body[key] === null && !nullable.includes(key))) {
      return copyRespelled(body, spellings, nullable);
    }
  }
  return body;
}

function copyRespelled(
  body: JsonObject,
  spellings: Readonly<Record<string, string>>,
  nullable: readonly string[],
): JsonObject {
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    const first = Object.hasOwn(spellings, key) ? spellings[key] : undefined;
    const name = first ?? key;
    if (value === null && !nullable.includes(name)) continue;
    if (first !== undefined && Object.hasOwn(body, first) && body[first] !== null) continue;
    copy[name] = value;
  }
  return copy;
}

/** An id in a path, query or body: any text, since a malformed id is answered like an unknown one. */
export function anyId() {
  return z.string().max(4096);
}

/** `true` or `false` in a query, nothing else. */
export function flag(fallback = false, description?: string) {
  return z
    .enum(["true", "false"], { error: "must be true or false" })
    .meta(description === undefined ? {} : { description })
    .default(fallback ? "true" : "false")
    .transform((text) => text === "true");
}

/** A moment that the database can hold: from 1970 to the end of the year 9999. */
export function epochMsIn() {
  const error = "must be a time in epoch milliseconds";
  return z.int({ error }).min(0, { error }).max(253_402_300_799_999, { error }).meta({ description: error });
}

/** A name or kind chosen by the sender. */
export function word(maxLength: number) {
  return z.string().min(1).max(maxLength);
}

/** A moment of an answer, or null. */
export function epochMsOrNull() {
  return epochMs().nullable();
}
