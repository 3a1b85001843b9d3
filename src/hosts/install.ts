// Registers our hooks in a host's settings file and takes them out again, with a record that makes the way back exact.

import { failOpenSync, MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { isJsonObject } from "../text/json.ts";
import { addHooks, emptySettings, hookCommandsIn, isBlank, removeHooks } from "./hook-settings.ts";
import { hookGroups, type InstallRecipe, isHookCommand, type Launcher } from "./install-recipe.ts";
import { type Insertion, withoutInsertions } from "./json-text.ts";

/** What an installation changed: kept in installs.json, and what uninstalling works from. */
export interface InstallRecord {
  /** What was registered: the hooks, or the MCP server, which stands in another file. */
  kind: "hooks" | "mcp";
  host: string;
  settings_file: string;
  /** False when the file was made by us. */
  file_existed: boolean;
  /** What stood in a file that held nothing, or space alone; else null. */
  blank_text: string | null;
  /** Folders that were made for the file, the outermost first. */
  made_folders: string[];
  /** Names the text that we left; while the file still is that text, taking the insertions out restores it exactly. */
  written_key: string;
  insertions: Insertion[];
  /** What was not there before: `hooks`, and events. */
  created: string[];
  commands: string[];
}

export interface InstallPlan {
  /** The new text of the settings file; null when it goes. */
  after: string | null;
  /** Null when nothing of ours is left. */
  record: InstallRecord | null;
}

interface InstallRequest {
  recipe: InstallRecipe;
  settingsFile: string;
  /** Its present text, null when there is no file. */
  before: string | null;
  launcher: Launcher;
  dataDir: string | null;
  /** Of an earlier installation into the same file. */
  earlier: InstallRecord | undefined;
}

/** What installing would write; the present text when all is in place. Throws `host_settings_unreadable`. */
export function planInstall(request: InstallRequest): InstallPlan {
  const { recipe, settingsFile, before, launcher, dataDir, earlier } = request;
  return readable(settingsFile, () => {
    const groups = hookGroups(recipe, launcher, dataDir);
    const commands = [...groups.values()].flatMap(({ hooks }) => hooks.map(({ command }) => command));
    const present =
      before === null ? [] : hookCommandsIn(before).filter((one) => isOurs(recipe.host, earlier, one));
    if (earlier !== undefined && sameMembers(present, commands)) return { after: before, record: earlier };
    const clean = planUninstall({ host: recipe.host, settingsFile, before, earlier }).after;
    const blank = clean !== null && isBlank(clean) ? clean : null;
    const settings = clean === null || blank !== null ? emptySettings : clean;
    const { text, insertions, created } = addHooks(settings, groups);
    const record: InstallRecord = {
      kind: "hooks",
      host: recipe.host,
      settings_file: settingsFile,
      file_existed: clean !== null,
      blank_text: blank,
      made_folders: earlier?.made_folders ?? [],
      written_key: contentKey(text),
      insertions,
      created,
      commands,
    };
    return { after: text, record };
  });
}

/** The record with folders that were made for the settings file. */
export function withFolders(record: InstallRecord | null, made: readonly string[]): InstallRecord | null {
  return record && { ...record, made_folders: [...record.made_folders, ...made] };
}

/** The name of our plugin where the settings have it switched on, else null. It brings hooks of its own. */
export function enabledPlugin(settings: string | null): string | null {
  const parsed = failOpenSync("look for a plugin", (): unknown => JSON.parse(settings ?? "{}"));
  const plugins = isJsonObject(parsed) && isJsonObject(parsed.enabledPlugins) ? parsed.enabledPlugins : {};
  const [name] =
    Object.entries(plugins).find(([key, on]) => key.startsWith("agent-mem@") && on === true) ?? [];
  return name ?? null;
}

interface UninstallRequest {
  host: string;
  settingsFile: string;
  before: string | null;
  earlier: InstallRecord | undefined;
}

/** What uninstalling would write: exactly what was there when nothing else changed since, else all but ours. */
export function planUninstall({ host, settingsFile, before, earlier }: UninstallRequest): InstallPlan {
  if (before === null) return { after: null, record: null };
  return readable(settingsFile, () => ({ after: withoutOurs(host, before, earlier), record: null }));
}

function withoutOurs(host: string, before: string, earlier: InstallRecord | undefined): string | null {
  if (earlier?.written_key === contentKey(before)) {
    const original = withoutInsertions(before, earlier.insertions);
    if (original !== null) return earlier.file_existed ? (earlier.blank_text ?? original) : null;
  }
  return removeHooks(
    before,
    (command) => isOurs(host, earlier, command),
    (name) => earlier === undefined || earlier.created.includes(name),
  );
}

function isOurs(host: string, earlier: InstallRecord | undefined, command: string): boolean {
  return isHookCommand(host, command) || (earlier?.commands.includes(command) ?? false);
}

function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && right.every((one) => left.includes(one));
}

/** What `run` gives; what it cannot parse is the settings file's fault. */
export function readable<T>(settingsFile: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new MemError("host_settings_unreadable", {
      message: `${settingsFile} cannot be read as settings (${cause.message}), so it was left as it is.`,
      cause,
    });
  }
}
