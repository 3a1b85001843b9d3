// Our MCP server in a host's configuration.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { MemError } from "../core/errors.ts";
import { type DataPaths, packageFile } from "../core/paths.ts";
import { isJsonObject } from "../text/json.ts";
import type { InstallRecipe } from "./install-recipe.ts";
import {
  expectKind,
  insert,
  memberOf,
  parseJsonText,
  parseNode,
  withoutEmpty,
  withoutItem,
} from "./json-text.ts";
import {
  type InstallPlan,
  type InstallRecord,
  isBlank,
  planRegistration,
  planRemoval,
  type Registration,
  readable,
} from "./registration.ts";

/** The entry in the host's configuration. */
export interface McpServer {
  type: "stdio";
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** The name of our server, which hosts put into the names of its tools: `mcp__mem__search`. */
export const mcpServerName = "mem";

/** Our server for the data directory. */
export function mcpServerOf(paths: DataPaths): McpServer {
  const dataDir = namedDataDir(paths);
  return {
    type: "stdio",
    command: process.execPath,
    args: [packageFile("bin", "mem.js"), "mcp"],
    env: dataDir === null ? {} : { MEM_DATA_DIR: dataDir },
  };
}

/** The data directory for a process that a host starts; null for the default one. */
export function namedDataDir({ root }: DataPaths): string | null {
  return root === join(homedir(), ".mem") ? null : root;
}

/** The file of MCP servers: in the home beside the default settings folder, but inside a folder that the user set. */
export function mcpFileOf(recipe: InstallRecipe, settingsFile: string): string {
  const folder = dirname(settingsFile);
  const inside = join(folder, recipe.mcpFile);
  // The variable may also name the default folder; then the file is inside.
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

/** The file with our server. Throws `conflict` if another server has our name, and `host_settings_unreadable`. */
export function planMcpServer({ server, ...request }: McpRequest & { server: McpServer }): InstallPlan {
  return planRegistration(registrationOf(request), [JSON.stringify(server)], (edited) => {
    const root = expectKind("object", parseJsonText(edited.text), "at the top");
    const servers = memberOf(root, serversKey)?.value;
    if (servers === undefined) insert(edited, root, { [mcpServerName]: server }, serversKey);
    else insert(edited, expectKind("object", servers, `as ${serversKey}`), server, mcpServerName);
  });
}

/** The file without our server: byte for byte as before, if nothing else changed since. */
export function planNoMcpServer(request: McpRequest): InstallPlan {
  return planRemoval(registrationOf(request));
}

/** True if our server is registered, by any version and from any place. */
export function hasMcpServer(file: string, text: string | null): boolean {
  if (text === null) return false;
  return readable(file, () => isOurs(serverIn(text)));
}

const serversKey = "mcpServers";

function registrationOf(request: McpRequest): Registration {
  const { file, earlier } = request;
  return {
    kind: "mcp",
    ...request,
    present(text) {
      const server = serverIn(text);
      if (server !== undefined && !isOurs(server)) throw nameTaken(file);
      return server === undefined ? [] : [JSON.stringify(server)];
    },
    remove: (text) => withoutServer(text, earlier?.created.includes(serversKey) === true),
  };
}

function withoutServer(text: string, wasCreated: boolean): string {
  if (!isOurs(serverIn(text))) return text;
  const servers = memberOf(parseJsonText(text), serversKey)?.value;
  const member = memberOf(servers, mcpServerName);
  if (servers === undefined || member === undefined) return text;
  const left = withoutItem(text, servers, member);
  return wasCreated ? withoutEmpty(left, parseJsonText(left), serversKey) : left;
}

// The value under our name.
function serverIn(text: string): unknown {
  if (isBlank(text)) return undefined;
  const servers = memberOf(parseJsonText(text), serversKey)?.value;
  const member = memberOf(servers, mcpServerName);
  return member && parseNode(text, member.value);
}

function isOurs(server: unknown): boolean {
  if (!isJsonObject(server) || !Array.isArray(server.args)) return false;
  const [script, word, ...more] = server.args;
  return typeof script === "string" && /[/\\]mem\.js$/.test(script) && word === "mcp" && more.length === 0;
}

function nameTaken(file: string): MemError {
  return new MemError("conflict", {
    message: `${file} has another server named ${mcpServerName}, so ours was not registered.`,
    hint: "Rename the other server, then run `mem mcp enable`.",
  });
}
