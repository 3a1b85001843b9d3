// Text and JSON that every database accepts: without NUL and lone surrogates.
import type { Json, JsonObject } from "./json.ts";

/** The text without NUL, well-formed. */
export function storableText(text: string): string {
  return wellFormedText(text.includes("\0") ? text.replaceAll("\0", "") : text);
}

/** The text with U+FFFD for every lone surrogate, which UTF-8 cannot hold. */
export function wellFormedText(text: string): string {
  return half.test(text) ? text.replaceAll(halves, "\ufffd") : text;
}

// With the u flag only lone surrogates match.
const half = /\p{Surrogate}/u;
const halves = /\p{Surrogate}/gu;

/** `storableText` on every string of the value, names too; a value in which nothing changes is returned as it is. */
export function storableJson(value: Json): Json {
  if (typeof value === "string") return storableText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.map(storableJson);
    return copy.some((entry, index) => entry !== value[index]) ? copy : value;
  }
  return storableObject(value);
}

function storableObject(value: JsonObject): JsonObject {
  let changed = false;
  const entries = Object.entries(value).map(([name, entry]): [string, Json] => {
    const pair: [string, Json] = [storableText(name), storableJson(entry)];
    changed ||= pair[0] !== name || pair[1] !== entry;
    return pair;
  });
  return changed ? Object.fromEntries(entries) : value;
}
