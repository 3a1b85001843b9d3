// Reads untrusted JSON of a vendor by path: undefined if missing or of another type.
import { isJsonObject } from "../../text/json.ts";

/** The value at `path`: names for objects, numbers for lists. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (typeof step === "number") at = Array.isArray(at) ? at[step] : undefined;
    else at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const at = valueAt(value, ...path);
  return typeof at === "string" ? at : undefined;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const at = valueAt(value, ...path);
  return Array.isArray(at) ? at : [];
}

/** A count of tokens: a whole number from 0. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const at = valueAt(value, ...path);
  return typeof at === "number" && Number.isFinite(at) && at >= 0 ? Math.round(at) : undefined;
}

/** The `error` of a body, also with status 200: a server cannot change its status after it began to stream. */
export function errorIn(value: unknown): unknown {
  const error = valueAt(value, "error");
  return error === undefined || error === null ? undefined : error;
}

/** A body as JSON, of a list its first entry; undefined for another text. */
export function parseBody(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}
