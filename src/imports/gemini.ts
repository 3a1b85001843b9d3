// Transcripts of Gemini CLI: one file for each session, one message a line, or all messages in one JSON object.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ImportedEvent } from "../core/records/imports.ts";
import { requestIn } from "../core/tools/host-text.ts";
import { shownPrompt } from "../hosts/decode-event.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { objectField, objectsField, textField } from "../text/json-fields.ts";
import { sessionIdleMs, type TranscriptReader } from "./transcript.ts";

interface State {
  session: string;
  cwd: string;
  prompt: string | null;
  said: { text: string; at: number } | null;
  turnStart: number;
  lastAt: number;
  /** Tool uses that were read: a message is written again when its tools end. */
  tools: Set<string>;
}

/** Files of 0.1x to 0.61. `path` leads to the file that names the project's folder. */
export function createGeminiReader(known: JsonObject, path: string): TranscriptReader {
  const state: State = {
    session: textField(known, "session"),
    cwd: projectRoot(path),
    ...{ prompt: null, said: null, turnStart: 0, lastAt: 0, tools: new Set() },
  };
  return {
    read(entry, start) {
      const changed = objectField(entry, "$set");
      state.session = textField(entry, "sessionId") || textField(changed, "sessionId") || state.session;
      return messagesIn(entry).flatMap((message) => fromMessage(state, message, start));
    },
    end(idleMs) {
      if (idleMs <= sessionIdleMs || state.session === "") return [];
      const key = `end:${state.lastAt}`;
      return [
        ...turnEnd(state),
        event(state, "SessionEnd", { key, at: state.lastAt, payload: { reason: "exit" } }),
      ];
    },
    isForeign: () => state.session === "",
    isTurnOpen: () => state.prompt !== null && state.said !== null,
    turnStart: () => state.turnStart,
    state: () => ({ session: state.session }),
  };
}

function projectRoot(path: string): string {
  const folder = dirname(dirname(path));
  const file = join(folder, ".project_root");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const hash = basename(folder);
  return /^[0-9a-f]{64}$/.test(hash) ? (folderWithHash(hash, readFileSync(path, "utf8")) ?? "") : "";
}

/** Until 0.2x the folder's name is the hash of the project's: a path in the session that is in the project tells it. */
function folderWithHash(hash: string, session: string): string | undefined {
  const seen = new Set<string>();
  for (const [found] of session.slice(0, mostSearchedChars).matchAll(absolutePath)) {
    const path = found.replaceAll("\\\\", "\\");
    for (const one of [path, path.replace(/[\s,;)].*$/, "")])
      for (let at = one; at !== dirname(at) && !seen.has(at); at = dirname(at)) {
        seen.add(at);
        if (createHash("sha256").update(at).digest("hex") === hash) return at;
      }
    if (seen.size > mostHashed) return undefined;
  }
  return undefined;
}

const absolutePath = /(?<![\w.~/-])(?:\/|[A-Za-z]:\\\\)[^\s"'`<>|:*?\\/](?:[^"'`<>|:*?\\\n]|\\\\)*/g;
const mostSearchedChars = 4_000_000;
const mostHashed = 20_000;

/** The line, and the messages of the lists in it. */
export function messagesIn(entry: JsonObject): JsonObject[] {
  // A session of a day can have more messages than other lists have entries.
  const lists = [entry.messages, objectField(entry, "$set").messages];
  return [entry, ...lists.flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []))];
}

function fromMessage(state: State, message: JsonObject, start: number): ImportedEvent[] {
  const at = Date.parse(textField(message, "timestamp"));
  const id = textField(message, "id");
  if (!Number.isFinite(at) || id === "" || state.session === "") return [];
  state.lastAt = Math.max(state.lastAt, at);
  if (message.type === "user") return prompt(state, message, { id, at, start });
  if (message.type !== "gemini") return [];
  const text = textOf(message.content);
  if (text.trim() !== "") state.said = { text, at };
  return objectsField(message, "toolCalls").flatMap((call) => toolUse(state, call, at));
}

function prompt(
  state: State,
  message: JsonObject,
  { id, at, start }: { id: string; at: number; start: number },
): ImportedEvent[] {
  const text = promptText(message.displayContent ?? message.content);
  // The first message of a session can be its context alone.
  if (requestIn(text).trim() === "" || id === state.prompt) return [];
  const events = turnEnd(state);
  state.prompt = id;
  state.turnStart = start;
  return [...events, event(state, "BeforeAgent", { key: id, at, payload: { prompt: text } })];
}

const ended = new Set(["success", "error"]);

function toolUse(state: State, call: JsonObject, at: number): ImportedEvent[] {
  const key = textField(call, "id");
  const name = toolName(call);
  // A use that the user refused, or that still runs.
  if (key === "" || name === "" || !ended.has(textField(call, "status")) || state.tools.has(key)) return [];
  state.tools.add(key);
  const answers = objectsField(call, "result").map((part) =>
    objectField(objectField(part, "functionResponse"), "response"),
  );
  const text = answers.map((answer) => textField(answer, "output", "error")).join("\n");
  const failed = call.status === "error" ? { error: { message: text } } : {};
  const payload = {
    tool_name: name,
    tool_input: call.args ?? null,
    tool_response: { llmContent: text, ...failed },
  };
  const when = Date.parse(textField(call, "timestamp"));
  return [event(state, "AfterTool", { key, at: Number.isFinite(when) ? when : at, payload })];
}

/** As the hooks name it: a tool of an MCP server with the server's name. */
function toolName(call: JsonObject): string {
  const name = textField(call, "name");
  const [, tool, server] = /^(\S+) \((.+) MCP Server\)$/.exec(textField(call, "displayName")) ?? [];
  if (tool !== undefined && server !== undefined) return `mcp__${server}__${tool}`;
  return name.replace(/^mcp_(?!_)([^_]+)_/, "mcp__$1__");
}

function promptText(content: Json | undefined): string {
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const isAttached = parts.some(({ inlineData, fileData }) => (inlineData ?? fileData) !== undefined);
  return isAttached ? shownPrompt(textOf(content)) : textOf(content);
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content
        .filter(isJsonObject)
        .map((part) => textField(part, "text"))
        .join("")
    : "";
}

function event(
  { session, cwd, prompt: turn }: State,
  name: string,
  { key, at, payload }: { key: string; at: number; payload: JsonObject },
): ImportedEvent {
  return {
    event: name,
    at,
    key,
    turn,
    payload: { session_id: session, ...(cwd === "" ? {} : { cwd }), ...payload },
  };
}

function turnEnd(state: State): ImportedEvent[] {
  const { said, prompt } = state;
  state.said = null;
  if (said === null || prompt === null) return [];
  return [
    event(state, "AfterAgent", {
      key: `stop:${prompt}`,
      at: said.at,
      payload: { prompt_response: said.text },
    }),
  ];
}
