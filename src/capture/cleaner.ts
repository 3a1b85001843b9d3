// Cleans the texts of events, in this process or in a thread for large ones.
import { shortenJson } from "../core/shorten.ts";
import { requestIn } from "../core/tools/host-text.ts";
import {
  type Clean,
  type CleanPrompt,
  cleanJson,
  cleanPayload,
  cleanPrompt,
  cleanText,
} from "../privacy/clean.ts";
import { cleanRow, type StoredRow } from "../privacy/clean-row.ts";
import type { Json, JsonObject } from "../text/json.ts";

/** Small values are returned immediately, without a promise. */
export interface Cleaner {
  text(text: string): Clean<string> | Promise<Clean<string>>;
  /** The user's request; empty for a prompt that is private, or that a host wrote. */
  prompt(text: string): CleanPrompt | Promise<CleanPrompt>;
  payload(payload: JsonObject): Clean<JsonObject> | Promise<Clean<JsonObject>>;
  /** Cut to `maxChars` after cleaning: a cut could remove a private tag's opening and keep its content. */
  json(value: Json, maxChars?: number): Json | Promise<Json>;
  /** The columns of a stored row that change; null when none does. */
  row(row: StoredRow): RowChange | Promise<RowChange>;
}

type RowChange = Record<string, string> | null;

export const cleanHere = {
  text: (text: string): Clean<string> => cleanText(text),
  // Cleaned first: a private part can begin in what a host put around the prompt.
  prompt(text: string): CleanPrompt {
    const cleaned = cleanPrompt(text);
    return { ...cleaned, text: requestIn(cleaned.text) as Clean<string> };
  },
  row: cleanRow,
  payload: cleanPayload,
  json(value: Json, maxChars?: number): Json {
    const cleaned = cleanJson(value);
    return maxChars === undefined ? cleaned : shortenJson(cleaned, maxChars);
  },
} satisfies Cleaner;

/** A call of a cleaner's method, for the thread. */
export interface CleanTask {
  as: keyof Cleaner;
  given: unknown[];
}

/** A message to the thread, which answers with the same number. */
export interface CleanRequest {
  call: number;
  /** A `CleanTask` as JSON: copying a value of many small parts takes three times as long as serializing it. */
  task: string;
}

export interface CleanAnswer {
  call: number;
  cleaned: unknown;
}

export function cleanedBy({ as, given }: CleanTask): unknown {
  return (cleanHere[as] as (...given: unknown[]) => unknown)(...given);
}

/** Continues with all cleaned values, immediately if there is nothing to wait for. */
export function withCleaned<T extends readonly unknown[], R>(
  values: readonly [...T],
  next: (...cleaned: { [N in keyof T]: Awaited<T[N]> }) => R,
): R | Promise<R> {
  type All = { [N in keyof T]: Awaited<T[N]> };
  if (values.some((value) => value instanceof Promise))
    return Promise.all(values).then((cleaned) => next(...(cleaned as unknown as All)));
  return next(...(values as unknown as All));
}

/**
 * Characters of a large value. Cleaning takes up to half a second per MB, so a smaller value blocks for 33 ms at most, as
 * long as a thread takes to start. Fields are cut to this length.
 */
export const largeChars = 64 * 1024;

// A member or an item costs about as much as so many characters.
const charsOfEntry = 16;

/** True when the strings of the value, with its names and entries, reach `largeChars`. */
export function isLarge(value: Json): boolean {
  return charsLeft(value, largeChars) <= 0;
}

function charsLeft(value: Json, from: number): number {
  let left = from - charsOfEntry;
  if (typeof value === "string") return left - value.length;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (const entry of value) {
      if (left <= 0) break;
      left = charsLeft(entry, left);
    }
    return left;
  }
  for (const name of Object.keys(value)) {
    if (left <= 0) break;
    left = charsLeft(value[name] ?? null, left - name.length);
  }
  return left;
}
