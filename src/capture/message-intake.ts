// Stores tool uses, summarize requests and other events: cleaned, bounded, and queued in one commit.

import { homedir } from "node:os";
import { resolve } from "node:path";
import { newId } from "../core/ids.ts";
import type { PendingMessage, SkipReason } from "../core/records/messages.ts";
import type { GitPlace, IntakeSession, NamedPrompt } from "../core/records/records.ts";
import { shorten, shortenJson, shortenPrompt } from "../core/shorten.ts";
import { commandKind, isRoutineCommand, mainSegment } from "../core/tools/command-kind.ts";
import { parseCommandLine } from "../core/tools/command-line.ts";
import { withoutOwnAnswers } from "../core/tools/own-tools.ts";
import { commandIn, isShellTool, readCall } from "../core/tools/tool-kind.ts";
import { refusalIn, userAnswersIn } from "../core/tools/user-answers.ts";
import { type Clean, cleanText } from "../privacy/clean.ts";
import { textField } from "../text/json-fields.ts";
import type { CaptureStore } from "./capture-store.ts";
import { type Cleaner, cleanHere, withCleaned } from "./cleaner.ts";
import type {
  EventInput,
  Intake,
  IntakeDeps,
  MessageAnswer,
  SummarizeInput,
  ToolUseInput,
} from "./inputs.ts";
import {
  createSession,
  elsewhere,
  isOfDeleted,
  isPrivateNow,
  keepPlace,
  markActive,
  placeOf,
  stepOf,
} from "./session-states.ts";

/** Characters of a tool's input, of its response, and of a last message; longer ones keep head and tail. */
const maxFieldChars = 64 * 1024;
const maxNameChars = 200;

interface Stored {
  session: IntakeSession | undefined;
  opened: boolean;
  answer: MessageAnswer;
  /** False for a repeated delivery, which gets the same answer as the first. */
  queued: boolean;
}

export function createMessageIntake(deps: IntakeDeps): Pick<Intake, "observe" | "summarize" | "keep"> {
  const { store, clock, publish, cleaner = cleanHere } = deps;

  async function accept(
    made: PendingMessage | Promise<PendingMessage>,
    input: ToolUseInput | SummarizeInput,
  ): Promise<MessageAnswer> {
    const message = made instanceof Promise ? await made : made;
    const payload = JSON.stringify(message);
    const place = input.place !== undefined || mayMoveHead(message) ? placeOf(deps, input) : null;
    const stored = await store.commit(() =>
      storeMessage(deps, input, { message, payload, place, now: input.at ?? clock.now() }),
    );
    const { session, opened, queued } = stored;
    if (session === undefined || !queued) return stored.answer;
    if (opened) publish({ type: "session_started", sessionDbId: session.id, project: session.project });
    if (message.type === "observation") publish({ type: "observation_queued", sessionDbId: session.id });
    else publish({ type: "summarize_queued" });
    deps.onQueued(session.id);
    return stored.answer;
  }

  return {
    observe(input) {
      // What was refused did not happen. The user's words are statements even in a skipped tool use.
      const refusal = refusalIn(input);
      const isSkipped = refusal !== null || deps.skipTools().has(input.tool_name);
      const isRead = !isSkipped || Boolean(refusal) || userAnswersIn(input).length > 0;
      const use = refusal === null ? input : { ...input, tool_input: {} };
      const kept = isRead ? withoutOwnAnswers(use, deps.ownPort?.()) : null;
      if (kept === null) return countSkipped(deps, "tool_excluded");
      return accept(observationMessage(kept, cleaner, isSkipped), input);
    },
    summarize(input, cleaned) {
      if (input.agentId !== undefined) return countSkipped(deps, "subagent_context");
      return accept(summarizeMessage(input, cleaner, cleaned), input);
    },
    async keep(input, cleaned) {
      const now = input.at ?? clock.now();
      const name = shorten(cleanText(input.name), maxNameChars);
      const bounded = cleaned ?? cleaner.json(input.payload, maxFieldChars);
      const bounds = shortenJson(bounded instanceof Promise ? await bounded : bounded, maxFieldChars);
      const payload = JSON.stringify({ name, payload: bounds });
      await store.commit(() => {
        const session = store.sessions.forIntake(input.claudeSessionId, input);
        if (session === undefined || session.prompt_private === 1 || isOfDeleted(store, input)) return;
        store.rawEvents.insert({
          session_id: session.id,
          kind: "other",
          event_key: input.eventKey ?? newId(),
          payload: withAwaited(payload, session, input.promptKey),
          now,
        });
      });
    },
  };
}

interface NewMessage {
  message: PendingMessage;
  payload: string;
  /** Where the work tree is after a command that may have moved it. */
  place: GitPlace | null;
  now: number;
}

