// OpenCode, Kilo CLI (made from it) and Pi: decodes what our plugins send, renders replies to them, and lists what to register.
// The plugins have read the hosts' own events.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../text/json.ts";
import { objectField, textField } from "../text/json-fields.ts";
import {
  baseOf,
  beforeCompactEvent,
  decodeEvent,
  type EventReader,
  type EventTable,
  injectedText,
  keyedPromptEvent,
  sessionEndEvent,
  sessionStartEvent,
  stopEvent,
  toolUseEvent,
} from "./decode-event.ts";
import type { HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import {
  type EditedFile,
  type HostAgent,
  type HostPlace,
  type Integration,
  mcpEntry,
  mcpServerName,
  type OwnFile,
} from "./integration.ts";

/** Events of `opencode-plugin/` and `pi-plugin/`; payloads recorded from OpenCode 1.18.33, Kilo CLI 7.7.7 and Pi 1.6.0. */
export const pluginAgents: readonly HostAgent[] = [
  opencodeLike("opencode", "OpenCode"),
  opencodeLike("kilo", "Kilo CLI"),
  agentOf(
    { name: "pi", title: "Pi", bundle: "pi", head: "export default", call: "memExtension" },
    {
      toldOf: "mcp__mem__remember",
      folder: { variable: "PI_CODING_AGENT_DIR", inHome: ".pi/agent" },
      file: ["extensions", "mem.js"],
      // Without the exposure the model reaches the tools through a script only.
      servers: ({ folder, server }) => ({
        path: join(folder, "mcp.json"),
        syntax: "json",
        mcp: [mcpEntry(["mcpServers"], { ...server, exposure: "direct" })],
      }),
    },
  ),
];

/** `name` is also that of its program, its folder and its configuration. */
function opencodeLike(name: string, title: string): HostAgent {
  return agentOf(
    { name, title, bundle: "opencode", head: "export const MemPlugin =", call: "memPlugin" },
    {
      toldOf: "mem_remember",
      folder: { variable: "XDG_CONFIG_HOME", inVariable: name, inHome: `.config/${name}` },
      file: ["plugins", "mem.js"],
      servers(at) {
        const { command, args, env } = at.server;
        const environment = env === undefined ? {} : { environment: env };
        const server = { type: "local", command: [command, ...args], ...environment, enabled: true };
        return { path: configFile(at, name), syntax: "json5", mcp: [mcpEntry(["mcp"], server)] };
      },
    },
  );
}

interface Where extends Pick<Integration, "toldOf" | "folder"> {
  /** Of the plugin, in the host's folder. */
  file: readonly string[];
  /** The file with the MCP servers. */
  servers(at: HostPlace): EditedFile;
}

function agentOf(plugin: Plugin, { file, servers, ...where }: Where): HostAgent {
  const { name, title, bundle } = plugin;
  return {
    host: { name, decode, render },
    integration: {
      ...where,
      title,
      program: name,
      hooks: [],
      files: (at) => [
        { path: join(at.folder, ...file), syntax: "own", ...pluginFile(at, plugin) },
        servers(at),
      ],
      copies: [bundle],
      next: [{ text: `Start ${title} again: a running one has not loaded the plugin.`, until: "event" }],
    },
  };
}

// Both names are read, and the second wins.
function configFile({ folder, exists }: HostPlace, name: string): string {
  const [json, jsonc] = [join(folder, `${name}.json`), join(folder, `${name}.jsonc`)];
  return exists(jsonc) ? jsonc : json;
}

/** The file that loads a plugin, and the plugin's function in its bundle. */
interface Plugin {
  name: string;
  title: string;
  /** The folder of `hooks/` with `mem.js`. */
  bundle: string;
  /** How the host finds the function, and its name in the bundle. */
  head: string;
  call: string;
}

// A plugin whose bundle is gone must not stop the host. The space keeps this text apart from code: the worker's has no
// `import` with a bracket behind it, which would not work there.
function pluginFile(
  { launcherFolder, dataDir }: HostPlace,
  { name, title, bundle, head, call }: Plugin,
): Pick<OwnFile, "text" | "isOurs"> {
  const url = pathToFileURL(join(launcherFolder, bundle, "mem.js")).href;
  const first = `// mem for ${title}`;
  const text = [
    `${first}: written by \`mem install ${name}\`, removed by \`mem uninstall ${name}\`.`,
    `${head} (input) =>`,
    `  import (${JSON.stringify(url)}).then(`,
    `    ({ ${call} }) => ${call}(input, ${JSON.stringify(dataDir)}, ${JSON.stringify(name)}),`,
    "    () => ({}),",
    "  );",
    "",
  ].join("\n");
  return { text, isOurs: (other) => other.startsWith(first) };
}

function decode(event: string, payload: JsonObject): HostEvent {
  const base = baseOf(payload);
  // The host has started: no session yet.
  if (event === "session-start" && base.sessionId === "") return { ...base, kind: "setup" };
  return decodeEvent(events, { name: event, base, payload });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    // Only of a copied session.
    ["session-start", sessionStartEvent],
    ["user-prompt-submit", keyedPromptEvent],
    ["post-tool-use", toolUse],
    ["pre-compact", beforeCompactEvent],
    ["stop", stopEvent],
    ["session-end", sessionEndEvent],
  ]),
  unused: new Set(),
};

function toolUse(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const response = objectField(payload, "tool_response");
  const { exit, is_error } = response;
  return toolUseEvent(base, payload, {
    name: toolName(textField(payload, "tool_name")),
    response,
    failed: is_error === true || (typeof exit === "number" && exit !== 0),
  });
}

// The host joins the names of server and tool. Ours are named as on other hosts, so that their uses are recognized.
function toolName(name: string): string {
  const own = `${mcpServerName}_`;
  return name.startsWith(own) ? `mcp__${mcpServerName}__${name.slice(own.length)}` : name;
}

const maxContextChars = 30_000;

// The plugin takes plain text: context for a prompt or a tool's output, or a notice for the host's log.
function render(event: HostEvent, answer: HostAnswer): string {
  if (event.kind === "setup") return answer.notice ?? "";
  const takes = event.kind === "prompt" || event.kind === "tool_use";
  return takes ? injectedText(event, answer, maxContextChars) : "";
}
