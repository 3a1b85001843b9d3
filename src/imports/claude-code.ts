// Transcripts of Claude Code: one file for each session, one JSON object a line, and files of sub-agents beside it.
import type { ImportedEvent } from "../core/records/imports.ts";
import { requestIn } from "../core/tools/host-text.ts";
import { refusalIn } from "../core/tools/user-answers.ts";
import { shownPrompt } from "../hosts/decode-event.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { objectField, objectsField, textField } from "../text/json-fields.ts";
import { sessionIdleMs, type TranscriptReader } from "./transcript.ts";

/** Lines of 2.0 to 2.1.3xx. Events are named as the host's hooks, and have their ids where the lines have them. */
export function createClaudeCodeReader(): TranscriptReader {
  const state: State = { turn: null, tools: new Map(), said: null, command: null, turnStart: 0, last: null };
  return {
    read(entry, start) {
      const base = baseOf(entry, state.last?.at);
      if (base === null) return [];
      state.last = { ...base, at: Math.max(base.at, state.last?.at ?? 0) };
      if (entry.type === "assistant") return fromAssistant(state, entry, base);
      if (entry.type === "user") return fromUser(state, entry, { ...base, start });
      if (entry.type === "attachment") return fromAttachment(state, entry, base);
      return [];
    },
    end(idleMs) {
      const { last, said } = state;
      const isOver = idleMs > sessionIdleMs;
      // A live session reports the end of its turn itself.
      const hasEnded = said?.isEnd === true && idleMs > settledMs;
      const events = isOver || hasEnded ? turnEnd(state) : [];
      if (isOver && last !== null && !last.isSidechain)
        events.push(
          event(last, "SessionEnd", { key: `end:${last.key}`, turn: null, payload: { reason: "other" } }),
        );
      return events;
    },
    isTurnOpen: () => state.turn !== null && state.said !== null,
    turnStart: () => state.turnStart,
    state: () => ({}),
  };
}

const settledMs = 60_000;
// Tool uses whose result never came are forgotten when so many newer ones came.
const mostOpenTools = 1_000;

interface Base {
  sessionId: string;
  cwd: string;
  branch: string;
  at: number;
  /** Id of the line. */
  key: string;
  isSidechain: boolean;
  agentId: string;
  promptId: string;
}

interface State {
  /** Id of the present turn's prompt. */
  turn: string | null;
  /** Uses without a result yet, by id. */
  tools: Map<string, { name: string; input: Json }>;
  /** The newest message of the agent with a text. */
  said: { base: Base; message: string; texts: string[]; isEnd: boolean } | null;
  /** A command that is a prompt only if the agent answers. */
  command: { base: Placed; text: string } | null;
  turnStart: number;
  last: Base | null;
}

type Placed = Base & { start: number };

// A line without a time is of the time of the line before. A session that was forked begins with lines of the other one.
function baseOf(entry: JsonObject, before: number | undefined): Base | null {
  const origin = objectField(entry, "forkedFrom");
  const sessionId = textField(origin, "sessionId") || textField(entry, "sessionId", "session_id");
  const time = Date.parse(textField(entry, "timestamp"));
  const at = Number.isFinite(time) ? time : before;
  if (sessionId === "" || at === undefined) return null;
  return {
    sessionId,
    cwd: textField(entry, "cwd"),
    branch: textField(entry, "gitBranch"),
    at,
    key: textField(origin, "messageUuid") || textField(entry, "uuid") || `${sessionId}:${at}`,
    isSidechain: entry.isSidechain === true,
    agentId: textField(entry, "agentId"),
    promptId: textField(entry, "promptId"),
  };
}

function event(
  { sessionId, cwd, branch, at }: Base,
  name: string,
  { key, turn, payload }: Pick<ImportedEvent, "key" | "turn" | "payload">,
): ImportedEvent {
  const common = { session_id: sessionId, ...(cwd === "" ? {} : { cwd }) };
  return {
    event: name,
    at,
    key,
    turn,
    ...(branch === "" ? {} : { branch }),
    payload: { ...common, ...(turn === null ? {} : { prompt_id: turn }), ...payload },
  };
}

function fromAssistant(state: State, entry: JsonObject, base: Base): ImportedEvent[] {
  const message = objectField(entry, "message");
  // The host's own words about an error.
  if (entry.isApiErrorMessage === true || message.model === "<synthetic>") return [];
  const events = base.isSidechain ? [] : promptOfCommand(state);
  for (const block of objectsField(message, "content")) {
    if (block.type === "tool_use") openTool(state, block);
    if (block.type === "text" && !base.isSidechain)
      keepText(state, { base, message, text: textField(block, "text") });
  }
  if (state.said !== null && !base.isSidechain) {
    state.said.isEnd = message.stop_reason === "end_turn" && state.said.message === textField(message, "id");
  }
  return events;
}

