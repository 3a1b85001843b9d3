// What every model client holds, whatever its wire format: one suite, run against each of them and a scripted server.
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../src/generate/model-client.ts";
import { ModelFailure, type ModelFailureKind } from "../../src/generate/model-failure.ts";
import {
  type Behaviour,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
  type Wire,
} from "../helpers/scripted-model.ts";

/** How a client is made for the suite. */
export interface ModelClientContract {
  /** Stands in the names of the tests. */
  name: string;
  wire: Wire;
  create(options: ContractClient): ModelClient | Promise<ModelClient>;
  /** What this client's wire has no such thing as, and why: its tests are not run. */
  lacks?: Partial<Record<ContractPart, string>>;
}

export interface ContractClient {
  /** The scripted server, without a path. */
  url: string;
  key: string;
  timeoutMs: number;
  /** Epoch in milliseconds. */
  now: () => number;
}

/**
 * Parts of the suite that a client may lack. `connection`: it holds the connection to the server itself; a client that
 * asks through a program of the vendor's does not decide about redirects, sizes and compression there. `words`: its
 * failures say what the server said. `bodies`: it sees a body that is no valid answer; to a client that does not, the
 * server may look unreachable. `variants`: it tells apart statuses and bodies of the same result itself.
 */
export type ContractPart =
  | "usage"
  | "retry-after"
  | "schema"
  | "connection"
  | "stream"
  | "words"
  | "bodies"
  | "variants";

/** A key that looks like none, so that only knowing it can take it out of a message. */
export const contractKey = "plain words that nobody would take for one".replaceAll(" ", "_");

export const contractRequest: ModelRequest = {
  system: "You write records of what a coding agent did. Answer with JSON.",
  prompt: "[1] Read src/a.ts\n[2] Edit src/a.ts",
  maxOutputTokens: 512,
  schema: {
    type: "object",
    properties: { nothing: { type: "boolean" }, title: { type: "string", maxLength: 80 } },
    required: ["nothing"],
  },
  about: { sessionId: 1, project: "a project that is never sent", messages: 2 },
};

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
let server: ScriptedModel;
let client: ModelClient;
let stop: () => Promise<void> = async () => undefined;

type Restart = (options: ScriptedModelOptions, timeoutMs?: number) => Promise<void>;

/** Registers the suite for one client. */
export function describeModelClient(contract: ModelClientContract): void {
  const has = (part: ContractPart) => contract.lacks?.[part] === undefined;
  async function start(options: ScriptedModelOptions = {}, timeoutMs = 10_000): Promise<void> {
    await stop();
    server = await startScriptedModel({ now: () => now, ...options });
    client = await contract.create({ url: server.url, key: contractKey, timeoutMs, now: () => now });
    const mine = { server, client };
    stop = async () => {
      await mine.client.close();
      await mine.server.close();
      stop = async () => undefined;
    };
  }

  describe(`the client ${contract.name}`, () => {
    beforeEach(() => start());
    afterEach(() => stop());
    answers(contract, has);
    failures(has);
    if (has("stream")) streams();
    interruptions(start, has);
    if (has("connection")) connections(start);
    secrecy(has("connection"));
  });
}

function answers(contract: ModelClientContract, has: (part: ContractPart) => boolean): void {
  const usage = has("usage");
  test("gives the text of a good answer, where it stopped and which model wrote it", async () => {
    const answer = await ask();
    expect(JSON.parse(answer.text)).toMatchObject({ observations: [{ sources: [1, 2] }] });
    expect(answer).toMatchObject({ stopped: "end", model: expect.stringMatching(/\S/) });
    // Asked once, with system and prompt, and nothing of what the call is about.
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      wire: contract.wire,
      prompt: expect.stringContaining("[2] Edit"),
    });
    expect(server.requests[0]?.system).toContain("records of what a coding agent did");
    expect(server.requests[0]?.raw).not.toContain("never sent");
  });
  const stops: [Behaviour, ModelAnswer["stopped"]][] = [
    ["nothing", "end"],
    ["garbage", "end"],
    ["truncated-json", "end"],
    ["wrong-schema", "end"],
    ["cut-at-max-tokens", "length"],
    ["refusal", "refused"],
    ["slow", "end"],
  ];
  test.each(triedOf(stops, has))(
    "leaves what the model says to the reader: %s stops with %s",
    async (behaviour, stopped) => {
      server.play(behaviour);
      expect(await ask()).toMatchObject({ stopped });
    },
  );
  if (has("schema"))
    test("drops the schema for a server that refuses it, also in later requests", async () => {
      server.play("no-structured-output");
      await ask();
      await ask();
      expect(server.requests).toHaveLength(3);
    });
  if (usage)
    test("counts all that was read, and the part of it that came from the cache", async () => {
      const first = await ask();
      expect(first.usage).toEqual({
        inputTokens: expect.any(Number),
        outputTokens: Math.ceil(first.text.length / 4),
        cachedTokens: 0,
      });
      const { usage: second } = await ask();
      expect(second.inputTokens).toBe(first.usage.inputTokens);
      expect(second.cachedTokens).toBe(Math.ceil(contractRequest.system.length / 4));
    });
  if (usage)
    test("an answer that was billed and cannot be used says what it used", async () => {
      server.play("empty");
      expect((await failure()).usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: 0 });
    });
  if (usage)
    test("estimates the usage of a server that counts nothing", async () => {
      server.play("no-usage");
      const { usage: estimated, text } = await ask();
      expect(estimated.inputTokens).toBeGreaterThanOrEqual(
        Math.ceil((contractRequest.system.length + contractRequest.prompt.length) / 4),
      );
      expect(estimated.outputTokens).toBe(Math.ceil(text.length / 4));
    });
}

