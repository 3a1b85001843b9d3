// A model that says what the test tells it, and the batches it is asked about.
import type { ClaimedMessage, PendingMessage } from "../../../src/core/records/messages.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../../src/generate/model-client.ts";
import type { GenerationBatch } from "../../../src/generate/provider.ts";
import { loadMode } from "../../../src/settings/modes/load-mode.ts";

export const cwd = "/home/user/shop";
export const code = loadMode("code");

export function claimed(id: number, message: PendingMessage): ClaimedMessage {
  return { id, session_id: 1, message, created_at_epoch: 1, attempts: 0, failures: 0 };
}

/** A use of the Read tool. */
export function read(id: number, path: string, content = "export const one = 1;"): ClaimedMessage {
  return claimed(id, {
    type: "observation",
    tool_name: "Read",
    tool_input: { file_path: path },
    tool_response: { type: "text", file: { filePath: path, content } },
    cwd,
  });
}

/** A use of the Edit tool. */
export function edit(id: number, path: string): ClaimedMessage {
  return claimed(id, {
    type: "observation",
    tool_name: "Edit",
    tool_input: { file_path: path, old_string: "let a = 1;", new_string: "const a = 1;" },
    tool_response: {
      filePath: path,
      oldString: "let a = 1;",
      newString: "const a = 1;",
      originalFile: "x".repeat(9_000),
    },
    cwd,
  });
}

/** A use of the Bash tool. */
export function bash(id: number, command: string, stdout: string): ClaimedMessage {
  return claimed(id, {
    type: "observation",
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout },
    cwd,
  });
}

export function summarizeMessage(id: number, said = "Done."): ClaimedMessage {
  return claimed(id, { type: "summarize", last_user_message: "Fix it", last_assistant_message: said });
}

export function batchOf(...messages: ClaimedMessage[]): GenerationBatch {
  const uses = messages.flatMap(({ id, message }) =>
    message.type === "summarize" ? [] : [{ id, isOfTurn: true, message }],
  );
  const end = messages.find(({ message }) => message.type === "summarize")?.message;
  const { last_user_message: prompt = "", last_assistant_message: closing = "" } = end ?? {};
  return {
    session: { id: 1, claude_session_id: "s", project: "shop", user_prompt: "Fix the login" },
    messages,
    recentTitles: ["Read src/login.ts"],
    ...(end && { turn: { prompt, closing, previous: null, uses } }),
  };
}

/** An answer with these observations and this summary; what is left out is filled in. */
export function answerText(
  observations: readonly Record<string, unknown>[],
  summary: Record<string, unknown> | null = null,
  rest: Record<string, unknown> = {},
): string {
  const whole = observations.map((each) => ({
    type: "bugfix",
    title: "The login keeps its query",
    subtitle: "",
    narrative: "It was lost in the redirect. Now it is kept.",
    facts: [],
    concepts: ["problem-solution"],
    files_read: [],
    files_modified: [],
    sources: [1],
    ...each,
  }));
  return JSON.stringify({ observations: whole, summary, ...rest });
}

type Said = string | Partial<ModelAnswer> | Error;

/** What is said to one request. */
export type Step = Said | ((request: ModelRequest) => Said);

/** A client that gives one answer after the other, the last one for ever; it keeps what it was asked. */
export function scriptedClient(...said: Step[]) {
  const requests: ModelRequest[] = [];
  const client: ModelClient = {
    name: "primary",
    model: "model-1",
    complete(request) {
      const step = said[Math.min(requests.length, said.length - 1)] ?? "";
      requests.push(request);
      const answer = typeof step === "function" ? step(request) : step;
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({
        text: typeof answer === "string" ? answer : "",
        stopped: "end",
        model: "model-1-full",
        usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 1 },
        ...(typeof answer === "string" ? {} : answer),
      });
    },
    close: () => Promise.resolve(),
  };
  return { client, requests };
}
