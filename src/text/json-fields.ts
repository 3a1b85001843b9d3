// Reads fields of a host's JSON by alternative names: the first match wins.
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** The first non-empty text among `names`, or the empty string. */
export function textField(object: JsonObject, ...names: readonly string[]): string {
  for (const name of names) {
    const value = object[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** The first finite number among `names`, or null. */
export function numberField(object: JsonObject, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = object[name];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return null;
}

/** The object under `name`, or an empty one. */
export function objectField(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** The objects of the list under `name`. */
export function objectsField(object: JsonObject, name: string): JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.slice(0, maxEntries).filter(isJsonObject) : [];
}

/** The texts of the list under `name`; a single text counts as a list of one. */
export function textsField(object: JsonObject, name: string): string[] {
  const value = object[name];
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxEntries).filter((entry): entry is string => typeof entry === "string");
}

/** The path that a file tool works on, whatever its host calls it. */
export function pathField(object: JsonObject): string {
  return textField(object, ...pathNames);
}

/** A text that holds a JSON object, parsed; null when it is anything else. */
export function parseObject(text: string): JsonObject | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  try {
    const value: Json = JSON.parse(trimmed);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

// A title or a dozen facts need no longer list.
const maxEntries = 200;

const pathNames = [
  "file_path",
  "filePath",
  "notebook_path",
  "absolute_path",
  "path",
  "target_file",
  "filename",
  "fileName",
  "file",
];
