// What a scripted model can do to its caller: every way in which a provider answers, refuses, stalls or breaks.
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import {
  type AskedText,
  type ScriptedAnswer,
  type ScriptedError,
  type Wire,
  wireFormats,
} from "./scripted-wires.ts";

export interface ScriptSettings {
  /** Text of a good answer. */
  answer: (prompt: string, system: string) => string;
  /** What `rate-limited` and `unavailable` ask for. */
  retryAfterSeconds: number;
  /** How long `slow` waits. */
  slowMs: number;
  /** System and prompt together that `overflow` still takes. */
  overflowChars: number;
  /** Where `redirect` points. */
  redirectTo: string;
  /** Wall time, for dates in headers. */
  now: () => number;
}

/** One request on its way to an answer. */
export interface Exchange {
  wire: Wire;
  asked: AskedText;
  /** The system text was sent before: it is counted as cached. */
  cached: boolean;
  response: ServerResponse;
  settings: ScriptSettings;
  sent: (bytes: number) => void;
}

type Perform = (exchange: Exchange) => void | Promise<void>;

const table = {
  // Answers of the model.
  ok: (exchange) => answer(exchange, {}),
  nothing: (exchange) =>
    answer(exchange, { text: JSON.stringify({ observations: [], summaries: [], nothing: true }) }),
  garbage: (exchange) =>
    answer(exchange, { text: "Sure! Here is what I think about it: \u0000\u001b[31m{{{ not JSON at all" }),
  fenced: (exchange) =>
    answer(exchange, { text: `Here you are:\n\`\`\`json\n${good(exchange)}\n\`\`\`\nAnything else?` }),
  "truncated-json": (exchange) =>
    answer(exchange, { text: good(exchange).slice(0, Math.max(1, Math.floor(good(exchange).length / 2))) }),
  "wrong-schema": (exchange) =>
    answer(exchange, {
      text: JSON.stringify({ observations: { title: 7 }, summary: "none", nothing: "maybe" }),
    }),
  "invented-ids": (exchange) => answer(exchange, { text: inventIds(good(exchange)) }),
  "silent-empty": (exchange) =>
    answer(exchange, { text: JSON.stringify({ observations: [], summaries: [], nothing: false }) }),
  "deep-nesting": (exchange) => answer(exchange, { text: "[".repeat(100_000) }),
  empty: (exchange) => answer(exchange, { text: "" }),
  refusal: (exchange) => answer(exchange, { text: "I cannot help with that.", stopped: "refused" }),
  "cut-at-max-tokens": (exchange) =>
    answer(exchange, {
      text: good(exchange).slice(0, Math.floor(good(exchange).length * 0.7)),
      stopped: "length",
    }),
  slow: async (exchange) => {
    await sleep(exchange.settings.slowMs);
    answer(exchange, {});
  },
  stream: (exchange) => stream(exchange, "all"),
  "stream-cut": (exchange) => stream(exchange, "cut"),
  "stream-error": (exchange) => stream(exchange, "error"),
  "no-usage": (exchange) => {
    const body = { ...wireFormats[exchange.wire].answer(whole(exchange, {})) };
    send(exchange, 200, JSON.stringify({ ...body, usage: undefined, usageMetadata: undefined }));
  },

  // Bodies that are none.
  html: (exchange) =>
    send(exchange, 200, "<!DOCTYPE html><html><body><h1>Sign in to the network</h1></body></html>", {
      "content-type": "text/html",
    }),
  "truncated-body": (exchange) => send(exchange, 200, body(exchange).slice(0, 40)),
  "other-json": (exchange) => send(exchange, 200, '{"ok":true}'),
  "empty-body": (exchange) => send(exchange, 200, ""),
  "50mb": (exchange) => flood(exchange, 200),
  "50mb-error": (exchange) => flood(exchange, 500),
  gzip: (exchange) => {
    const bytes = gzipSync(body(exchange));
    exchange.response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    exchange.response.end(bytes);
  },

  // Refusals.
  "rate-limited": (exchange) =>
    refuse(exchange, rateLimited, { "retry-after": String(exchange.settings.retryAfterSeconds) }),
  "rate-limited-date": (exchange) =>
    refuse(exchange, rateLimited, {
      "retry-after": new Date(
        exchange.settings.now() + exchange.settings.retryAfterSeconds * 1_000,
      ).toUTCString(),
    }),
  "rate-limited-silent": (exchange) => refuse(exchange, rateLimited),
  quota: (exchange) =>
    refuse(exchange, {
      status: exchange.wire === "messages" ? 400 : 429,
      kind: "quota",
      message: {
        messages: "Your credit balance is too low to access the API. Please go to Plans & Billing.",
        gemini: "You exceeded your current quota. Quota metric: GenerateRequestsPerDayPerProjectPerModel",
        chat: "You exceeded your current quota, please check your plan and billing details.",
      }[exchange.wire],
    }),
  "quota-402": (exchange) =>
    refuse(exchange, { status: 402, kind: "quota", message: "Insufficient credits. Add more credits." }),
  unauthorized: (exchange) => refuse(exchange, { status: 401, kind: "key", message: "invalid x-api-key" }),
  "echoed-key": (exchange) =>
    refuse(exchange, { status: 401, kind: "key", message: `Bad key: ${keyOf(exchange)}\u001b[2J` }),
  forbidden: (exchange) =>
    refuse(exchange, { status: 403, kind: "forbidden", message: "This key may not use this model." }),
  "no-such-model": (exchange) =>
    refuse(exchange, { status: 404, kind: "missing", message: "The model does not exist." }),
  "bad-request": (exchange) =>
    refuse(exchange, { status: 400, kind: "request", message: "messages: a field is not permitted" }),
  "old-limit": (exchange) =>
    refuse(exchange, {
      status: 400,
      kind: "request",
      message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    }),
  "no-structured-output": (exchange) =>
    exchange.asked.schema
      ? refuse(exchange, { status: 400, kind: "request", message: "response_format is not supported here" })
      : answer(exchange, {}),
  overflow: (exchange) =>
    exchange.asked.system.length + exchange.asked.prompt.length <= exchange.settings.overflowChars
      ? answer(exchange, {})
      : refuse(exchange, {
          status: 400,
          kind: "overflow",
          message: {
            messages: "prompt is too long: 214315 tokens > 200000 maximum",
            gemini: "The input token count (1214315) exceeds the maximum number of tokens allowed (1048576).",
            chat: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
          }[exchange.wire],
        }),
  "too-large": (exchange) =>
    refuse(exchange, { status: 413, kind: "request", message: "Request exceeds the maximum size" }),
  "server-timeout": (exchange) =>
    refuse(exchange, { status: 408, kind: "server", message: "The request took too long" }),
  "server-error": (exchange) =>
    refuse(exchange, { status: 500, kind: "server", message: "Internal server error" }),
  "bad-gateway": (exchange) =>
    send(exchange, 502, "<html><h1>502 Bad Gateway</h1></html>", { "content-type": "text/html" }),
  unavailable: (exchange) =>
    refuse(
      exchange,
      { status: 503, kind: "overloaded", message: "The model is overloaded" },
      { "retry-after": String(exchange.settings.retryAfterSeconds) },
    ),
  overloaded: (exchange) => refuse(exchange, { status: 529, kind: "overloaded", message: "Overloaded" }),
  redirect: (exchange) => send(exchange, 307, "", { location: exchange.settings.redirectTo }),

  // The connection.
  hang: () => undefined,
  "slow-headers": async (exchange) => {
    exchange.response.socket?.write("HTTP/1.1 200 OK\r\n");
    while (!gone(exchange)) {
      exchange.response.socket?.write("x-wait: 1\r\n");
      await sleep(20);
    }
  },
  drip: async (exchange) => {
    exchange.response.writeHead(200, { "content-type": "application/json" });
    while (!gone(exchange)) {
      exchange.response.write(" ");
      await sleep(10);
    }
  },
  "stream-drip": async (exchange) => {
    exchange.response.writeHead(200, { "content-type": "text/event-stream" });
    while (!gone(exchange)) {
      exchange.response.write(": still working\n\n");
      await sleep(10);
    }
  },
  reset: (exchange) => {
    exchange.response.socket?.resetAndDestroy();
  },
  "reset-in-body": async (exchange) => {
    const text = body(exchange);
    exchange.response.writeHead(200, {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
    });
    exchange.response.write(text.slice(0, 20));
    await sleep(10);
    exchange.response.socket?.resetAndDestroy();
  },
  "not-http": (exchange) => {
    exchange.response.socket?.end("220 mail.example ESMTP ready\r\n");
  },
} satisfies Record<string, Perform>;

