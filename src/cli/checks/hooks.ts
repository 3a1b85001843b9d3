// Checks of host agents: hooks, MCP server and context files.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FolderFilesAnswer } from "../../client/worker-client.ts";
import { failOpen, failOpenSync, toMemError } from "../../core/errors.ts";
import { enabledPlugin, hookCommandsIn } from "../../hosts/install.ts";
import { type InstallRecipe, isHookCommand } from "../../hosts/install-recipe.ts";
import type { McpState } from "../../hosts/mcp-switch.ts";
import { hostNames, recipeOf } from "../../hosts/registry.ts";
import { readSettingsFile } from "../../hosts/settings-file.ts";
import { isJsonObject } from "../../text/json.ts";
import type { CliContext } from "../context.ts";
import { settingsFileOf } from "../host-settings.ts";
import { ageInWords, counted, homePath } from "../words.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** Epoch of the last activity of each host; empty when the worker fails. */
export async function lastSessions({ worker }: CliContext): Promise<ReadonlyMap<string, number>> {
  const page = await failOpen("ask for sessions", () => worker().sessions({ limit: 100 }));
  const times = (page?.items ?? []).map((one): [string, number] => [one.host, one.last_active_at_epoch]);
  return new Map(times.sort(([, left], [, right]) => left - right));
}

/** One check per known host: its hooks are registered, enabled, and their launcher exists. */
export function checkHooks(context: CliContext, heard: ReadonlyMap<string, number>): Check[] {
  return hostNames.map((name) => {
    const recipe = recipeOf(name);
    try {
      const settingsFile = settingsFileOf(recipe, context);
      const check = checkHost(recipe, settingsFile, readSettingsFile(settingsFile));
      return check.message === noHooks ? withoutHooks(check, heard.get(name), context.clock.now()) : check;
    } catch (thrown) {
      const { message, hint } = toMemError(thrown);
      return fail(recipe.title, message, hint);
    }
  });
}

const noHooks = "No hooks are registered, so nothing is recorded.";
const recentMs = 7 * 86_400_000;

// Sessions before an uninstall look like sessions of a plugin that the settings do not name.
function withoutHooks(check: Check, heardAt: number | undefined, nowEpochMs: number): Check {
  if (heardAt === undefined || nowEpochMs - heardAt > recentMs) return check;
  const message = `No hooks are registered and no plugin is enabled. The last session was active ${ageInWords(heardAt, nowEpochMs)}.`;
  return { ...check, message };
}

function checkHost(recipe: InstallRecipe, settingsFile: string, text: string | null): Check {
  const { title: name, host, hooks } = recipe;
  const install = `mem install ${host}`;
  const settings = parse(text);
  if (settings === undefined)
    return fail(name, `${homePath(settingsFile)} is not valid JSON.`, "Fix the file");
  if (settings.disableAllHooks === true) {
    return fail(name, `${homePath(settingsFile)} sets disableAllHooks: no hook runs.`, "Set it to false");
  }
  const commands = hookCommandsIn(text ?? "{}").filter((command) => isHookCommand(host, command));
  const plugin = enabledPlugin(text);
  if (commands.length === 0) {
    return plugin !== null ? ok(name, "hooks come from the plugin") : warn(name, noHooks, install);
  }
  if (plugin !== null) {
    const twice = `The plugin ${plugin} and hooks in ${homePath(settingsFile)} are both active: every event and context comes twice.`;
    return warn(name, twice, `mem uninstall ${host}`);
  }
  const lost = commands.map(launcherOf).find((file) => file !== undefined && !existsSync(file));
  if (lost !== undefined) return fail(name, `The hooks start ${lost}, which is gone.`, install);
  return commands.length < hooks.length
    ? warn(name, `${commands.length} of ${hooks.length} hooks are registered.`, install)
    : ok(name, `${counted(commands.length, "hook")} in ${homePath(settingsFile)}`);
}

function parse(text: string | null) {
  const settings = failOpenSync("read a host's settings", (): unknown => JSON.parse(text?.trim() || "{}"));
  return isJsonObject(settings) ? settings : undefined;
}

// The absolute path of the launcher in a registered command.
function launcherOf(command: string): string | undefined {
  const [, folder] = /(?:^|; )set -- \S+ \S+ '((?:[^']|'\\'')*)';/.exec(command) ?? [];
  if (folder !== undefined) return join(folder.replaceAll("'\\''", "'"), "mem-hook.sh");
  return /^"[^"]*" "([^"]*\/hook\.cjs)" /.exec(command)?.[1];
}

/** Whether the installed hosts have the MCP server. */
export function checkMcp(states: readonly McpState[]): Check {
  const name = "MCP server";
  const missing = states.filter(({ enabled }) => !enabled).map(({ host }) => host);
  if (states.length === 0) return ok(name, "not registered: no host agent is installed");
  if (missing.length > 0)
    return ok(name, `not registered for ${missing.join(", ")}. Register it: \`mem mcp enable\``);
  const where = states.map(({ file, plugin }) =>
    plugin === null ? `registered in ${homePath(file)}` : `from the plugin ${plugin}`,
  );
  return ok(name, where.join(", "));
}

/** Context files that are left after they were turned off; null without any. */
export function checkFolderFiles(isOn: boolean, files: FolderFilesAnswer["files"]): Check | null {
  const there = files.filter(({ is }) => is === "there").length;
  if (isOn || there === 0) return null;
  const message = `Context files are turned off, but ${counted(there, "file")} still ${there === 1 ? "has" : "have"} the section of mem.`;
  return warn("Folders", message, "mem folders remove");
}
