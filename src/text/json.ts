// JSON types, a map over the strings of a value, and the canonical text of a value.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A copy of `value` with every string leaf replaced by `replace(leaf, key)`, where key is the nearest object key.
 * Object keys stay as they are, and a value in which nothing changed is returned as it is, not copied.
 */
export function mapStrings(value: Json, replace: (leaf: string, key: string) => string, key = ""): Json {
  if (typeof value === "string") return replace(value, key);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapArray(value, replace, key);
  let copy: JsonObject | undefined;
  for (const [name, child] of Object.entries(value)) {
    const mapped = mapStrings(child, replace, name);
    if (mapped === child) continue;
    copy ??= { ...value };
    Object.defineProperty(copy, name, {
      value: mapped,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy ?? value;
}

function mapArray(value: Json[], replace: (leaf: string, key: string) => string, key: string): Json {
  let copy: Json[] | undefined;
  for (const [index, child] of value.entries()) {
    const mapped = mapStrings(child, replace, key);
    if (mapped === child) continue;
    copy ??= [...value];
    copy[index] = mapped;
  }
  return copy ?? value;
}

/**
 * Canonical JSON (RFC 8785), one text for one value: no spaces, names in the order of their UTF-16 code units, numbers and strings as JSON.stringify has
 * them.
 */
export function canonicalJson(value: Json): string {
  return isInOrder(value) ? JSON.stringify(value) : writeInOrder(value);
}

// JSON.stringify writes names in the order of the object, and is several times as fast.
function isInOrder(value: Json): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  let before: string | undefined;
  for (const name of Object.keys(value)) {
    if ((before !== undefined && before >= name) || !isInOrder(value[name] ?? null)) return false;
    before = name;
  }
  return true;
}

function writeInOrder(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeInOrder).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${writeInOrder(value[name] ?? null)}`);
  return `{${members.join(",")}}`;
}
