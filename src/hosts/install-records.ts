// installs.json: the changes of `mem install`, one record per settings file, and the pending choice for MCP.
import { dirname } from "node:path";
import { failOpenSync } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import type { SetMember } from "./json-entries.ts";
import type { Insertion } from "./json-text.ts";
import type { InstallRecord } from "./registration.ts";

/** Access to installs.json. */
interface InstallsFile {
  /** Its text; null when there is no file. */
  read(): string | null;
  /** Replaces the text, all or nothing. */
  replace(change: (text: string | null) => string): void;
}

/** The content of installs.json. */
export interface Installs {
  list(): InstallRecord[];
  /** Replaces the record of the settings file; null removes it. */
  put(settingsFile: string, record: InstallRecord | null): void;
  /** The choice for recall over MCP made before mem was installed in a host; null without one. */
  mcpWish(): boolean | null;
  setMcpWish(wish: boolean | null): void;
}

export function createInstalls(file: InstallsFile): Installs {
  return {
    list: () => parseInstallRecords(file.read()),
    put: (settingsFile, record) =>
      file.replace((text) => {
        const records = withInstallRecord(parseInstallRecords(text), settingsFile, record);
        return renderInstallRecords(records, parseMcpWish(text));
      }),
    mcpWish: () => parseMcpWish(file.read()),
    setMcpWish: (wish) => file.replace((text) => renderInstallRecords(parseInstallRecords(text), wish)),
  };
}

/** The folders of the host with a record: processes without its environment know them by nothing else. */
export function recordedFolders(installs: Pick<Installs, "list">, host: string): string[] {
  const folders = installs.list().flatMap((record) => (record.host === host ? (record.folder ?? []) : []));
  return [...new Set(folders)];
}

/** The records of the file; none if it is missing or unreadable. */
export function parseInstallRecords(text: string | null): InstallRecord[] {
  const { installs } = parseFile(text);
  return (Array.isArray(installs) ? installs : []).map(parseRecord).filter((record) => record !== null);
}

function parseMcpWish(text: string | null): boolean | null {
  const { mcp_wish } = parseFile(text);
  return typeof mcp_wish === "boolean" ? mcp_wish : null;
}

/** The text of the file. */
export function renderInstallRecords(
  installs: readonly InstallRecord[],
  mcpWish: boolean | null = null,
): string {
  const wish = mcpWish === null ? {} : { mcp_wish: mcpWish };
  return `${JSON.stringify({ version: 1, ...wish, installs }, null, 2)}\n`;
}

/** The records with the one of the settings file replaced; null removes it. */
export function withInstallRecord(
  records: readonly InstallRecord[],
  settingsFile: string,
  record: InstallRecord | null,
): InstallRecord[] {
  const others = records.filter((one) => one.settings_file !== settingsFile);
  return record === null ? others : [...others, record];
}

function parseFile(text: string | null): JsonObject {
  const file = failOpenSync("read installs.json", (): Json => JSON.parse(text ?? "{}"));
  return isJsonObject(file) ? file : {};
}

function parseRecord(value: unknown): InstallRecord | null {
  if (!isJsonObject(value)) return null;
  const { host, folder, settings_file, file_existed, written_key } = value;
  const insertions = Array.isArray(value.insertions) ? value.insertions.map(parseInsertion) : [];
  const texts = [host, settings_file, written_key];
  if (!texts.every((text) => typeof text === "string") || insertions.includes(null)) return null;
  return {
    host: String(host),
    folder: typeof folder === "string" ? folder : earlierFolder(value),
    settings_file: String(settings_file),
    file_existed: file_existed !== false,
    blank_text: typeof value.blank_text === "string" ? value.blank_text : null,
    made_folders: textsOf(value.made_folders),
    written_key: String(written_key),
    insertions: insertions.filter((insertion) => insertion !== null),
    created: Array.isArray(value.created) ? value.created.map(parsePath) : [],
    members: Array.isArray(value.members) ? value.members.flatMap(parseMember) : null,
  };
}

// The first version wrote no folder: hooks are inside it, the MCP server may be beside it.
function earlierFolder({ kind, settings_file }: JsonObject): string | null {
  return kind === "hooks" ? dirname(String(settings_file)) : null;
}

// The first version wrote names: of an event, or of an object at the top.
function parsePath(value: Json): string[] {
  if (typeof value !== "string") return textsOf(value);
  return value === "hooks" || value === "mcpServers" ? [value] : ["hooks", value];
}

function parseInsertion(value: unknown): Insertion | null {
  if (!isJsonObject(value) || typeof value.at !== "number" || typeof value.text !== "string") return null;
  const { at, text, instead } = value;
  return typeof instead === "string" ? { at, text, instead } : { at, text };
}

function parseMember(value: Json): SetMember[] {
  if (!isJsonObject(value)) return [];
  return [{ path: textsOf(value.path), before: typeof value.before === "string" ? value.before : null }];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
