// Transcripts of Codex CLI: one rollout file for each session, one JSON object a line.
import type { ImportedEvent } from "../core/records/imports.ts";
import { requestIn } from "../core/tools/host-text.ts";
import { shownPrompt } from "../hosts/decode-event.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { numberField, objectField, objectsField, parseObject, textField } from "../text/json-fields.ts";
import { sessionIdleMs, type TranscriptReader } from "./transcript.ts";

interface State {
  session: {
    id: string;
    cwd: string;
    branch: string;
    commit: string;
    isOfAgent: boolean;
    /** When it began, in a rollout whose lines have no time; else null. */
    untimedFrom: number | null;
  };
  /** Id of the host's present turn, which the hooks send; empty in rollouts of earlier versions. */
  turn: string;
  /** Id of the turn's prompt; null before the first one. */
  prompt: string | null;
  calls: Map<string, { name: string; input: JsonObject }>;
  said: { text: string; at: number } | null;
  turnStart: number;
  /** Where the present turn was announced. */
  announced: number | null;
  lastAt: number;
}

/** Rollouts up to 0.171. Only the first line names the session, so it is in the state. */
export function createCodexReader(known: JsonObject): TranscriptReader {
  const state: State = {
    session: {
      id: textField(known, "id"),
      cwd: textField(known, "cwd"),
      branch: textField(known, "branch"),
      commit: textField(known, "commit"),
      isOfAgent: known.isOfAgent === true,
      untimedFrom: typeof known.untimedFrom === "number" ? known.untimedFrom : null,
    },
    ...{ turn: "", prompt: null, calls: new Map(), said: null, turnStart: 0, announced: null, lastAt: 0 },
  };
  const messageOf = createMessages();
  return {
    read(entry, start) {
      const at = Date.parse(textField(entry, "timestamp"));
      const payload = objectField(entry, "payload");
      if (state.session.untimedFrom !== null) return fromUntimed(state, entry, start);
      if (!Number.isFinite(at)) return [];
      if (entry.type === undefined && entry.payload === undefined) return openUntimed(state, entry, at);
      state.lastAt = Math.max(state.lastAt, at);
      switch (entry.type) {
        case "session_meta":
          return open(state, payload);
        case "turn_context":
          state.turn = textField(payload, "turn_id") || state.turn;
          state.session.cwd = textField(payload, "cwd") || state.session.cwd;
          return [];
        case "event_msg":
          return fromMessage(state, messageOf(payload), { at, start });
        case "response_item":
          return fromItem(state, payload, at);
        default:
          return [];
      }
    },
    end(idleMs) {
      if (idleMs <= sessionIdleMs || state.session.id === "" || state.session.isOfAgent) return [];
      const key = `end:${state.lastAt}`;
      return [
        ...turnEnd(state),
        event(state, "SessionEnd", { key, at: state.lastAt, payload: { reason: "other" } }),
      ];
    },
    isForeign: () => state.session.id === "",
    isTurnOpen: () => state.prompt !== null && state.said !== null,
    turnStart: () => state.turnStart,
    state: () => ({ ...state.session }),
  };
}

// A file can begin with the sessions that it was forked from: the first one is its own.
function open({ session }: State, payload: JsonObject): [] {
  if (session.id !== "") return [];
  session.id = textField(payload, "session_id", "id");
  session.cwd = textField(payload, "cwd");
  keepGit(session, payload);
  session.isOfAgent = isJsonObject(payload.source) && payload.source.subagent !== undefined;
  return [];
}

function keepGit(session: State["session"], payload: JsonObject): void {
  const git = objectField(payload, "git");
  session.branch = textField(git, "branch");
  session.commit = textField(git, "commit_hash");
}

// Until September 2025 a first line names the session, and items follow without an envelope and without a time.
function openUntimed({ session }: State, entry: JsonObject, at: number): [] {
  if (session.id !== "") return [];
  session.id = textField(entry, "id");
  session.untimedFrom = at;
  keepGit(session, entry);
  return [];
}

/** Each item is placed behind the start of the session by its offset, which keeps their order. */
function fromUntimed(state: State, item: JsonObject, start: number): ImportedEvent[] {
  const at = (state.session.untimedFrom ?? 0) + Math.floor(start / bytesPerMs);
  state.lastAt = Math.max(state.lastAt, at);
  if (item.type !== "message") return fromItem(state, item, at);
  const { content } = item;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const text = parts.map((part) => textField(part, "text")).join("\n");
  if (item.role === "assistant")
    return fromMessage(state, { type: "agent_message", message: text }, { at, start });
  if (item.role !== "user") return [];
  const cwd = /<cwd>([^<]+)<\/cwd>|^Current working directory: (.+)$/m.exec(text);
  if (text.trimStart().startsWith("<environment_context>"))
    state.session.cwd = (cwd?.[1] ?? cwd?.[2])?.trim() ?? state.session.cwd;
  if (requestIn(text) === "") return [];
  const images = parts.filter(({ type }) => type === "input_image");
  return fromMessage(state, { type: "user_message", message: text, images }, { at, start });
}

const bytesPerMs = 64;

