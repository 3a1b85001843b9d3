// The part of a payload that may be written to disk: without private parts and secrets, and shortened.

import { failOpenSync } from "../../core/errors.ts";
import { shorten, shortenJson, shortenPrompt } from "../../core/shorten.ts";
import { cleanPayload } from "../../privacy/clean.ts";
import { nestingExceeds } from "../../privacy/nesting.ts";
import { isEntirelyPrivate } from "../../privacy/private-tags.ts";
import { isJsonObject, type Json, type JsonObject, mapStrings } from "../../text/json.ts";
import { wellFormedText } from "../../text/storable.ts";

const maxLeafChars = 65_536;
const maxChars = 1_500_000;
// The worker accepts 64 levels; the spool line adds one.
const maxDepth = 60;

/** The payload for the spool; null if `text` is not a JSON object. */
export function spoolablePayload(text: string): JsonObject | null {
  const payload = failOpenSync("read a payload", (): unknown => JSON.parse(text));
  if (!isJsonObject(payload)) return null;
  const flat = nestingExceeds(text, maxDepth) ? flattened(payload, maxDepth) : payload;
  // Clean before cutting: a cut could remove the opening private tag and leave its content.
  const cleaned = cleanPayload(flat);
  const short = shortPayload(mapStrings(cleaned, wellFormedText));
  return isJsonObject(short) ? { ...short, ...privateMarks(payload, cleaned) } : null;
}

/** A cleaned payload within the limits of the spool. */
export function shortPayload(payload: Json): Json {
  const short = mapStrings(payload, (leaf, name) =>
    name === "prompt" ? shortenPrompt(leaf, maxLeafChars) : shorten(leaf, maxLeafChars),
  );
  return shortenJson(short, maxChars);
}

/** The object with at most `levels` levels: what is nested deeper becomes its JSON text. */
export function flattened(object: JsonObject, levels: number): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, entry]) => [name, flatValue(entry, levels - 1)]),
  );
}

function flatValue(value: Json, levels: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0)
    return failOpenSync("flatten a value", () => JSON.stringify(value)) ?? "[nested too deeply]";
  return Array.isArray(value) ? value.map((entry) => flatValue(entry, levels - 1)) : flattened(value, levels);
}

// A wholly private prompt also hides the work it causes: its text goes, but the mark must stay.
function privateMarks(payload: JsonObject, cleaned: JsonObject): JsonObject {
  const entirely = Object.entries(payload).filter(
    ([name, value]) => typeof value === "string" && isBlank(cleaned[name]) && isEntirelyPrivate(value),
  );
  return Object.fromEntries(entirely.map(([name]) => [name, "<private></private>"]));
}

function isBlank(value: Json | undefined): boolean {
  return typeof value === "string" && value.trim() === "";
}
