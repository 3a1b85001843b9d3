// What cleans the texts of events: here, or a thread for those that would keep everybody else waiting.

import { shortenJson } from "../core/shorten.ts";
import {
  type Clean,
  type CleanPrompt,
  cleanJson,
  cleanPayload,
  cleanPrompt,
  cleanText,
} from "../privacy/clean.ts";
import type { Json, JsonObject } from "../text/json.ts";

/** Each resolves immediately, without a promise, to what is not large. */
export interface Cleaner {
  text(text: string): Clean<string> | Promise<Clean<string>>;
  prompt(text: string): CleanPrompt | Promise<CleanPrompt>;
  payload(payload: JsonObject): Clean<JsonObject> | Promise<Clean<JsonObject>>;
  /** Cleaned first and cut to `maxChars` after: a cut could take a private tag's opening away and leave what it hid. */
  json(value: Json, maxChars?: number): Json | Promise<Json>;
}

/** Cleans everything in the process that asks. */
export const cleanHere = {
  text: (text: string): Clean<string> => cleanText(text),
  prompt: cleanPrompt,
  payload: cleanPayload,
  json(value: Json, maxChars?: number): Json {
    const cleaned = cleanJson(value);
    return maxChars === undefined ? cleaned : shortenJson(cleaned, maxChars);
  },
} satisfies Cleaner;

/** Goes on with all that was cleaned: immediately, when there is nothing to wait for. */
export function withCleaned<T extends readonly unknown[], R>(
  values: readonly [...T],
  goOn: (...cleaned: { [N in keyof T]: Awaited<T[N]> }) => R,
): R | Promise<R> {
  type All = { [N in keyof T]: Awaited<T[N]> };
  if (values.some((value) => value instanceof Promise))
    return Promise.all(values).then((cleaned) => goOn(...(cleaned as unknown as All)));
  return goOn(...(values as unknown as All));
}

/**
 * Characters from which a value is large. The worst text we know takes half a second per MB, so a smaller one holds
 * others up for 33 ms at most; a thread that has to start takes as long. A field is cut to as many anyway.
 */
export const largeChars = 64 * 1024;

// A member or an item costs about as much as so many characters.
const charsOfEntry = 16;

/** True when the strings of the value, with its names and entries, come to `largeChars`. */
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