function storeMessage(
  deps: IntakeDeps,
  input: ToolUseInput | SummarizeInput,
  { message, payload, place, now }: NewMessage,
): Stored {
  const { store } = deps;
  const existing = store.sessions.forIntake(input.claudeSessionId, input);
  const isPrivate = isPrivateNow(store, existing, input.claudeSessionId);
  const step = stepOf(existing, "message", { isPrivate, at: now });
  if (step === "skip_private") return skipped(store, existing, "private");
  if (isOfDeleted(store, input)) return skipped(store, existing, "deleted");
  if (existing === undefined && saysNothing(message)) return skipped(store, existing, "no_content");
  const opened = existing ?? createSession(deps, input, now);
  const seen = place ?? (existing === undefined ? placeOf(deps, input) : null);
  const session = { ...opened, ...seen };
  const id = store.rawEvents.insert({
    session_id: session.id,
    kind: message.type,
    event_key: keyOf(store, session.id, { input, now, prompt: session.prompt_number }),
    payload: withAwaited(
      withSessionFields(deps, payload, { message, session, input }),
      existing,
      input.promptKey,
    ),
    now,
    imported_at: input.importedAt,
  });
  if (id !== null) {
    if (seen !== null) keepPlace(store, opened, seen, { told: input.place, now });
    markActive(store, session, { step, now });
    store.pending.enqueue(id, session.id, now);
    store.pending.count("accepted", 1);
  }
  return {
    session,
    opened: step === "create" || step === "reopen",
    queued: id !== null,
    answer: { status: "queued" },
  };
}

function skipped(store: CaptureStore, session: IntakeSession | undefined, reason: SkipReason): Stored {
  store.pending.count("accepted", 1);
  store.pending.count("skipped", 1);
  return { session, opened: false, queued: false, answer: { status: "skipped", reason } };
}

// A summary without messages is made of the session's work; an unknown session has none.
function saysNothing(message: PendingMessage): boolean {
  if (message.type !== "summarize") return false;
  return `${message.last_user_message ?? ""}${message.last_assistant_message ?? ""}`.trim() === "";
}

// Some events have no id of the host, only a hash of their content: deliveries within moments are one event.
function keyOf(
  store: CaptureStore,
  sessionId: number,
  { input, now, prompt }: { input: ToolUseInput | SummarizeInput; now: number; prompt: number },
): string {
  const { eventKey } = input;
  if (eventKey === undefined) return newId();
  const { goesOn, perPrompt }: Partial<SummarizeInput> = "tool_name" in input ? {} : input;
  if (perPrompt === true) return `${eventKey}:${prompt}`;
  if (goesOn !== true) return eventKey;
  const earlier = store.rawEvents.ofKey(sessionId, eventKey);
  const same = earlier.find((one) => Math.abs(one.created_at_epoch - now) < sameCompactionMs);
  if (same !== undefined) return same.event_key;
  return earlier.length === 0 ? eventKey : `${eventKey}:${now}`;
}

// Two compactions of one turn are further apart.
const sameCompactionMs = 10_000;

// The payload is serialized before the transaction, so fields of the session are put in front of it. Most hosts do not
// send the user's last message with a summarize request: it is taken from the stored prompt.
function withSessionFields(
  deps: IntakeDeps,
  payload: string,
  {
    message,
    session,
    input,
  }: { message: PendingMessage; session: IntakeSession; input: EventInput & NamedPrompt },
): string {
  let fields = "";
  const promptNumber = session.prompt_number || input.prompt_number;
  if (promptNumber !== undefined) fields += `"prompt_number":${promptNumber},`;
  const isEnd = message.type === "summarize";
  const asked = isEnd ? deps.store.prompts.byNumber(session.id, session.prompt_number) : undefined;
  // A turn belongs to the project of its prompt, a tool use to that of its file or directory.
  const project = isEnd
    ? asked?.project
    : elsewhere(deps, session, { ...input, file: fileOf(message, input) });
  // The branch and commit of the session belong to another repository.
  fields +=
    project === undefined || project === session.project
      ? placeFields(session)
      : `"project":${JSON.stringify(project)},`;
  if (asked !== undefined && asked.prompt_text !== "" && message.last_user_message === undefined)
    fields += `"last_user_message":${JSON.stringify(shortenPrompt(asked.prompt_text, maxFieldChars))},`;
  return fields === "" ? payload : `{${fields}${payload.slice(1)}`;
}