export type Behaviour = keyof typeof table;

/** The name of every behaviour. */
export const behaviours = Object.keys(table) as Behaviour[];

/** Answers one request as its behaviour has it. */
export async function perform(behaviour: Behaviour, exchange: Exchange): Promise<void> {
  const run: Perform = table[behaviour];
  await run(exchange);
}

const rateLimited: ScriptedError = { status: 429, kind: "rate", message: "Too many requests, slow down." };

function good({ settings, asked }: Exchange): string {
  return settings.answer(asked.prompt, asked.system);
}

function whole(exchange: Exchange, part: Partial<ScriptedAnswer>): ScriptedAnswer {
  const text = part.text ?? good(exchange);
  const system = tokens(exchange.asked.system);
  return {
    text,
    stopped: part.stopped ?? "end",
    model: "scripted-model-1",
    usage: {
      input: system + tokens(exchange.asked.prompt),
      cached: exchange.cached ? system : 0,
      output: tokens(text),
    },
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function body(exchange: Exchange): string {
  return JSON.stringify(wireFormats[exchange.wire].answer(whole(exchange, {})));
}

function answer(exchange: Exchange, part: Partial<ScriptedAnswer>): void {
  if (exchange.asked.streamed) stream(exchange, "all", part);
  else send(exchange, 200, JSON.stringify(wireFormats[exchange.wire].answer(whole(exchange, part))));
}

function stream(exchange: Exchange, how: "all" | "cut" | "error", part: Partial<ScriptedAnswer> = {}): void {
  const { wire, response } = exchange;
  const told = whole(exchange, part);
  const all = wireFormats[wire].events(told, told.text.match(/[\s\S]{1,40}/g) ?? [""]);
  const events = how === "all" ? all : all.slice(0, Math.floor(all.length / 2));
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.write(": a comment, as some servers send while they wait\n\n");
  for (const { event, data } of events) {
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
  }
  if (how === "error") {
    const error = wireFormats[wire].error({ status: 529, kind: "overloaded", message: "Overloaded" });
    response.write(`${wire === "messages" ? "event: error\n" : ""}data: ${JSON.stringify(error)}\n\n`);
  }
  response.end();
}

function refuse(exchange: Exchange, error: ScriptedError, headers: Record<string, string> = {}): void {
  send(exchange, error.status, JSON.stringify(wireFormats[exchange.wire].error(error)), headers);
}

function send(exchange: Exchange, status: number, text: string, headers: Record<string, string> = {}): void {
  exchange.response.writeHead(status, { "content-type": "application/json", ...headers });
  exchange.response.end(text);
}

// 50 MB that begin like a good answer; stops when the client stops reading.
async function flood(exchange: Exchange, status: number): Promise<void> {
  const { response, wire } = exchange;
  const [head = "", tail = ""] = JSON.stringify(
    wireFormats[wire].answer({ ...whole(exchange, {}), text: "<flood>" }),
  ).split("<flood>");
  const chunk = Buffer.alloc(64 * 1024, "a");
  response.writeHead(status, { "content-type": "application/json" });
  response.write(head);
  for (let sent = 0; sent < 50 * 1024 * 1024 && !gone(exchange); sent += chunk.length) {
    exchange.sent(chunk.length);
    if (response.write(chunk)) continue;
    await drained(response);
  }
  response.end(tail);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

function gone({ response }: Exchange): boolean {
  return response.destroyed || response.socket === null || response.socket.destroyed;
}

function inventIds(text: string): string {
  return text
    .replace(/"sources":\[[^\]]*\]/g, '"sources":[900001,900002]')
    .replace(/"source":\d+/g, '"source":900003');
}

function keyOf({ response }: Exchange): string {
  const { headers } = response.req;
  return String(headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization ?? "");
}
