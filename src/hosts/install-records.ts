// installs.json: what `mem install` changed, one record for each settings file.
import { isJsonObject } from "../domain/json.ts";
import { failOpenSync } from "../errors.ts";
import type { InstallRecord } from "./install.ts";
import type { Insertion } from "./json-text.ts";

/** The records of the file; none when there is no file, or it cannot be read. */
export function parseInstallRecords(text: string | null): InstallRecord[] {
  const file = failOpenSync("read installs.json", (): unknown => JSON.parse(text ?? "{}"));
  const listed = isJsonObject(file) && Array.isArray(file.installs) ? file.installs : [];
  return listed.map(parseRecord).filter((record) => record !== null);
}

/** The text of the file. */
export function renderInstallRecords(installs: readonly InstallRecord[]): string {
  return `${JSON.stringify({ version: 1, installs }, null, 2)}\n`;
}

/** The records with `record` in place of the one for the same file; null removes that. */
export function withInstallRecord(
  records: readonly InstallRecord[],
  settingsFile: string,
  record: InstallRecord | null,
): InstallRecord[] {
  const others = records.filter((one) => one.settings_file !== settingsFile);
  return record === null ? others : [...others, record];
}

function parseRecord(value: unknown): InstallRecord | null {
  if (!isJsonObject(value)) return null;
  const { host, settings_file, file_existed, written_key } = value;
  const insertions = Array.isArray(value.insertions) ? value.insertions.map(parseInsertion) : [];
  const texts = [host, settings_file, written_key];
  if (!texts.every((text) => typeof text === "string") || insertions.includes(null)) return null;
  return {
    kind: value.kind === "mcp" ? "mcp" : "hooks",
    host: String(host),
    settings_file: String(settings_file),
    file_existed: file_existed !== false,
    blank_text: typeof value.blank_text === "string" ? value.blank_text : null,
    made_folders: textsOf(value.made_folders),
    written_key: String(written_key),
    insertions: insertions.filter((insertion) => insertion !== null),
    created: textsOf(value.created),
    commands: textsOf(value.commands),
  };
}

function parseInsertion(value: unknown): Insertion | null {
  if (!isJsonObject(value) || typeof value.at !== "number" || typeof value.text !== "string") return null;
  return { at: value.at, text: value.text };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