// A look into a library or another checkout is no work on it; `cd ../lib && make check` is.
function fileOf(message: PendingMessage, { cwd = "" }: EventInput): string {
  const { kind, input } = readCall(message);
  if (kind === "edit") return textField(input, "file_path", "filePath", "path");
  const command = kind === "shell" ? commandIn(message.tool_input).text : "";
  const main = changesFolder.test(command) ? mainSegment(parseCommandLine(command)) : undefined;
  if (main === undefined || main.directory === "" || isRoutineCommand(main, commandKind(main))) return "";
  return resolve(cwd, main.directory.replace(/^~(?=\/|$)/, homedir()), main.program);
}

const changesFolder = /\b(?:cd|pushd)\s/;

function placeFields({ branch, commit }: GitPlace): string {
  const named = Object.entries({ branch, commit }).filter(([, value]) => typeof value === "string");
  return named.map(([name, value]) => `"${name}":${JSON.stringify(value)},`).join("");
}

/** True after a shell command with which the work tree may be on another branch or commit. */
function mayMoveHead({ tool_name = "", tool_input }: PendingMessage): boolean {
  return isShellTool(tool_name) && movesHead.test(commandIn(tool_input).text.slice(0, maxCommandChars));
}

const maxCommandChars = 4_000;
const movesHead =
  /\bgit\b[^\n;&|]*?\s(?:am|branch|checkout|cherry-pick|clone|commit|init|merge|pull|rebase|reset|revert|switch|worktree)\b/;

// A spooled prompt arrives after its messages. If it is private, they are withdrawn by this key.
function withAwaited(
  payload: string,
  session: IntakeSession | undefined,
  promptKey: string | undefined,
): string {
  const isKnown = session !== undefined && session.awaits_prompt !== true;
  if (promptKey === undefined || isKnown) return payload;
  return `{"prompt_key":${JSON.stringify(promptKey)},${payload.slice(1)}`;
}

/**
 * Queues the last turn of a session whose host never reported the turn's end, so that the user's words in it are kept.
 * Returns whether there was such a turn. Runs in the caller's transaction.
 */
export function endUnfinishedTurn(
  { prompts, rawEvents, pending }: CaptureStore,
  session: { id: number } & GitPlace,
  { now, importedAt }: { now: number; importedAt?: number | undefined },
): boolean {
  const prompt = prompts.unfinished(session.id);
  if (prompt === undefined) return false;
  const { prompt_number, prompt_text } = prompt;
  const message: PendingMessage = {
    type: "summarize",
    prompt_number,
    ...optional("branch", session.branch ?? undefined),
    ...optional("commit", session.commit ?? undefined),
    last_user_message: shortenPrompt(prompt_text, maxFieldChars),
  };
  const id = rawEvents.insert({
    session_id: session.id,
    kind: "summarize",
    event_key: `unfinished:${prompt_number}`,
    payload: JSON.stringify(message),
    now,
    imported_at: importedAt,
  });
  if (id === null) return false;
  pending.enqueue(id, session.id, now);
  pending.count("accepted", 1);
  return true;
}

async function countSkipped({ store }: IntakeDeps, reason: SkipReason): Promise<MessageAnswer> {
  await store.commit(() => {
    store.pending.count("accepted", 1);
    store.pending.count("skipped", 1);
  });
  return { status: "skipped", reason };
}

function observationMessage(
  input: ToolUseInput,
  { json }: Cleaner,
  isSkipped: boolean,
): PendingMessage | Promise<PendingMessage> {
  const texts = [
    json(input.tool_input ?? {}, maxFieldChars),
    json(input.tool_response ?? {}, maxFieldChars),
  ] as const;
  return withCleaned(texts, (tool_input, tool_response) => ({
    type: "observation",
    tool_name: shorten(cleanText(input.tool_name), maxNameChars),
    tool_input,
    tool_response,
    ...(input.tool_failed === true ? { tool_failed: true } : {}),
    ...(isSkipped ? { turn_only: true } : {}),
    ...optional("cwd", input.cwd),
    ...optional("agent_id", input.agentId),
    ...optional("agent_type", input.agentType),
  }));
}

function summarizeMessage(
  { last_user_message: user, last_assistant_message: assistant, cwd, goesOn }: SummarizeInput,
  { text }: Cleaner,
  cleaned: Clean<string> | undefined,
): PendingMessage | Promise<PendingMessage> {
  const texts = [
    user === undefined ? user : text(user),
    assistant === undefined ? assistant : (cleaned ?? text(assistant)),
  ] as const;
  return withCleaned(texts, (last_user_message, last_assistant_message) => ({
    type: "summarize",
    ...(goesOn === true ? { goes_on: true } : {}),
    ...optional("last_user_message", boundedText(last_user_message)),
    ...optional("last_assistant_message", boundedText(last_assistant_message)),
    ...optional("cwd", cwd),
  }));
}

function boundedText(text: Clean<string> | undefined): string | undefined {
  return text === undefined ? undefined : shorten(text, maxFieldChars);
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
