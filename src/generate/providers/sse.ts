// Parses the JSON of an answer: one document or a stream of events.
import { isJsonObject, type JsonObject } from "../../text/json.ts";
import { ModelFailure } from "../model-failure.ts";

export interface Payloads {
  objects: readonly JsonObject[];
  streamed: boolean;
  /** The stream ended with `[DONE]`. */
  done: boolean;
}

/** One object of a plain answer, or one for each event of a stream, requested or not. Throws `bad_answer`. */
export function parsePayloads(contentType: string, text: string): Payloads {
  if (text.trim() === "") throw new ModelFailure("bad_answer", "The answer is empty.");
  if (/event-stream/i.test(contentType) || /^\s*(data|event|id|retry)?:/.test(text)) return parseStream(text);
  if (isPage(contentType, text))
    throw new ModelFailure("bad_answer", "The answer is an HTML page, as a network's sign-in is.", {
      isPage: true,
    });
  const value = parseJson(text);
  // Google streams without SSE as one list of answers.
  const objects = Array.isArray(value) ? value : [value];
  if (objects.length > 0 && objects.every(isJsonObject)) {
    return { objects, streamed: Array.isArray(value), done: false };
  }
  throw new ModelFailure("bad_answer", "The answer is JSON of another shape.");
}

// JSON may have the wrong content type: a page begins with a tag.
function isPage(contentType: string, text: string): boolean {
  return /^\s*<(!doctype|html|\?xml)/i.test(text) || (/html/i.test(contentType) && /^\s*</.test(text));
}

/** The `data:` text of each event. */
export function eventTexts(text: string): string[] {
  const events: string[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) events.push(lines.join("\n"));
    lines = [];
  };
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === "") flush();
    else if (line.startsWith("data:")) lines.push(line.slice(line.startsWith("data: ") ? 6 : 5));
  }
  flush();
  return events;
}

function parseStream(text: string): Payloads {
  const objects: JsonObject[] = [];
  let done = false;
  for (const event of eventTexts(text)) {
    if (event.trim() === "[DONE]") {
      done = true;
      break;
    }
    const value = parseJson(event);
    if (!isJsonObject(value))
      throw new ModelFailure("bad_answer", "An event of the answer is no JSON object.");
    objects.push(value);
  }
  if (objects.length === 0) throw new ModelFailure("bad_answer", "The answer is a stream without events.");
  return { objects, streamed: true, done };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may contain anything.
    throw new ModelFailure("bad_answer", "The answer is no JSON.");
  }
}
