// settings.json: one flat object of strings; unknown keys are kept.
import { chmodSync, lstatSync } from "node:fs";
import { MemError } from "../core/errors.ts";
import { dataPaths } from "../core/paths.ts";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { prepareDataDirectory } from "./data-dir.ts";
import { readPrivateFile, replacePrivateFile } from "./private-file.ts";
import { definitionOf, settingKeys } from "./table.ts";

/** The object in settings.json, null when there is no file. Throws `settings_unreadable` with file and position. */
export function readSettingsFile(dataDir: string): JsonObject | null {
  const path = dataPaths(dataDir).settings;
  const text = readPrivateFile(path, "settings_unreadable");
  return text === null ? null : parseFile(path, text);
}

/** Writes settings.json with every default if it is missing, else makes it private. Makes the data directory. */
export function createSettingsFile(dataDir: string): void {
  prepareDataDirectory(dataDir);
  const path = dataPaths(dataDir).settings;
  if (readPrivateFile(path, "settings_unreadable") !== null) {
    keepPrivate(path);
    return;
  }
  replacePrivateFile(path, "settings_unreadable", (text) =>
    text === null ? fileText(defaults(dataDir)) : null,
  );
}

/** Applies `changes` to settings.json; null removes a key. Other keys stay in place. */
export function changeSettingsFile(dataDir: string, changes: Readonly<JsonObject>): void {
  prepareDataDirectory(dataDir);
  const path = dataPaths(dataDir).settings;
  replacePrivateFile(path, "settings_unreadable", (text) => {
    const settings = new Map(Object.entries(text === null ? defaults(dataDir) : parseFile(path, text)));
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) settings.delete(key);
      else settings.set(key, value);
    }
    return fileText(Object.fromEntries(settings));
  });
}

// A copied file, or one made under another umask, may let other users read keys.
function keepPrivate(path: string): void {
  if (process.platform !== "win32" && (lstatSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function defaults(dataDir: string): JsonObject {
  const settings: JsonObject = {};
  for (const key of settingKeys) settings[key] = definitionOf(key).default;
  return { ...settings, MEM_DATA_DIR: dataDir };
}

function fileText(settings: JsonObject): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function parseFile(path: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw unreadable(path, `${path} is not valid JSON${position(text, cause)}.`, cause);
  }
  throw unreadable(path, `${path} does not hold one JSON object.`, undefined);
}

function unreadable(path: string, message: string, cause: unknown): MemError {
  return new MemError("settings_unreadable", { message, details: { path }, cause });
}

// V8 gives the offset of most errors; the others are at the end of the text.
function position(text: string, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : "";
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const before = text.slice(0, offset).split("\n");
  return `: line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
