// The answer's JSON Schema reduced to the keywords that all vendors support.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";

/**
 * Objects allow no other properties and require all of theirs: two vendors demand it. The reader of the answer checks what
 * the schema omits (lengths, counts, patterns).
 */
export function answerSchema(schema: object): object {
  const known =
    knownSchemas.get(schema) ?? (simple(JSON.parse(JSON.stringify(schema)) as Json) as JsonObject);
  knownSchemas.set(schema, known);
  return known;
}

const knownSchemas = new WeakMap<object, object>();

const kept = new Set(["type", "description", "enum", "$ref"]);

function simple(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (kept.has(name)) out[name] = value;
    else if (name === "items") out.items = simple(value);
    else if (name === "const") out.enum = [value];
    else if ((name === "anyOf" || name === "oneOf") && Array.isArray(value)) out.anyOf = value.map(simple);
    else if ((name === "properties" || name === "$defs") && isJsonObject(value)) {
      out[name] = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, simple(part)]));
    }
  }
  if (isJsonObject(out.properties)) {
    out.required = Object.keys(out.properties);
    out.additionalProperties = false;
  }
  return out;
}