function fromMessage(
  state: State,
  payload: JsonObject,
  { at, start }: { at: number; start: number },
): ImportedEvent[] {
  const { session } = state;
  switch (payload.type) {
    case "task_started":
      state.turn = textField(payload, "turn_id");
      state.announced = start;
      return [];
    case "user_message": {
      const text = promptText(payload);
      if (text.trim() === "" || session.id === "" || session.isOfAgent) return [];
      const events = turnEnd(state);
      const prompt = state.turn || `${session.id}:${session.untimedFrom === null ? at : `@${start}`}`;
      // Only the announcement of a turn names it: a message typed during the turn is read with it.
      if (prompt !== state.prompt) state.turnStart = state.announced ?? start;
      state.prompt = prompt;
      state.announced = null;
      return [
        ...events,
        event(state, "UserPromptSubmit", { key: state.prompt, at, payload: { prompt: text } }),
      ];
    }
    case "agent_message": {
      const text = textField(payload, "message");
      if (text.trim() !== "") state.said = { text, at };
      return [];
    }
    case "task_complete": {
      const text = textField(payload, "last_agent_message");
      if (text.trim() !== "") state.said = { text, at };
      return turnEnd(state);
    }
    default:
      return [];
  }
}

/** Versions that page their history write an item in place of each message, or before it: then the message is empty. */
export function createMessages(): (payload: JsonObject) => JsonObject {
  let asked = "";
  return (payload) => {
    const read = plainMessage(payload);
    if (read.type !== "user_message") return read;
    const before = asked;
    asked = read === payload ? "" : textField(read, "message");
    return read === payload && before !== "" && before === textField(read, "message").trim() ? {} : read;
  };
}

function plainMessage(payload: JsonObject): JsonObject {
  const item = objectField(payload, "item");
  const parts = objectsField(item, "content");
  const message = parts
    .map((part) => textField(part, "text"))
    .join("\n")
    .trim();
  if (item.type === "AgentMessage") return { type: "agent_message", message };
  const images = parts.filter(({ type }) => type !== "text");
  return item.type === "UserMessage" ? { type: "user_message", message, images } : payload;
}

function promptText(payload: JsonObject): string {
  const text = textField(payload, "message");
  const isAttached = [payload.images, payload.local_images].some(
    (list) => Array.isArray(list) && list.length > 0,
  );
  return isAttached ? shownPrompt(text) : text;
}

function fromItem(state: State, item: JsonObject, at: number): ImportedEvent[] {
  const id = textField(item, "call_id", "id");
  const { session, calls } = state;
  if (session.id === "" || session.isOfAgent || id === "") return [];
  switch (item.type) {
    case "function_call":
      calls.set(id, callOf(textField(item, "name"), parseObject(textField(item, "arguments")) ?? {}));
      return [];
    case "custom_tool_call":
      calls.set(id, { name: textField(item, "name"), input: { command: textField(item, "input") } });
      return [];
    case "local_shell_call":
      calls.set(id, callOf("shell", objectField(item, "action")));
      return [];
    case "function_call_output":
    case "custom_tool_call_output": {
      const call = calls.get(id);
      calls.delete(id);
      if (call === undefined || call.name === "") return [];
      const use = { tool_name: call.name, tool_input: call.input, tool_use_id: id };
      const payload = { ...use, tool_response: responseOf(item.output ?? null) };
      return [event(state, "PostToolUse", { key: `${state.turn}:${id}`, at, payload })];
    }
    default:
      return [];
  }
}

const shells = new Set(["shell", "container.exec", "exec_command", "shell_command", "local_shell"]);

/** A call of a shell as the hooks name it. */
function callOf(name: string, input: JsonObject): { name: string; input: JsonObject } {
  if (!shells.has(name)) return { name, input };
  const { command } = input;
  const words = Array.isArray(command) ? command.map(String) : [];
  const isShell = words.length === 3 && /^(.*\/)?(ba|z|da|)sh$/.test(words[0] ?? "") && words[1] === "-lc";
  const text =
    words.length > 0 ? (isShell ? (words[2] ?? "") : words.join(" ")) : textField(input, "command", "cmd");
  return { name: "Bash", input: { command: text } };
}

/** The output as the hooks give it; with the exit code of a command that failed. */
function responseOf(output: Json): Json {
  const object = typeof output === "string" ? parseObject(output) : isJsonObject(output) ? output : null;
  if (object !== null && (object.output !== undefined || object.content !== undefined)) {
    const text = textField(object, "output", "content");
    return withCode(text, numberField(objectField(object, "metadata"), "exit_code"));
  }
  if (typeof output !== "string") return output;
  const head = /^(?:.*\n){0,8}?Output:\n/.exec(output)?.[0];
  if (head === undefined) return output;
  const code = /(?:Exit code: |exited with code )(-?\d+)/.exec(head)?.[1];
  return withCode(output.slice(head.length), code === undefined ? null : Number(code));
}

function withCode(output: string, code: number | null): Json {
  return code === null || code === 0 ? output : { output, exit_code: code };
}

function event(
  { session, turn, prompt }: State,
  name: string,
  { key, at, payload }: { key: string; at: number; payload: JsonObject },
): ImportedEvent {
  const { branch, commit } = session;
  const common = { session_id: session.id, ...(session.cwd === "" ? {} : { cwd: session.cwd }) };
  const turnId = turn || prompt;
  return {
    event: name,
    at,
    key,
    turn: prompt,
    ...(branch === "" ? {} : { branch }),
    ...(commit === "" ? {} : { commit }),
    payload: { ...common, ...(turnId === null ? {} : { turn_id: turnId }), ...payload },
  };
}

function turnEnd(state: State): ImportedEvent[] {
  const { said, prompt } = state;
  state.said = null;
  if (said === null || prompt === null) return [];
  const payload = { last_assistant_message: said.text };
  return [event(state, "Stop", { key: `stop:${prompt}`, at: said.at, payload })];
}
