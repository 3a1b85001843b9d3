// How mem integrates with a host agent, as data: where the host is found, and what is registered in which file.
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { isHookCommand } from "./hook-command.ts";
import type { Host } from "./host-event.ts";

/** A host agent: one file exports it, one line of registry.ts lists it. */
export interface HostAgent {
  host: Host;
  integration: Integration;
}

export interface Integration {
  /** The host's name for people. */
  title: string;
  /** The host's folder of settings: inside the folder that the variable names, else in the home. */
  folder: { variable: string | null; inVariable?: string; inHome: string };
  /** The host's program on the PATH. */
  program: string;
  /** The hooks that the host starts as commands; `mem install` runs each once. Empty for a plugin inside the host. */
  hooks: readonly HookRegistration[];
  /** The host runs hooks in the user's login shell (`$SHELL -lc`), which need not be a POSIX shell. */
  loginShell?: true;
  /** Every file to edit, once, with our entries. Pure, except for `at.exists`. */
  files(at: HostPlace): readonly HostFile[];
  /** Files or folders of `hooks/` that `mem install` copies beside the launcher, besides the launcher itself. */
  copies?: readonly string[];
  /**
   * How the agent names our tool `remember`, to be told of it when a session starts. Absent where the agent keeps a memory of
   * its own, and where the host takes no context.
   */
  toldOf?: string;
  /** What the entries allow mem beyond hooks and tools: one sentence, to which the user must agree. */
  consent?: string;
  /** What the user took back of the consent, by the host's settings; null if nothing. A sentence that begins with a verb. */
  revoked?(settings: JsonObject): string | null;
  /** What only the user can do after an installation. */
  next: readonly NextStep[];
  /** The name of our plugin that the host's settings enable, else null. It brings hooks and MCP server itself. */
  plugin?(settings: JsonObject): string | null;
  /** The plugin of another memory that they enable, else null. */
  otherMemory?(settings: JsonObject): string | null;
  /** Why the host runs no hook, by its settings; null if it runs them. A sentence that begins with a verb. */
  hooksOff?(settings: JsonObject): { reason: string; next: string } | null;
  /** Asks the host whether it runs our hooks; only where a host wants consent. It may start the host's program. */
  trust?(at: HostPlace, environment: HostEnvironment): Promise<HookTrust>;
}

export type HostEnvironment = Readonly<Record<string, string | undefined>>;

export interface NextStep {
  /** One sentence. */
  text: string;
  /** What shows that it is done: an event of the host since its files were written, or its trust. Nothing shows it without. */
  until?: "event" | "trust";
  /** Left out where this is not registered. Default: it is about the hooks. */
  part?: "mcp";
}

export interface HookRegistration {
  /** The host's name. */
  event: string;
  /** Tools or kinds of the event; all if omitted. */
  matcher?: string;
  /** In the host's unit. The hook returns far earlier. */
  timeout: number;
  /** More fields of the handler. */
  more?: JsonObject;
}

/** `unknown`: the host could not be asked. */
export interface HookTrust {
  state: "trusted" | "untrusted" | "unknown";
  /** One sentence. */
  message: string;
  /** The command or step that ends `untrusted`. */
  next?: string;
}

/** What an integration needs to know to make its entries. */
export interface HostPlace {
  home: string;
  /** The host's folder of settings. */
  folder: string;
  /** The stable folder in the data directory with the launcher and the copies. */
  launcherFolder: string;
  /** MEM_DATA_DIR for processes of the host; null for the default. */
  dataDir: string | null;
  /** The command line of the hook of an event, for a POSIX shell (on Windows for cmd). */
  hookCommand(event: string): string;
  /** How a host starts our MCP server over standard input and output. */
  server: McpServer;
  exists(path: string): boolean;
}

export interface McpServer {
  command: string;
  args: string[];
  /** Variables besides the host's own. */
  env?: Record<string, string>;
}

/** A file of the host with our entries in it, or a whole file of ours. */
export type HostFile = EditedFile | OwnFile;

/** `json5` also reads comments, trailing commas and unquoted keys. What else the file says stays byte for byte. */
export interface EditedFile {
  path: string;
  syntax: "json" | "json5" | "toml";
  /** The entries of the hooks or of the plugin. */
  hooks?: readonly Entry[];
  /** The entry of the MCP server. */
  mcp?: readonly Entry[];
}

export interface OwnFile {
  path: string;
  syntax: "own";
  text: string;
  /** True for a text of any version of mem. */
  isOurs(text: string): boolean;
  grants?: string;
}

/** One value of ours in a structured file. */
export interface Entry {
  /** The names of the members that lead to its container; missing ones are created. */
  path: readonly string[];
  /** The name of the member in an object; without it the value is appended to an array. TOML takes members only. */
  key?: string;
  value: Json;
  /** True for a value of any version of mem. For a group, of one of its elements. */
  isOurs(value: unknown): boolean;
  /** A member at the top that the host needs and others use too: added if missing, removed only with the whole file. */
  shared?: true;
  /**
   * A member whose value does not say who set it. It is ours if the record says so; without a record, if an entry that is
   * not anonymous stands in the file. A value that was there before stays, or comes back.
   */
  anonymous?: true;
  /** What it allows, in words for the user. As an element of a list it is not counted as a hook. */
  grants?: string;
  /** Not wanted in this installation; an earlier one may have set it. */
  unwanted?: true;
  /** The members of the value that mem sets; the user may change or add others. Without it, all of them. */
  fields?: readonly string[];
  /** The value is a group: the elements of this member are ours, and others may add theirs. */
  group?: string;
}

/** The name of our server, which hosts put into the names of its tools: `mcp__mem__search`. */
export const mcpServerName = "mem";

/** Where the host would ask the user at each call of a tool. */
export const callsGranted = "its agent calls the tools of mem without asking";

/** Groups of one handler per event, below `hooks`: the form of Claude Code, which others took over. */
export function hookGroups(host: string, hooks: readonly HookRegistration[], at: HookCommands): Entry[] {
  return hooks.map(({ event, matcher, timeout, more }) => ({
    path: ["hooks", event],
    value: {
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [{ type: "command", command: at.hookCommand(event), timeout, ...more }],
    },
    group: "hooks",
    isOurs: (handler) => isHandlerOf(host, handler),
  }));
}

/** Whether `handler` is an object whose field is our hook command for the host. */
export function isHandlerOf(host: string, handler: unknown, field = "command"): boolean {
  const command = isJsonObject(handler) ? handler[field] : undefined;
  return typeof command === "string" && isHookCommand(host, command);
}

type HookCommands = Pick<HostPlace, "hookCommand">;

/** The member `mem` of the object at `path`. `value` is our server in the host's form. */
export function mcpEntry(path: readonly string[], value: JsonObject): Entry {
  return { path, key: mcpServerName, value, fields: startFields, isOurs: startsOurServer };
}

const startFields: readonly string[] = ["command", "args", "env", "environment"];

// The words may be in `args` or, as in OpenCode, in `command`.
function startsOurServer(server: unknown): boolean {
  if (!isJsonObject(server)) return false;
  const words = [server.command, server.args].flat().filter((word) => typeof word === "string");
  const [script = "", word] = words.slice(1);
  return /[/\\]mem\.js$/.test(script) ? word === "mcp" : /[/\\]mem-mcp\.(sh|mjs)$/.test(script);
}
