// Writes sessions of Claude Code as the transcripts that the host keeps, from the payloads of its hooks.
import { createHash } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const idleMs = 3_600_000;

/** A transcript to add payloads to, in their order. `write` resolves nothing; its session counts as over. */
export function createTranscript(path) {
  const lines = [];
  return {
    add: (payload, at) => lines.push(...linesOf(payload, at)),
    write() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
      const before = new Date(Date.now() - idleMs);
      utimesSync(path, before, before);
    },
  };
}

/** Lines that the host writes when it sends the event; none for an event that leaves nothing. */
export function linesOf(payload, at) {
  const { hook_event_name: name, session_id, cwd, prompt_id, tool_use_id: use } = payload;
  const entry = (type, part, more) => ({
    ...{ parentUuid: null, isSidechain: false, userType: "external", cwd, sessionId: session_id },
    ...{
      version: "2.1.329",
      gitBranch: "main",
      type,
      uuid: uuidOf(`${session_id} ${prompt_id} ${use} ${part}`),
    },
    timestamp: new Date(at).toISOString(),
    ...more,
  });
  const user = (part, content, more = {}) =>
    entry("user", part, { promptId: prompt_id, message: { role: "user", content }, ...more });
  const agent = (part, content, stop_reason) =>
    entry("assistant", part, {
      requestId: `req_${part}`,
      message: {
        ...{ id: `msg_${uuidOf(`${prompt_id} ${use} ${part}`)}`, type: "message", role: "assistant" },
        ...{ model: "claude-sonnet-4-5", content, stop_reason },
        usage: { input_tokens: 12, cache_read_input_tokens: 18_000, output_tokens: 180 },
      },
    });
  const result = (text, more) =>
    user("result", [{ type: "tool_result", tool_use_id: use, content: text, ...more }], {
      toolUseResult: payload.tool_response ?? text,
    });
  const call = () =>
    agent(
      "use",
      [{ type: "tool_use", id: use, name: payload.tool_name, input: payload.tool_input }],
      "tool_use",
    );
  switch (name) {
    case "UserPromptSubmit":
      return [user("prompt", payload.prompt)];
    case "PostToolUse":
      return [call(), result(textOf(payload.tool_response))];
    case "PostToolUseFailure":
      return [call(), result(payload.error, { is_error: true })];
    case "Stop":
      return [agent("said", [{ type: "text", text: payload.last_assistant_message }], "end_turn")];
    default:
      return [];
  }
}

function textOf(response) {
  if (typeof response === "string") return response;
  return response.stdout ?? response.content ?? response.file?.content ?? JSON.stringify(response);
}

function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
