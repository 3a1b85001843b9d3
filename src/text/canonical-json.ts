// Canonical JSON text (RFC 8785): one text for one value, so that its digest names the value.
import type { Json } from "./json.ts";

/** The text without spaces, names in the order of their UTF-16 code units, numbers and strings as JSON.stringify has them. */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
  return `{${members.join(",")}}`;
}
