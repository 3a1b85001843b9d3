// The three wire formats of a scripted model: what a request asks, what an answer, a stream and an error look like.

export type Wire = "messages" | "gemini" | "chat";

/** What a request asks, whatever its wire format. */
export interface AskedText {
  system: string;
  prompt: string;
  streamed: boolean;
  /** The answer is to be held to a schema by the vendor. */
  schema: boolean;
}

/** What is answered: the text of the model and how it stopped. */
export interface ScriptedAnswer {
  text: string;
  stopped: "end" | "length" | "refused";
  model: string;
  usage: { input: number; cached: number; output: number };
}

export interface ScriptedError {
  status: number;
  /** What happened; each wire format has its own word for it. */
  kind: keyof typeof errorNames;
  message: string;
}

interface WireFormat {
  /** True when a request to this path speaks it. */
  speaks(path: string): boolean;
  asked(body: unknown, path: string): AskedText;
  answer(answer: ScriptedAnswer): object;
  /** The events of a stream, as the text after `data:`; with its name where the format has names. */
  events(answer: ScriptedAnswer, parts: readonly string[]): { event?: string; data: string }[];
  error(error: ScriptedError): object;
}

const errorNames = {
  rate: ["rate_limit_error", "RESOURCE_EXHAUSTED", "rate_limit_exceeded"],
  quota: ["billing_error", "RESOURCE_EXHAUSTED", "insufficient_quota"],
  key: ["authentication_error", "UNAUTHENTICATED", "invalid_api_key"],
  forbidden: ["permission_error", "PERMISSION_DENIED", "forbidden"],
  missing: ["not_found_error", "NOT_FOUND", "model_not_found"],
  request: ["invalid_request_error", "INVALID_ARGUMENT", "invalid_request_error"],
  overflow: ["invalid_request_error", "INVALID_ARGUMENT", "context_length_exceeded"],
  server: ["api_error", "INTERNAL", "server_error"],
  overloaded: ["overloaded_error", "UNAVAILABLE", "overloaded"],
} as const;

/** Every wire format by its name. */
export const wireFormats: Readonly<Record<Wire, WireFormat>> = {
  messages: {
    speaks: (path) => /\/messages(\?|$)/.test(path),
    asked: (body) => ({
      system: textOf(field(body, "system")),
      prompt: list(field(body, "messages"))
        .map((message) => textOf(field(message, "content")))
        .join("\n"),
      streamed: field(body, "stream") === true,
      schema: field(body, "output_config") !== undefined || field(body, "tool_choice") !== undefined,
    }),
    answer: ({ text, stopped, model, usage }) => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: text === "" ? [] : [{ type: "text", text }],
      stop_reason: { end: "end_turn", length: "max_tokens", refused: "refusal" }[stopped],
      stop_sequence: null,
      usage: messagesUsage(usage),
    }),
    events: ({ stopped, model, usage }, parts) =>
      [
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model,
            content: [],
            usage: { ...messagesUsage(usage), output_tokens: 1 },
          },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "ping" },
        ...parts.map((text) => ({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text },
        })),
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: { end: "end_turn", length: "max_tokens", refused: "refusal" }[stopped] },
          usage: { output_tokens: usage.output },
        },
        { type: "message_stop" },
      ].map((event) => ({ event: event.type, data: JSON.stringify(event) })),
    error: ({ kind, message }) => ({
      type: "error",
      error: { type: errorNames[kind][0], message },
      request_id: "req_1",
    }),
  },
  gemini: {
    speaks: (path) => /:(stream)?generateContent/i.test(path),
    asked: (body, path) => ({
      system: textOf(field(field(body, "systemInstruction"), "parts")),
      prompt: list(field(body, "contents"))
        .map((content) => textOf(field(content, "parts")))
        .join("\n"),
      streamed: /:streamGenerateContent/.test(path),
      schema: /"response(Json)?Schema"/.test(JSON.stringify(field(body, "generationConfig") ?? {})),
    }),
    answer: (answer) => geminiPart(answer, answer.text, true),
    events: (answer, parts) =>
      parts.map((text, index) => ({
        data: JSON.stringify(geminiPart(answer, text, index === parts.length - 1)),
      })),
    error: ({ status, kind, message }) => ({ error: { code: status, message, status: errorNames[kind][1] } }),
  },
  chat: {
    speaks: (path) => /\/chat\/completions(\?|$)/.test(path),
    asked: (body) => ({
      system: messagesOf(body, "system"),
      prompt: messagesOf(body, "user"),
      streamed: field(body, "stream") === true,
      schema: field(body, "response_format") !== undefined,
    }),
    answer: ({ text, stopped, model, usage }) => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model,
      choices: [
        { index: 0, message: { role: "assistant", content: text }, finish_reason: chatReason[stopped] },
      ],
      usage: chatUsage(usage),
    }),
    events: ({ stopped, model, usage }, parts) => [
      ...parts.map((content) => ({
        data: JSON.stringify({
          id: "chatcmpl-1",
          object: "chat.completion.chunk",
          model,
          choices: [{ index: 0, delta: { content }, finish_reason: null }],
        }),
      })),
      {
        data: JSON.stringify({
          model,
          choices: [{ index: 0, delta: {}, finish_reason: chatReason[stopped] }],
          usage: chatUsage(usage),
        }),
      },
      { data: "[DONE]" },
    ],
    error: ({ kind, message }) => ({
      error: { message, type: errorNames[kind][2], param: null, code: errorNames[kind][2] },
    }),
  },
};

/** The wire format that a request to `path` speaks. */
export function wireOf(path: string): Wire | undefined {
  return (Object.keys(wireFormats) as Wire[]).find((wire) => wireFormats[wire].speaks(path));
}

const chatReason = { end: "stop", length: "length", refused: "content_filter" } as const;

function messagesUsage({ input, cached, output }: ScriptedAnswer["usage"]): object {
  // What is read from the cache is no part of `input_tokens`.
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}

function chatUsage({ input, cached, output }: ScriptedAnswer["usage"]): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function geminiPart({ stopped, model, usage }: ScriptedAnswer, text: string, last: boolean): object {
  const reason = { end: "STOP", length: "MAX_TOKENS", refused: "SAFETY" }[stopped];
  return {
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: text === "" ? [] : [{ text }] },
        ...(last ? { finishReason: reason } : {}),
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
    modelVersion: model,
  };
}

function messagesOf(body: unknown, role: string): string {
  return list(field(body, "messages"))
    .filter((message) => field(message, "role") === role)
    .map((message) => textOf(field(message, "content")))
    .join("\n");
}

// A text, or a list of blocks with a text each.
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return list(value)
    .map((block) => field(block, "text"))
    .filter((text) => typeof text === "string")
    .join("\n");
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
