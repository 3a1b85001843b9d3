// Wire shapes of sessions: init, observations, summarize, complete, by session id or by number; host hooks.
import * as z from "zod";
import { anyJson, anyJsonObject, bodyWithSpellings, claudeSessionId, epochMs, pageOf } from "./fields.ts";
import { summary } from "./records.ts";

/** A session as stored. */
export const session = z.lazy(() => z.object(sessionFields()).meta({ id: "Session" }));

/** A session with the summaries made of it, oldest first. */
export const sessionWithSummaries = z.lazy(() =>
  z.object({ ...sessionFields(), summaries: z.array(summary) }).meta({ id: "SessionWithSummaries" }),
);

/** `sessionWithSummaries`, inferred. */
export type SessionWithSummaries = z.output<typeof sessionWithSummaries>;

/** A page of sessions, newest first. */
export const sessionPage = z.lazy(() => pageOf(session));

/** Body of `POST /api/sessions/init` and `POST /sessions`. */
export const initBody = z.lazy(() =>
  bodyWithSpellings(
    z.object({
      claudeSessionId: claudeSessionId(),
      // Hosts send no text for a prompt that is only a picture.
      prompt: z.string().default("[media prompt]"),
      ...origin(),
      eventKey: eventKey(),
    }),
    { ...sessionSpellings, userPrompt: "prompt", promptId: "eventKey", prompt_id: "eventKey" },
  ),
);

/** Answer to a prompt: stored as `promptNumber`, or skipped with the reason. */
export const initAnswer = z.lazy(() => z.object(initAnswerFields()));

/** Body of `POST /api/sessions/observations`: one tool use. */
export const observeBody = z.lazy(() =>
  bodyWithSpellings(
    z.object({ claudeSessionId: claudeSessionId(), ...toolUse(), ...origin() }),
    { ...sessionSpellings, ...toolSpellings },
    ["tool_input", "tool_response"],
  ),
);

/** Body of `POST /api/sessions/summarize`. */
export const summarizeBody = z.lazy(() =>
  bodyWithSpellings(z.object({ claudeSessionId: claudeSessionId(), ...lastMessages(), ...origin() }), {
    ...sessionSpellings,
    ...promptSpellings,
  }),
);

/** `queued` once the message is committed, or `skipped` with the reason. */
export const messageAnswer = z.lazy(() =>
  z.union([
    z.object({ status: z.literal("queued") }),
    z.object({
      status: z.literal("skipped"),
      reason: z.enum(["private", "tool_excluded", "subagent_context", "no_content", "deleted"]),
    }),
  ]),
);

/** Answer to a recorded observation whose prompt is private. */
export const notRecorded = z.lazy(() =>
  z.object({ status: z.literal("skipped"), reason: z.literal("private") }),
);

/** Body of `POST /api/sessions/complete`; the host chooses the reason's text. */
export const completeBody = z.lazy(() =>
  bodyWithSpellings(
    z.object({ claudeSessionId: claudeSessionId(), reason: z.string().max(200).optional() }),
    sessionSpellings,
  ),
);

/** Answer of complete: a session that is not active is said, not refused. */
export const completeAnswer = z.lazy(() =>
  z.object({ success: z.literal(true), message: z.string().optional() }),
);

/** Body of `POST /sessions/:sessionDbId/init`. */
export const numberedInitBody = z.lazy(() =>
  bodyWithSpellings(
    z.object({ userPrompt: z.string().default("[media prompt]"), promptNumber: promptNumber() }),
    { prompt: "userPrompt", prompt_number: "promptNumber" },
  ),
);

/** Answer of `POST /sessions/:sessionDbId/init`: `initAnswer` and the worker's port. */
export const numberedInitAnswer = z.lazy(() => z.object({ ...initAnswerFields(), port: z.int() }));

/** Body of `POST /sessions/:sessionDbId/observations`. */
export const numberedObserveBody = z.lazy(() =>
  bodyWithSpellings(z.object({ ...toolUse(), cwd: cwd() }), toolSpellings, ["tool_input", "tool_response"]),
);

