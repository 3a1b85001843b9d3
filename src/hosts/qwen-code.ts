// Qwen Code: decodes its hook payloads, renders replies in its envelope, and lists the hooks to register. It has the envelope
// of Claude Code and the tools of Gemini CLI.
import type { JsonObject } from "../text/json.ts";
import { allHooksOff, claudeCodeEvents, failureIn } from "./claude-code.ts";
import {
  decodeNamed,
  type EventReader,
  type EventTable,
  eventNames,
  keyedPromptEvent,
  nestedOutput,
  toolUseEvent,
} from "./decode-event.ts";
import { named, settingsFile } from "./gemini-cli.ts";
import type { HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import type { HookRegistration, HostAgent } from "./integration.ts";

const name = "qwen-code";

// From 1,000 on a timeout is in milliseconds; earlier versions read all as such. PreToolUse takes context only with a decision.
const hooks: readonly HookRegistration[] = [
  ...["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "PreCompact"].map(
    (event) => ({ event, timeout: 60_000, ...named }),
  ),
  { event: "SessionEnd", timeout: 3_000, ...named },
];

/** Payloads recorded from 0.24.4. The context of a start is not saved with the chat. */
export const qwenCode: HostAgent = {
  host: { name, keepsPromptsOnly: true, decode, render },
  integration: {
    title: "Qwen Code",
    folder: { variable: "QWEN_HOME", inHome: ".qwen" },
    program: "qwen",
    hooks,
    files: (at) => [settingsFile(name, hooks, at)],
    next: [{ text: "Start a new Qwen Code session: a running one has no hooks yet.", until: "event" }],
    hooksOff: allHooksOff,
  },
};

function decode(event: string, payload: JsonObject): HostEvent {
  return decodeNamed(events, event, { payload });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    ...claudeCodeEvents.read,
    ["user-prompt-submit", prompt],
    ["post-tool-use", (base, payload) => toolUseEvent(base, payload, { failed: false })],
    ["post-tool-use-failure", (base, payload) => toolUseEvent(base, payload, failureIn(payload))],
  ]),
  unused: new Set([...claudeCodeEvents.unused, ...eventNames("SessionDelete TodoCreated TodoCompleted")]),
};

// It comes again before each request of a turn, with an empty text, and in a sub-agent.
function prompt(base: HostEventBase, payload: JsonObject): HostEvent | null {
  if (base.agentId === null && payload.prompt !== "") return keyedPromptEvent(base, payload);
  return { ...base, kind: "other", name: "UserPromptSubmit", payload };
}

const maxContextChars = 9_800;

const contextEvents: ReadonlyMap<HostEvent["kind"], string> = new Map([
  ["session_start", "SessionStart"],
  ["prompt", "UserPromptSubmit"],
  ["tool_use", "PostToolUse"],
]);
const afterFailure: typeof contextEvents = new Map([["tool_use", "PostToolUseFailure"]]);

function render(event: HostEvent, answer: HostAnswer): string {
  const names = event.kind === "tool_use" && event.failed ? afterFailure : contextEvents;
  return nestedOutput(event, answer, { names, maxChars: maxContextChars });
}
