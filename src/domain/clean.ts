// What may be stored of a text or a JSON value: private parts taken out first, then secrets redacted.
import type { Json, JsonObject } from "./json.ts";
import { stripPrivate, stripPrivatePrompt } from "./private-tags.ts";
import { redactSecrets } from "./secrets.ts";

/** The text without private parts and secrets; `key` is the name it stood under, which can make it a secret. */
export function cleanText(text: string, key?: string): string {
  return redactSecrets(stripPrivate(text), key);
}

/** `cleanText` of what a user wrote. */
export function cleanPrompt(prompt: string): string {
  return redactSecrets(stripPrivatePrompt(prompt));
}

/**
 * `cleanText` on every string of a decoded JSON value, object keys too; a value in which nothing changed is returned as
 * it is. Each string is looked at alone: a private tag that opens in one and closes in another hides to the end of the
 * first, and the closer in the second is removed.
 */
export function cleanJson(value: Json): Json {
  return cleanValue(value, undefined);
}

function cleanValue(value: Json, key: string | undefined): Json {
  if (typeof value === "string") return cleanText(value, key);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? cleanArray(value, key) : cleanObject(value);
}

function cleanArray(value: Json[], key: string | undefined): Json[] {
  let copy: Json[] | undefined;
  for (const [index, entry] of value.entries()) {
    const cleaned = cleanValue(entry, flagBefore(value, index) ?? key);
    if (cleaned === entry) continue;
    copy ??= [...value];
    copy[index] = cleaned;
  }
  return copy ?? value;
}

// In a list of arguments the name of a value is the flag in front of it: ["--password", "..."].
function flagBefore(value: readonly Json[], index: number): string | undefined {
  const before = value[index - 1];
  return typeof before === "string" && before.startsWith("--") ? before : undefined;
}

function cleanObject(value: JsonObject): JsonObject {
  const named = nameOfValue(value);
  const names = Object.keys(value);
  const cleaned: [string, Json][] = [];
  let changed = false;
  for (const name of names) {
    const entry = value[name] ?? null;
    const cleanName = cleanText(name);
    const cleanEntry = cleanValue(entry, name === "value" ? (named ?? name) : name);
    changed ||= cleanName !== name || cleanEntry !== entry;
    cleaned.push([cleanName, cleanEntry]);
  }
  return changed ? Object.fromEntries(distinct(cleaned)) : value;
}

// Environment variables, headers and form fields are often listed as { name, value }.
function nameOfValue(value: JsonObject): string | undefined {
  const name = value.name ?? value.key;
  return typeof name === "string" && typeof value.value === "string" ? name : undefined;
}

// Two secret keys get the same placeholder; both entries stay.
function distinct(entries: [string, Json][]): [string, Json][] {
  const seen = new Map<string, number>();
  return entries.map(([name, entry]) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return [times === 1 ? name : `${name} (${times})`, entry];
  });
}
