// OpenCode: decodes what our plugin sends, renders replies to it, and lists what to register. The plugin has read OpenCode's
// own events.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../text/json.ts";
import { objectField, textField } from "../text/json-fields.ts";
import {
  decodeEvent,
  type EventReader,
  type EventTable,
  injectedText,
  promptEvent,
  sessionEndEvent,
  stopEvent,
  toolUseEvent,
} from "./decode-event.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import { type HostPlace, type Integration, mcpEntry, mcpServerName } from "./integration.ts";

/** Events of `opencode-plugin/`; its payloads recorded from 1.18.33. */
export const opencode: Host = { name: "opencode", decode, render };

export const opencodeIntegration: Integration = {
  title: "OpenCode",
  toldOf: "mem_remember",
  folder: { variable: "XDG_CONFIG_HOME", inVariable: "opencode", inHome: ".config/opencode" },
  program: "opencode",
  hooks: [],
  files(at) {
    const { command, args, env } = at.server;
    const environment = env === undefined ? {} : { environment: env };
    const server = { type: "local", command: [command, ...args], ...environment, enabled: true };
    return [
      {
        path: join(at.folder, "plugins", "mem.js"),
        syntax: "own",
        text: pluginFile(at),
        isOurs: (text) => text.startsWith(pluginHead),
      },
      { path: configFile(at), syntax: "json5", mcp: [mcpEntry(["mcp"], server)] },
    ];
  },
  copies: ["opencode"],
  next: [{ text: "Start OpenCode again: a running one has not loaded the plugin.", until: "event" }],
};

// OpenCode reads both names, and the second wins.
function configFile({ folder, exists }: HostPlace): string {
  const [json, jsonc] = [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
  return exists(jsonc) ? jsonc : json;
}

const pluginHead = "// mem for OpenCode";

// A plugin whose bundle is gone must not stop OpenCode. The space keeps this text apart from code: the worker's has no
// `import` with a bracket behind it, which would not work there.
function pluginFile({ launcherFolder, dataDir }: HostPlace): string {
  const bundle = pathToFileURL(join(launcherFolder, "opencode", "mem.js")).href;
  return [
    `${pluginHead}: written by \`mem install opencode\`, removed by \`mem uninstall opencode\`.`,
    "export const MemPlugin = (input) =>",
    `  import (${JSON.stringify(bundle)}).then(`,
    `    ({ memPlugin }) => memPlugin(input, ${JSON.stringify(dataDir)}),`,
    "    () => ({}),",
    "  );",
    "",
  ].join("\n");
}

function decode(event: string, payload: JsonObject): HostEvent {
  const promptKey = textField(payload, "prompt_id") || null;
  const base: HostEventBase = {
    sessionId: textField(payload, "session_id"),
    cwd: textField(payload, "cwd") || null,
    agentId: textField(payload, "agent_id") || null,
    agentType: null,
    eventKey: textField(payload, "tool_use_id") || promptKey,
    promptKey,
  };
  // OpenCode has started: no session yet.
  if (event === "session-start") return { ...base, kind: "setup" };
  return decodeEvent(events, { name: event, base, payload });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    ["user-prompt-submit", promptEvent],
    ["post-tool-use", toolUse],
    ["pre-compact", (base) => ({ ...base, kind: "before_compact" })],
    ["stop", stopEvent],
    ["session-end", sessionEndEvent],
  ]),
  unused: new Set(),
};

function toolUse(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const response = objectField(payload, "tool_response");
  const { exit, is_error } = response;
  return toolUseEvent(base, {
    name: toolName(textField(payload, "tool_name")),
    input: payload.tool_input ?? null,
    response,
    failed: is_error === true || (typeof exit === "number" && exit !== 0),
  });
}

// OpenCode joins the names of server and tool. Ours are named as on other hosts, so that their uses are recognized.
function toolName(name: string): string {
  const own = `${mcpServerName}_`;
  return name.startsWith(own) ? `mcp__${mcpServerName}__${name.slice(own.length)}` : name;
}

const maxContextChars = 30_000;

// The plugin takes plain text: context for a prompt or a tool's output, or a notice for OpenCode's log.
function render(event: HostEvent, answer: HostAnswer): string {
  if (event.kind === "setup") return answer.notice ?? "";
  const takes = event.kind === "prompt" || event.kind === "tool_use";
  return takes ? injectedText(event, answer, maxContextChars) : "";
}
