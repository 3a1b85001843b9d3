// OpenClaw: decodes what our gateway plugin sends, renders replies to it, and lists the entries that load the plugin. The
// plugin has read the gateway's own events.
import { join } from "node:path";
import type { JsonObject } from "../text/json.ts";
import { objectField, textField, textsField } from "../text/json-fields.ts";
import {
  decodeEvent,
  type EventTable,
  keyedPromptEvent,
  sessionEndEvent,
  stopEvent,
  toolUseEvent,
} from "./decode-event.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import { type Entry, type HostPlace, type Integration, mcpEntry } from "./integration.ts";

/** Events of `openclaw-plugin/`, with the field names of the session routes. */
export const openclaw: Host = { name: "openclaw", asksForContext: true, decode, render };

const pluginId = "mem";

export const openclawIntegration: Integration = {
  title: "OpenClaw",
  folder: { variable: "OPENCLAW_STATE_DIR", inHome: ".openclaw" },
  program: "openclaw",
  // The plugin runs in the gateway's process.
  hooks: [],
  files: (at) => [
    {
      path: join(at.folder, "openclaw.json"),
      syntax: "json5",
      hooks: pluginEntries(at),
      mcp: [mcpEntry(["mcp", "servers"], { ...at.server })],
    },
  ],
  copies: ["openclaw"],
  consent:
    "OpenClaw will give the plugin the conversations of its agents (allowConversationAccess): without that, mem would store tool uses only and inject nothing.",
  revoked: (settings) => revoked(["plugins", "entries", pluginId].reduce(objectField, settings)),
  next: [
    {
      text: "Restart the gateway: `openclaw gateway restart`. Then `/mem_status` in a chat shows whether mem works.",
      until: "event",
    },
  ],
  hooksOff: ({ plugins }) => pluginOff(objectField({ plugins: plugins ?? null }, "plugins")),
};

// A switch that the user turned off stays off: only `mem install`, which asks, turns it on again.
function revoked(entry: JsonObject): string | null {
  if (entry.enabled === false) return "turns the plugin off";
  const isRevoked = objectField(entry, "hooks").allowConversationAccess === false;
  return isRevoked ? "does not give the plugin the conversations" : null;
}

// Single members: the user's own settings of the plugin stand beside them, in `config`. Another data directory has other
// folders.
function pluginEntries({ launcherFolder, dataDir }: HostPlace): Entry[] {
  const entry = ["plugins", "entries", pluginId];
  const isSwitch = (value: unknown) => typeof value === "boolean";
  const isPath = (value: unknown) => typeof value === "string";
  const isFolder = (value: unknown) => typeof value === "string" && /[/\\]bin[/\\]openclaw$/.test(value);
  return [
    { path: ["plugins", "load", "paths"], value: join(launcherFolder, "openclaw"), isOurs: isFolder },
    { path: entry, key: "enabled", value: true, isOurs: isSwitch, anonymous: true },
    {
      ...{ path: [...entry, "hooks"], key: "allowConversationAccess", value: true },
      ...{ isOurs: isSwitch, anonymous: true },
    },
    {
      ...{ path: [...entry, "config"], key: "dataDir", value: dataDir ?? "", isOurs: isPath },
      ...{ anonymous: true, ...(dataDir === null ? { unwanted: true } : {}) },
    },
  ];
}

function pluginOff(plugins: JsonObject): { reason: string; next: string } | null {
  if (plugins.enabled === false) {
    return { reason: "turns plugins off, so the plugin is not loaded", next: "Set plugins.enabled to true" };
  }
  const allowed = textsField(plugins, "allow");
  if (allowed.length > 0 && !allowed.includes(pluginId)) {
    return { reason: "allows other plugins only (plugins.allow)", next: `Add "${pluginId}" to the list` };
  }
  if (!textsField(plugins, "deny").includes(pluginId)) return null;
  return { reason: "denies the plugin (plugins.deny)", next: `Remove "${pluginId}" from the list` };
}

function decode(name: string, payload: JsonObject): HostEvent {
  const runId = textField(payload, "runId");
  const project = textField(payload, "project");
  const base: HostEventBase = {
    sessionId: textField(payload, "claudeSessionId"),
    cwd: textField(payload, "cwd") || null,
    agentId: textField(payload, "subagentId") || null,
    agentType: null,
    eventKey: null,
    promptKey: runId || null,
    ...(project === "" ? {} : { project }),
  };
  // The gateway has started: no session yet.
  if (name === "session-start") return { ...base, kind: "setup" };
  return decodeEvent(events, { name, base, payload });
}

const events: EventTable = {
  read: new Map([
    ["init", keyedPromptEvent],
    ["context", (base) => ({ ...base, kind: "context" })],
    ["observations", toolUse],
    ["summarize", stopEvent],
    ["complete", sessionEndEvent],
  ]),
  unused: new Set(),
};

// The plugin says whether the result can still be changed.
function toolUse(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const takesContext = payload.takes_context === true;
  return toolUseEvent(base, payload, { failed: payload.tool_failed === true, takesContext });
}

// The plugin takes plain text: context for the system prompt or a tool's result, or a notice for the gateway's log.
function render(event: HostEvent, { context, notice }: HostAnswer): string {
  if (event.kind === "setup") return notice ?? "";
  const takes = event.kind === "context" || (event.kind === "tool_use" && event.about !== undefined);
  return takes ? (context ?? "") : "";
}
