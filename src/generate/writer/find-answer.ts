// Finds the JSON object in what a model wrote: whole, in a code fence, or between sentences.

import { nestingExceeds } from "../../privacy/nesting.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";

/** The object that looks like an answer, or null when there is none that can be read. Linear in the text. */
export function findAnswer(text: string): JsonObject | null {
  const whole = parsed(text.trim());
  if (whole !== null) return whole;
  let from = text.indexOf("{");
  let otherObject: JsonObject | null = null;
  for (let tries = 0; from >= 0 && tries < mostTries; tries++) {
    const end = objectEnd(text, from);
    // A brace that opens nothing swallows the rest of the text: the next one may be the right one.
    const object = end === undefined ? null : parsed(text.slice(from, end));
    if (object !== null && ("observations" in object || "nothing" in object || "summaries" in object))
      return object;
    otherObject ??= object;
    from = text.indexOf("{", object === null || end === undefined ? from + 1 : end);
  }
  return otherObject;
}

// Objects that are tried: prose around an answer holds a few braces at most.
const mostTries = 40;
const deepest = 16;

function parsed(json: string): JsonObject | null {
  if (!json.startsWith("{") || nestingExceeds(json, deepest)) return null;
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Where the object that opens at `start` ends; undefined when it never does. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (inString) {
      if (letter === "\\") at += 1;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === "{") depth += 1;
    else if (letter === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
