// What the decoders of all hosts share: the table of events, tool uses, and the text to inject.
import { resolve } from "node:path";
import { shorten } from "../core/shorten.ts";
import { editedPaths } from "../core/tools/apply-patch.ts";
import { filesShown } from "../core/tools/command-files.ts";
import { parseCommandLine } from "../core/tools/command-line.ts";
import { imageOnly, requestIn } from "../core/tools/host-text.ts";
import { commandIn, readCall, type ToolCall } from "../core/tools/tool-kind.ts";
import type { Json, JsonObject } from "../text/json.ts";
import { textField } from "../text/json-fields.ts";
import { kebabCase } from "../text/kebab-case.ts";
import { type HostAnswer, type HostEvent, type HostEventBase, replaysTranscript } from "./host-event.ts";

/** Decodes one event; null when a required field is missing. */
export type EventReader = (base: HostEventBase, payload: JsonObject) => HostEvent | null;

/** The events of a host, by name in kebab-case. */
export interface EventTable {
  read: ReadonlyMap<string, EventReader>;
  /** Events that exist and that memory does not need. */
  unused: ReadonlySet<string>;
}

/** Names of events as their host spells them, in one text. */
export function eventNames(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/).map(kebabCase));
}

/** The fields of every event, under the names of Claude Code, which others took over. */
export function baseOf(payload: JsonObject): HostEventBase {
  return {
    sessionId: textField(payload, "session_id"),
    cwd: textField(payload, "cwd") || null,
    agentId: textField(payload, "agent_id") || null,
    agentType: textField(payload, "agent_type") || null,
    eventKey: null,
    promptKey: textField(payload, "prompt_id") || null,
  };
}

/** Decodes a payload that names its event. The launcher passes the registered one. */
export function decodeNamed(
  events: EventTable,
  event: string,
  { payload, base = baseOf(payload) }: { payload: JsonObject; base?: HostEventBase },
): HostEvent {
  return decodeEvent(events, { name: textField(payload, "hook_event_name") || event, base, payload });
}

/** Decodes the event `name` by the table. One that cannot be read becomes `other`. */
export function decodeEvent(
  { read, unused }: EventTable,
  { name, base, payload }: { name: string; base: HostEventBase; payload: JsonObject },
): HostEvent {
  const other: HostEvent = { ...base, kind: "other", name, payload };
  if (base.sessionId === "") return other;
  const key = kebabCase(name);
  const reader = read.get(key);
  if (reader === undefined) return unused.has(key) ? other : { ...other, misread: "unknown_event" };
  return reader(base, payload) ?? { ...other, misread: "missing_field" };
}

/** A prompt of the user, with the key that the base has. */
export function promptEvent(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const { prompt } = payload;
  if (typeof prompt !== "string") return null;
  // The report of a sub-agent, a hook's feedback: no user wrote it.
  const isOfHost = prompt.trim() !== "" && requestIn(prompt) === "";
  if (isOfHost) return { ...base, eventKey: null, kind: "other", name: "UserPromptSubmit", payload };
  return { ...base, kind: "prompt", text: shownPrompt(prompt) };
}

/** The text of a prompt; a stand-in for one that is only an image, whose text hosts give as empty. */
export function shownPrompt(text: string): string {
  return text.trim() === "" ? imageOnly : text;
}

/** A prompt whose key is that of its turn. */
export function keyedPromptEvent(base: HostEventBase, payload: JsonObject): HostEvent | null {
  return promptEvent({ ...base, eventKey: base.promptKey }, payload);
}

export function sessionStartEvent(base: HostEventBase, payload: JsonObject): HostEvent {
  return { ...base, kind: "session_start", source: textField(payload, "source") || "startup" };
}

export function beforeCompactEvent(base: HostEventBase): HostEvent {
  return { ...base, kind: "before_compact" };
}

export function sessionEndEvent(base: HostEventBase, payload: JsonObject): HostEvent {
  return { ...base, kind: "session_end", reason: textField(payload, "reason") || "other" };
}

/** The end of a turn. One prompt can have several: another hook can make the turn go on. */
export function turnEndEvent(base: HostEventBase, lastAssistantMessage: string): HostEvent {
  const eventKey = base.promptKey === null ? null : `stop:${base.promptKey}`;
  return { ...base, eventKey, kind: "turn_end", lastAssistantMessage };
}

/** The end of a turn whose payload has the agent's last message in the field of Claude Code. */
export function stopEvent(base: HostEventBase, payload: JsonObject): HostEvent {
  return turnEndEvent(base, textField(payload, "last_assistant_message"));
}

interface ToolUse {
  /** Default: `tool_name`; likewise the input, and the response from `tool_response`. */
  name?: string;
  input?: Json;
  response?: Json;
  failed: boolean;
  /** False on a host that takes no context after a tool. */
  takesContext?: boolean;
}

/** A tool use, with the key `tool_use_id` if it has one; null without a tool name. */
export function toolUseEvent(
  base: HostEventBase,
  payload: JsonObject,
  { name = textField(payload, "tool_name"), failed, takesContext = true, ...given }: ToolUse,
): HostEvent | null {
  const { input = payload.tool_input ?? null, response = payload.tool_response ?? null } = given;
  if (name === "") return null;
  const call = readCall({ tool_name: name, tool_input: input });
  const about = aboutOf(call, base.cwd);
  const wrote = call.kind === "edit" && !failed ? about.paths : [];
  return {
    ...base,
    eventKey: textField(payload, "tool_use_id") || base.eventKey,
    kind: "tool_use",
    toolName: name,
    toolInput: input,
    toolResponse: response,
    failed,
    // A failed command keeps its context, which can be a known fix.
    ...(takesContext ? { about: failed ? { ...about, paths: [] } : about } : {}),
    ...(wrote.length === 0 ? {} : { wrote }),
  };
}

function aboutOf(call: ToolCall, cwd: string | null): { command: string | null; paths: string[] } {
  const inCwd = (paths: readonly string[]) => paths.map((path) => (cwd === null ? path : resolve(cwd, path)));
  if (call.kind === "shell") {
    const command = commandIn(call.inputText || call.input).text;
    return { command, paths: inCwd(filesShown(parseCommandLine(command))) };
  }
  const paths = call.kind === "read" || call.kind === "edit" ? editedPaths(call) : [];
  return { command: null, paths: inCwd(paths) };
}

/** The text to inject, cut; empty when there is none, or when the session's transcript has it already. */
export function injectedText(event: HostEvent, { context }: HostAnswer, maxChars: number): string {
  const isReplayed = event.kind === "session_start" && replaysTranscript(event.source);
  return isReplayed || context === null ? "" : shorten(context, maxChars);
}

/** Context and notice in the envelope of Claude Code, which others took over. `names` are the events that take them. */
export function nestedOutput(
  event: HostEvent,
  answer: HostAnswer,
  { names, maxChars }: { names: ReadonlyMap<HostEvent["kind"], string>; maxChars: number },
): string {
  const hookEventName = names.get(event.kind);
  if (hookEventName === undefined) return "";
  const additionalContext = injectedText(event, answer, maxChars);
  return outputJson({
    ...(answer.notice === null || answer.notice === "" ? {} : { systemMessage: answer.notice }),
    ...(additionalContext === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext } }),
  });
}

/** One line of JSON; nothing for an object without fields. */
export function outputJson(output: JsonObject): string {
  return Object.keys(output).length === 0 ? "" : JSON.stringify(output);
}