function openTool({ tools }: State, block: JsonObject): void {
  tools.set(textField(block, "id"), { name: textField(block, "name"), input: block.input ?? null });
  const [oldest] = tools.keys();
  if (tools.size > mostOpenTools && oldest !== undefined) tools.delete(oldest);
}

// One message stands in several lines, one for each block.
function keepText(
  state: State,
  { base, message, text }: { base: Base; message: JsonObject; text: string },
): void {
  if (text.trim() === "") return;
  const id = textField(message, "id");
  if (state.said?.message === id && id !== "") {
    state.said.texts.push(text);
    state.said.base = base;
  } else state.said = { base, message: id, texts: [text], isEnd: false };
}

function fromUser(state: State, entry: JsonObject, base: Placed): ImportedEvent[] {
  const { content } = objectField(entry, "message");
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length > 0)
    return results.flatMap((result) => toolUse(state, entry, { base, result, isOnly: results.length === 1 }));
  if (base.isSidechain || isOfHost(entry)) return [];
  const text = promptText(content);
  if (isCommand.test(text)) {
    const events = turnEnd(state);
    // The hook gets it as typed.
    state.command = { base, text: requestIn(text) };
    return events;
  }
  return requestIn(text).trim() === "" ? [] : prompt(state, text, base);
}

function promptText(content: Json | undefined): string {
  const text = textOf(content);
  const isAttached =
    Array.isArray(content) && content.filter(isJsonObject).some(({ type }) => attached.has(type));
  return isAttached ? shownPrompt(text) : text;
}

const isCommand = /^\s*<command-(?:name|message)>/;
const attached: ReadonlySet<Json | undefined> = new Set(["image", "document"]);

/** A line that the user did not write. */
export function isOfHost(entry: JsonObject): boolean {
  const { kind } = objectField(entry, "origin");
  return (
    entry.isMeta === true ||
    entry.isCompactSummary === true ||
    entry.isVisibleInTranscriptOnly === true ||
    entry.promptSource === "system" ||
    (typeof kind === "string" && kind !== "human")
  );
}

/** `/clear` and `/model` are answered by the host itself: no agent says anything after them. */
function promptOfCommand(state: State): ImportedEvent[] {
  const { command } = state;
  state.command = null;
  return command === null ? [] : prompt(state, command.text, command.base);
}

function prompt(state: State, text: string, base: Placed): ImportedEvent[] {
  const events = turnEnd(state);
  const turn = base.promptId || base.key;
  state.command = null;
  state.turn = turn;
  state.turnStart = base.start;
  events.push(event(base, "UserPromptSubmit", { key: turn, turn, payload: { prompt: text } }));
  return events;
}

// Typed while the agent worked: it belongs to the present turn.
function fromAttachment(state: State, entry: JsonObject, base: Base): ImportedEvent[] {
  const { type, commandMode, prompt: given } = objectField(entry, "attachment");
  if (type !== "queued_command" || (commandMode ?? "prompt") !== "prompt" || base.isSidechain) return [];
  const text = promptText(given);
  if (requestIn(text).trim() === "") return [];
  const turn = base.promptId || (state.turn ?? base.key);
  return [event(base, "UserPromptSubmit", { key: turn, turn, payload: { prompt: text } })];
}

function toolUse(
  state: State,
  entry: JsonObject,
  { base, result, isOnly }: { base: Base; result: JsonObject; isOnly: boolean },
): ImportedEvent[] {
  const id = textField(result, "tool_use_id");
  const tool = state.tools.get(id);
  state.tools.delete(id);
  if (tool === undefined || tool.name === "") return [];
  const text = textOf(result.content);
  // A tool that did not run has no hook: only the user's words count.
  const words = refusalIn({ tool_name: tool.name, tool_failed: true, tool_response: { error: text } });
  const isDenied = entry.toolDenialKind !== undefined || notRun.test(text);
  if (words === "" || (words === null && isDenied)) return [];
  const turn = base.isSidechain ? base.promptId || null : base.promptId || state.turn;
  const agent = base.agentId === "" ? {} : { agent_id: base.agentId };
  const use = { tool_name: tool.name, tool_input: tool.input, tool_use_id: id, ...agent };
  if (result.is_error === true)
    return [event(base, "PostToolUseFailure", { key: id, turn, payload: { ...use, error: text } })];
  const response = isOnly && entry.toolUseResult !== undefined ? entry.toolUseResult : text;
  return [event(base, "PostToolUse", { key: id, turn, payload: { ...use, tool_response: response } })];
}

const notRun = /^(The user doesn't want to (proceed|take this action)|\[Request interrupted by user)/;

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isJsonObject)
    .map((block) => textField(block, "text"))
    .filter(Boolean)
    .join("\n");
}

function turnEnd(state: State): ImportedEvent[] {
  const { said, turn } = state;
  state.said = null;
  if (turn === null || said === null) return [];
  const payload = { last_assistant_message: said.texts.join("\n") };
  return [event(said.base, "Stop", { key: `stop:${turn}`, turn, payload })];
}