function failures(has: (part: ContractPart) => boolean): void {
  const kinds: [Behaviour, ModelFailureKind][] = [
    ["rate-limited", "rate_limited"],
    ["rate-limited-date", "rate_limited"],
    ["rate-limited-silent", "rate_limited"],
    ["quota", "quota"],
    ["quota-402", "quota"],
    ["unauthorized", "auth"],
    ["forbidden", "auth"],
    ["no-such-model", "auth"],
    ["bad-request", "bad_request"],
    ["too-large", "overflow"],
    ["reset", "unavailable"],
    ["server-timeout", "unavailable"],
    ["server-error", "unavailable"],
    ["bad-gateway", "unavailable"],
    ["unavailable", "unavailable"],
    ["overloaded", "unavailable"],
    ["reset-in-body", "unavailable"],
    ["not-http", "unavailable"],
    ["empty", "bad_answer"],
  ];
  test.each(triedOf(kinds, has))("%s is a failure of the kind %s", async (behaviour, kind) => {
    server.play(behaviour);
    expect((await failure()).kind).toBe(kind);
  });
  const noAnswers: Behaviour[] = ["html", "truncated-body", "other-json", "empty-body"];
  test.each(
    triedOf(
      noAnswers.map((behaviour) => [behaviour, ""]),
      has,
    ),
  )("%s is no answer", async (behaviour) => {
    server.play(behaviour);
    expect(has("bodies") ? ["bad_answer"] : ["bad_answer", "unavailable"]).toContain((await failure()).kind);
  });

  test("reports a request that is too long for the model as an overflow", async () => {
    server.play("overflow");
    const long = { ...contractRequest, prompt: "long ".repeat(10_000) };
    expect((await failure(client.complete(long, new AbortController().signal))).kind).toBe("overflow");
    await expect(ask()).resolves.toMatchObject({ stopped: "end" });
  });
  const asked: Behaviour[] = ["rate-limited", "rate-limited-date", "unavailable"];
  if (has("retry-after"))
    test.each(asked)("%s says when to ask again", async (behaviour) => {
      server.play(behaviour);
      expect((await failure()).retryAfterMs).toBe(30_000);
    });
  if (has("retry-after"))
    test("a refusal without a time says none", async () => {
      server.play("rate-limited-silent");
      expect((await failure()).retryAfterMs).toBeUndefined();
    });

  test("a server that is not there is unavailable", async () => {
    await server.close();
    expect((await failure()).kind).toBe("unavailable");
  });
  if (has("words"))
    test("the message says what the server said", async () => {
      server.play("unauthorized");
      expect((await failure()).message).toMatch(/401.*invalid x-api-key/);
    });
}

/** The rows; the first of each result where the client's program makes one of them all. */
function triedOf<T>(rows: [Behaviour, T][], has: (part: ContractPart) => boolean): [Behaviour, T][] {
  return has("variants") ? rows : rows.filter(([, is], at) => rows.findIndex(([, one]) => one === is) === at);
}

function streams(): void {
  test("understands a stream that it did not ask for", async () => {
    const plain = await ask();
    server.play("stream");
    const streamed = await ask();
    expect(streamed.text).toBe(plain.text);
    expect(streamed).toMatchObject({ stopped: "end", model: plain.model });
    expect(streamed.usage).toMatchObject({
      inputTokens: plain.usage.inputTokens,
      outputTokens: plain.usage.outputTokens,
    });
  });

  test("a stream that ends before its end cannot be used", async () => {
    server.play("stream-cut");
    expect((await failure()).kind).toBe("bad_answer");
  });

  test("an error in the middle of a stream is that error", async () => {
    server.play("stream-error");
    expect((await failure()).kind).toBe("unavailable");
  });
}

