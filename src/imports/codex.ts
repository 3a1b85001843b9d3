// Transcripts of Codex CLI: one rollout file for each session, one JSON object a line.
import type { ImportedEvent } from "../core/records/imports.ts";
import { requestIn } from "../core/tools/host-text.ts";
import { shownPrompt } from "../hosts/decode-event.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { objectField, textField } from "../text/json-fields.ts";
import { type Call, callIn, createMessages, itemUse, responseOf } from "./codex-items.ts";
import { sessionIdleMs, type TranscriptReader } from "./transcript.ts";

interface State {
  session: {
    id: string;
    cwd: string;
    branch: string;
    commit: string;
    remote: string;
    isOfAgent: boolean;
    /** When it began, in a rollout whose lines have no time; else null. */
    untimedFrom: number | null;
  };
  /** Id of the host's present turn, which the hooks send; empty in rollouts of earlier versions. */
  turn: string;
  /** Id of the turn's prompt; null before the first one. */
  prompt: string | null;
  calls: Map<string, Call>;
  /** Whether scripts make the calls (code mode): only then are items tool uses. */
  isScripted: boolean;
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
      remote: textField(known, "remote"),
      isOfAgent: known.isOfAgent === true,
      untimedFrom: typeof known.untimedFrom === "number" ? known.untimedFrom : null,
    },
    ...{ turn: "", prompt: null, calls: new Map(), isScripted: false },
    ...{ said: null, turnStart: 0, announced: null, lastAt: 0 },
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
  session.remote = textField(git, "repository_url");
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
    case "item_completed":
      return fromUseItem(state, objectField(payload, "item"), at);
    default:
      return [];
  }
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
    case "custom_tool_call":
    case "local_shell_call": {
      const call = callIn(item);
      if (call === null) state.isScripted = true;
      else calls.set(id, call);
      return [];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const call = calls.get(id);
      calls.delete(id);
      if (call === undefined || call.name === "") return [];
      return [toolUse(state, id, { ...call, response: responseOf(item.output ?? null), at })];
    }
    default:
      return [];
  }
}

/** An item that repeats a call has the same key, but the call may have another id than its item. */
function fromUseItem(state: State, item: JsonObject, at: number): ImportedEvent[] {
  const use = itemUse(item);
  const { id, isOfAgent } = state.session;
  if (use === undefined || !state.isScripted || id === "" || isOfAgent) return [];
  const { cwd, ...made } = use;
  return [toolUse(state, textField(item, "id"), { ...made, at, ...(cwd === "" ? {} : { cwd }) })];
}

function toolUse(
  state: State,
  id: string,
  { name, input, response, at, ...place }: Call & { response: Json; at: number; cwd?: string },
): ImportedEvent {
  const use = { tool_name: name, tool_input: input, tool_use_id: id };
  const payload = { ...place, ...use, tool_response: response };
  return event(state, "PostToolUse", { key: `${state.turn}:${id}`, at, payload });
}

function event(
  { session, turn, prompt }: State,
  name: string,
  { key, at, payload }: { key: string; at: number; payload: JsonObject },
): ImportedEvent {
  const { branch, commit, remote } = session;
  const common = { session_id: session.id, ...(session.cwd === "" ? {} : { cwd: session.cwd }) };
  const turnId = turn || prompt;
  return {
    event: name,
    at,
    key,
    turn: prompt,
    ...(branch === "" ? {} : { branch }),
    ...(commit === "" ? {} : { commit }),
    ...(remote === "" ? {} : { remote }),
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