/** Body of `POST /sessions/:sessionDbId/summarize`. */
export const numberedSummarizeBody = z.lazy(() =>
  bodyWithSpellings(z.object(lastMessages()), promptSpellings),
);

/** Answer of `GET /sessions/:sessionDbId/status`; `uptime` in milliseconds since the session began. */
export const sessionStatus = z.lazy(() =>
  z.object({
    status: z.enum(["active", "completed"]),
    sessionDbId: z.int(),
    project: z.string(),
    queueLength: z.int(),
    uptime: z.number(),
  }),
);

/** Body of `PATCH /sessions/:id`: the new title. */
export const renameBody = z.lazy(() =>
  z.strictObject(
    { title: z.string().max(1000) },
    { error: "must be { title: a text of up to 1000 characters }" },
  ),
);

const sessionSpellings = { contentSessionId: "claudeSessionId", claude_session_id: "claudeSessionId" };

const promptSpellings = {
  promptNumber: "prompt_number",
  promptId: "promptKey",
  prompt_id: "promptKey",
  agent_id: "agentId",
};

const toolSpellings = {
  ...promptSpellings,
  toolName: "tool_name",
  toolInput: "tool_input",
  toolResponse: "tool_response",
  toolUseId: "tool_use_id",
  toolFailed: "tool_failed",
  agent_type: "agentType",
};

function sessionFields() {
  return {
    id: z.int(),
    claude_session_id: z.string(),
    sdk_session_id: z.string(),
    project: z.string(),
    user_prompt: z.string(),
    host: z.string(),
    cwd: z.string().nullable(),
    title: z.string().nullable(),
    status: z.enum(["active", "completed"]),
    prompt_count: z.int(),
    created_at_epoch: epochMs(),
    last_active_at_epoch: epochMs(),
    completed_at_epoch: epochMs().nullable(),
  };
}

function initAnswerFields() {
  return {
    status: z.enum(["initialized", "skipped"]),
    sessionDbId: z.int(),
    promptNumber: z.int(),
    skipped: z.boolean(),
    reason: z.enum(["private", "duplicate"]).optional(),
  };
}

function origin() {
  return {
    cwd: cwd(),
    project: z.string().max(4096).optional(),
    platformSource: z.string().max(100).optional(),
  };
}

function toolUse() {
  return {
    tool_name: z.string().min(1),
    tool_input: anyJson().optional(),
    tool_response: anyJson().optional(),
    tool_failed: z.boolean().optional(),
    tool_use_id: eventKey(),
    prompt_number: promptNumber(),
    promptKey: eventKey(),
    agentId: z.string().max(1024).optional(),
    agentType: z.string().max(1024).optional(),
  };
}

function lastMessages() {
  return {
    last_user_message: z.string().optional(),
    last_assistant_message: z.string().optional(),
    prompt_number: promptNumber(),
    promptKey: eventKey(),
    agentId: z.string().max(1024).optional(),
  };
}

function cwd() {
  return z.string().max(4096).optional();
}

// The host's own id of the event: the same one twice is stored once.
function eventKey() {
  return z.string().min(1).max(1024).optional();
}

// Counted on from: a number without an end would leave none for the prompts after it.
function promptNumber() {
  return z.int().min(0).max(1_000_000_000).optional();
}

/** Path of `POST /api/hooks/:host/:event`: the host agent's name, and the event as the host names it. */
export const hookParams = z.lazy(() => z.object({ host: name(), event: name() }));

/** The host's payload as it came on the hook's standard input. */
export const hookBody = z.lazy(() => anyJsonObject());

/** The exact output of the hook: the host's envelope, or empty. */
export const hookAnswer = z.lazy(() => z.string());

function name() {
  const error = "must be 1 to 64 letters, digits, - or _";
  return z.string().regex(/^[\w-]{1,64}$/, { error });
}
