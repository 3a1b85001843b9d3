// Parses bodies: JSON only, bounded in size and nesting, without keys that change prototypes.
import type { IncomingMessage } from "node:http";
import { MemError } from "../../core/errors.ts";
import { nestingExceeds } from "../../privacy/nesting.ts";
import { isJsonObject, type Json, mapStrings } from "../../text/json.ts";
import { wellFormedText } from "../../text/storable.ts";
import { installUnreadBody } from "./unread-body.ts";
import type { App } from "./zod.ts";

/** Largest body a route takes: 2 MB, answered with 413 above it. */
export const maxBodyBytes = 2 * 1024 * 1024;

/** Replaces fastify's parsers: its `text/plain` one lets any web page post without the browser asking first. */
export function installJsonBody(app: App): void {
  installUnreadBody(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    const body = parseBody(String(text));
    done(null, body);
  });
}

/** The error for a body that is compressed or otherwise encoded, whose true size is not known before it is read. */
export function refusedEncoding(raw: IncomingMessage): MemError | undefined {
  const encoding = raw.headers["content-encoding"];
  return encoding === undefined || encoding === "identity"
    ? undefined
    : new MemError("unsupported_media_type");
}

/** The body's JSON value; an empty body is `{}`, for the routes that need none. */
export function parseBody(text: string): Json {
  // Some clients on Windows begin every text with a byte order mark.
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (json === "") return {};
  if (nestingExceeds(json, maxNesting)) throw new MemError("nesting_too_deep");
  const value = parseJson(json);
  if (!mayHoldForeignKey(json)) return value;
  if (isJsonObject(value) && foreignKeys(value).length > 0) {
    throw new MemError("invalid_json", {
      message: "The body has a key that is not allowed: __proto__ or constructor.",
    });
  }
  dropForeignKeys(value);
  return value;
}

// Deeper values overflow the stack when they are written out again: 10 kB of brackets would be a 500.
const maxNesting = 64;

// Only an escape brings half of a letter, which is stored and searched as another text than it was.
const loneEscape = /\\ud[89a-f]/i;

function parseJson(json: string): Json {
  try {
    const value: Json = JSON.parse(json);
    return loneEscape.test(json) ? mapStrings(value, wellFormedText) : value;
  } catch (cause) {
    throw new MemError("invalid_json", { ...placeOf(cause), cause });
  }
}

// The position only, where V8 names one: its message quotes the body, which may contain a secret.
function placeOf(cause: unknown): { message?: string; details?: Json } {
  const [, position] = / at position (\d+)/.exec(cause instanceof Error ? cause.message : "") ?? [];
  if (position === undefined) return {};
  return {
    message: `The body is not valid JSON at position ${position}.`,
    details: { position: Number(position) },
  };
}

// Cheap and never too narrow: any escaped letter of the two names begins with one of the escapes. Searching for texts takes
// a fifth of the time of one expression.
function mayHoldForeignKey(json: string): boolean {
  return (
    json.includes("__proto__") ||
    json.includes("constructor") ||
    (json.includes("\\u00") && /\\u00[567]/.test(json))
  );
}

function foreignKeys(value: { [key: string]: Json }): string[] {
  const keys: string[] = [];
  if (Object.hasOwn(value, "__proto__")) keys.push("__proto__");
  if (Object.hasOwn(value, "constructor")) {
    const made = value.constructor;
    if (isJsonObject(made) && Object.hasOwn(made, "prototype")) keys.push("constructor");
  }
  return keys;
}

// Below the top level is the output of tools: drops the key there, so that the event is kept.
function dropForeignKeys(value: Json): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) for (const key of foreignKeys(value)) delete value[key];
  for (const child of Object.values(value)) dropForeignKeys(child);
}
