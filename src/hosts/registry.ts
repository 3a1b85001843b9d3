// The known host agents, by name.
import { MemError } from "../core/errors.ts";
import type { JsonObject } from "../text/json.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { claudeCode, claudeCodeIntegration } from "./claude-code.ts";
import { codex, codexIntegration } from "./codex.ts";
import { copilotCli, copilotCliIntegration } from "./copilot-cli.ts";
import { cursor, cursorIntegration } from "./cursor.ts";
import { geminiCli, geminiCliIntegration } from "./gemini-cli.ts";
import type { Host } from "./host-event.ts";
import type { HostAgent } from "./integration.ts";
import { openclaw, openclawIntegration } from "./openclaw.ts";
import { pluginAgents } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";

/** Every host whose events are read, and that mem can be installed in: one file, and one line here. */
export const hostAgents: readonly HostAgent[] = [
  { host: claudeCode, integration: claudeCodeIntegration },
  { host: codex, integration: codexIntegration },
  { host: geminiCli, integration: geminiCliIntegration },
  { host: copilotCli, integration: copilotCliIntegration },
  { host: cursor, integration: cursorIntegration },
  ...pluginAgents,
  qwenCode,
  { host: openclaw, integration: openclawIntegration },
];

/** Their names. */
export const hostNames: readonly string[] = hostAgents.map(({ host }) => host.name);

/** The host that sent `payload` to the hook of host `name`: hosts run hooks of others. Undefined for an unknown name. */
export function hostOf(name: string, payload: JsonObject): Host | undefined {
  const hosts = hostAgents.map(({ host }) => host);
  return hosts.find((host) => host.isSender?.(payload) === true) ?? hosts.find((host) => host.name === name);
}

/** The host with its integration. Throws `host_unknown`. */
export function agentNamed(name: string): HostAgent {
  const found = hostAgents.find(({ host }) => host.name === name);
  if (found !== undefined) return found;
  throw new MemError("host_unknown", {
    message: `No host agent named \`${terminalLine(name).slice(0, 60)}\`.`,
    hint: `Known hosts: ${hostNames.join(", ")}.`,
  });
}