function interruptions(restart: Restart, has: (part: ContractPart) => boolean): void {
  const stalls: Behaviour[] = ["hang", "drip", "slow-headers", "stream-drip"];
  if (!has("variants")) stalls.splice(1);

  test.each(stalls)("%s is ended at the deadline, and its connection closed", async (behaviour) => {
    await restart({ script: behaviour }, 400);
    expect((await failure()).kind).toBe("timeout");
    await server.requests[0]?.over;
    expect(server.requests[0]?.aborted).toBe(true);
  });

  test.each(stalls)("an abort during %s is a cancellation, and closes the connection", async (behaviour) => {
    server.play(behaviour);
    const caller = new AbortController();
    const asking = client.complete(contractRequest, caller.signal);
    asking.catch(() => undefined);
    await until(() => server.requests.length > 0);
    caller.abort();
    await expect(asking).rejects.toMatchObject({ code: "cancelled" });
    await expect(asking).rejects.toBeInstanceOf(MemError);
    await server.requests[0]?.over;
    expect(server.requests[0]?.aborted).toBe(true);
  });

  test("a call that is aborted before it begins sends no request", async () => {
    await expect(client.complete(contractRequest, AbortSignal.abort())).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(server.requests).toHaveLength(0);
  });

  test("one call that hangs does not delay another", async () => {
    server.play((request) => (request.index === 0 ? "hang" : "ok"));
    const caller = new AbortController();
    const hanging = client.complete(contractRequest, caller.signal);
    hanging.catch(() => undefined);
    await until(() => server.requests.length > 0);
    await expect(ask()).resolves.toMatchObject({ stopped: "end" });
    caller.abort();
    await expect(hanging).rejects.toMatchObject({ code: "cancelled" });
  });
  if (!has("connection")) return;
  test("answers again after every kind of broken connection", async () => {
    server.play(["reset", "reset-in-body", "not-http", "truncated-body", "ok"]);
    for (let broken = 0; broken < 4; broken++) await failure();
    await expect(ask()).resolves.toMatchObject({ stopped: "end" });
  });

  test("closing it leaves no connection open", async () => {
    await ask();
    await client.close();
    await until(async () => (await server.openConnections()) === 0);
  });
}

function connections(restart: Restart): void {
  const floods: [Behaviour, ModelFailureKind][] = [
    ["50mb", "bad_answer"],
    ["50mb-error", "unavailable"],
  ];
  test.each(floods)("%s is cut off early and held nowhere: %s", async (behaviour, kind) => {
    server.play(behaviour);
    expect((await failure()).kind).toBe(kind);
    await server.requests[0]?.over;
    // What was sent is at most the limit and what two sockets buffer.
    expect(server.requests[0]?.bytesSent).toBeLessThan(16 * 1024 * 1024);
  });

  test("compression is not asked for, and an answer that comes compressed cannot be used", async () => {
    server.play("gzip");
    expect((await failure()).kind).toBe("bad_answer");
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test("a redirect is not followed: the other origin sees nothing, and the failure names it", async () => {
    const other = await startScriptedModel();
    try {
      await restart({ script: "redirect", redirectTo: `${other.url}/v1/messages?from=here` });
      const { message, kind } = await failure();
      expect(kind).toBe("auth");
      expect(message).toContain(`redirects to ${new URL(other.url).host}. `);
      expect(server.requests).toHaveLength(1);
      expect(other.requests).toHaveLength(0);
    } finally {
      await other.close();
    }
  });
}

function secrecy(connection: boolean): void {
  test("the key does not show when the client is looked at", () => {
    expect(inspect(client, { depth: 20, showHidden: true })).not.toContain(contractKey);
    expect(JSON.stringify(client)).not.toContain(contractKey);
  });
  if (connection)
    test("the key is sent in a header, never in the path or the body", async () => {
      await ask();
      const [request] = server.requests;
      expect(JSON.stringify(request?.headers)).toContain(contractKey);
      expect(`${request?.path}${request?.raw}`).not.toContain(contractKey);
    });

  test("neither a key that the server echoes nor its control characters reach the message", async () => {
    server.play("echoed-key");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect((await failure()).message).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
  });
}

function ask(): Promise<ModelAnswer> {
  return client.complete(contractRequest, new AbortController().signal);
}

/** Of every failure: the key is nowhere in it, and its message is one short line for people. */
async function failure(asking: Promise<ModelAnswer> = ask()): Promise<ModelFailure> {
  const error = await asking.then(
    (answer) => expect.fail(`it answered: ${answer.text.slice(0, 80)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ModelFailure)) throw error;
  const shown = [error.message, error.stack, JSON.stringify(error.toBody()), inspect(error, { depth: 20 })];
  expect(shown.join("\n")).not.toContain(contractKey);
  expect(error.message.length).toBeLessThan(400);
  expect(error.message).not.toMatch(/\n/);
  return error;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
