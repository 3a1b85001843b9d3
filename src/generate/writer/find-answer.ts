// Finds the JSON object in a model's text: whole, in a code fence, or between sentences.

import { nestingExceeds } from "../../privacy/nesting.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";

/** The object that looks like an answer, else the first object, else null. Linear in the text. */
export function findAnswer(text: string): JsonObject | null {
  const whole = parsed(text.trim());
  if (whole !== null) return whole;
  let from = text.indexOf("{");
  let otherObject: JsonObject | null = null;
  for (let tries = 0; from >= 0 && tries < mostTries; tries++) {
    const end = objectEnd(text, from);
    // An unbalanced brace extends to the end of the text: the next one may be right.
    const object = end === undefined ? null : parsed(text.slice(from, end));
    if (object !== null && ("observations" in object || "nothing" in object || "summary" in object))
      return object;
    otherObject ??= object;
    from = text.indexOf("{", object === null || end === undefined ? from + 1 : end);
  }
  return otherObject;
}

// Prose around an answer has few braces.
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

/** End of the object that opens at `start`, or undefined. */
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
