// Our MCP server in a host's configuration: put in, taken out, everything else left as its author wrote it.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { type DataPaths, packageFile } from "../core/paths.ts";
import { isJsonObject } from "../text/json.ts";
import { emptySettings, isBlank, withoutEmpty } from "./hook-settings.ts";
import { type InstallPlan, type InstallRecord, readable } from "./install.ts";
import type { InstallRecipe } from "./install-recipe.ts";
import {
  type Insertion,
  insertionInto,
  memberOf,
  parseJsonText,
  withInsertion,
  withoutInsertions,
  withoutItem,
} from "./json-text.ts";
import { namedDataDir } from "./named-data-dir.ts";

/** How a host starts the server, in the form that stands in its configuration. */
export interface McpServer {
  type: "stdio";
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** The name of our server, by which hosts name its tools: `mcp__mem__search`. */
export const mcpServerName = "mem";

/** Our server over the data directory. */
export function mcpServerOf(paths: DataPaths): McpServer {
  const dataDir = namedDataDir(paths);
  return {
    type: "stdio",
    command: process.execPath,
    args: [packageFile("bin", "mem.js"), "mcp"],
    env: dataDir === null ? {} : { MEM_DATA_DIR: dataDir },
  };
}

/**
 * The file where a host whose settings lie in `settingsFile` keeps its servers for this user: in the home beside the
 * default folder, but inside a folder that the host was told to use.
 */
export function mcpFileOf(recipe: InstallRecipe, settingsFile: string): string {
  const folder = dirname(settingsFile);
  const inside = join(folder, recipe.mcpFile);
  // The variable may also name the default folder; then the file lies in there.
  return folder === join(homedir(), recipe.settings.folder) && !existsSync(inside)
    ? join(homedir(), recipe.mcpFile)
    : inside;
}

interface McpRequest {
  host: string;
  file: string;
  /** Its present text, null when there is no file. */
  before: string | null;
  /** Of an earlier registration in the same file. */
  earlier: InstallRecord | undefined;
}

/** What registering would write. Throws `conflict` when another server has our name, or `host_settings_unreadable`. */
export function planMcpServer(request: McpRequest & { server: McpServer }): InstallPlan {
  const { host, file, before, server, earlier } = request;
  return readable(file, () => {
    const present = before === null ? undefined : serverIn(before);
    if (present !== undefined && !isOurs(present)) throw nameTaken(file);
    if (earlier !== undefined && present === JSON.stringify(server))
      return { after: before, record: earlier };
    const clean = planNoMcpServer(request).after;
    const blank = clean !== null && isBlank(clean) ? clean : null;
    const added = addServer(clean === null || blank !== null ? emptySettings : clean, server);
    const record: InstallRecord = {
      kind: "mcp",
      host,
      settings_file: file,
      file_existed: clean !== null,
      blank_text: blank,
      made_folders: earlier?.made_folders ?? [],
      written_key: contentKey(added.text),
      insertions: [added.insertion],
      created: added.created,
      commands: [JSON.stringify(server)],
    };
    return { after: added.text, record };
  });
}

/** What taking the server out would write: exactly what was there when nothing else changed since, else all but ours. */
export function planNoMcpServer({ file, before, earlier }: McpRequest): InstallPlan {
  if (before === null) return { after: null, record: null };
  return readable(file, () => ({ after: withoutServer(before, earlier), record: null }));
}

/** True when our server is registered in the text, by this version or another, from here or elsewhere. */
export function hasMcpServer(file: string, text: string | null): boolean {
  if (text === null) return false;
  return readable(file, () => {
    const present = serverIn(text);
    return present !== undefined && isOurs(present);
  });
}

const serversKey = "mcpServers";

function addServer(
  text: string,
  server: McpServer,
): { text: string; insertion: Insertion; created: string[] } {
  const top = parseJsonText(text);
  if (top.kind !== "object") throw new SyntaxError("an object was expected");
  const servers = memberOf(top, serversKey)?.value;
  if (servers !== undefined && servers.kind !== "object") {
    throw new SyntaxError(`an object was expected as ${serversKey}`);
  }
  const insertion =
    servers === undefined
      ? insertionInto(text, top, { [mcpServerName]: server }, serversKey)
      : insertionInto(text, servers, server, mcpServerName);
  return {
    text: withInsertion(text, insertion),
    insertion,
    created: servers === undefined ? [serversKey] : [],
  };
}

function withoutServer(before: string, earlier: InstallRecord | undefined): string | null {
  if (earlier?.written_key === contentKey(before)) {
    const original = withoutInsertions(before, earlier.insertions);
    if (original !== null) return earlier.file_existed ? (earlier.blank_text ?? original) : null;
  }
  const present = serverIn(before);
  if (present === undefined || !isOurs(present)) return before;
  const servers = memberOf(parseJsonText(before), serversKey)?.value;
  const member = servers && memberOf(servers, mcpServerName);
  if (servers === undefined || member === undefined) return before;
  const left = withoutItem(before, servers, member);
  return earlier?.created.includes(serversKey) ? withoutEmpty(left, parseJsonText(left), serversKey) : left;
}

// What stands under our name, as JSON without white space.
function serverIn(text: string): string | undefined {
  if (isBlank(text)) return undefined;
  const servers = memberOf(parseJsonText(text), serversKey)?.value;
  const value = servers && memberOf(servers, mcpServerName)?.value;
  return value && JSON.stringify(JSON.parse(text.slice(value.start, value.end)));
}

function isOurs(server: string): boolean {
  const parsed: unknown = JSON.parse(server);
  if (!isJsonObject(parsed) || !Array.isArray(parsed.args)) return false;
  const [script, word, ...more] = parsed.args;
  return typeof script === "string" && /[/\\]mem\.js$/.test(script) && word === "mcp" && more.length === 0;
}

function nameTaken(file: string): MemError {
  return new MemError("conflict", {
    message: `${file} has another server by the name ${mcpServerName}, so ours was not registered there.`,
    hint: "Give that one another name, then `mem mcp enable`.",
  });
}
