import { afterEach, beforeEach, expect, test } from "vitest";
import { createFlow } from "../../src/generate/flow.ts";
import { createMeteredClient } from "../../src/generate/metered-client.ts";
import type { ModelClient, ModelRequest } from "../../src/generate/model-client.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "../../src/generate/provider.ts";
import { createSpend, type Spend } from "../../src/generate/spend.ts";
import { createStandInFlow, createStandInProvider } from "../../src/generate/stand-in-provider.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

let memory: MemoryStore;
let now: number;
let spend: Spend;
let asked: number;

beforeEach(() => {
  memory = createMemoryStore();
  now = Date.UTC(2026, 10, 20, 12);
  asked = 0;
  setBudget(1_000);
});
afterEach(() => memory.close());

function setBudget(daily: number): void {
  spend = createSpend({
    budgets: { daily, monthly: 0 },
    ledger: {
      record: (call) => memory.store.commit(() => memory.store.modelCalls.record(call)),
      tokensSince: memory.store.modelCalls.tokensSince,
    },
    clock: { now: () => now, monotonicMs: () => now },
  });
}

const request: ModelRequest = {
  system: "s".repeat(40),
  prompt: "p".repeat(360),
  maxOutputTokens: 100,
  schema: {},
  about: { sessionId: 7, project: "app", messages: 3 },
};

function metered(complete: ModelClient["complete"]): ModelClient {
  return createMeteredClient({
    client: {
      name: "primary",
      model: "m-1",
      complete: (sent, signal) => {
        asked += 1;
        return complete(sent, signal);
      },
      close: async () => undefined,
    },
    spend,
    prices: {
      costMicroUsd: (model, usage) => (model === "m-1" ? usage.inputTokens + usage.outputTokens * 5 : null),
    },
    clock: { now: () => now, monotonicMs: () => now },
  });
}

const answer = {
  text: "{}",
  stopped: "end" as const,
  model: "m-1-20260101",
  usage: { inputTokens: 600, outputTokens: 40, cachedTokens: 500 },
};

function ledger(): unknown[] {
  return memory.db.prepare("select * from model_calls order by id").all();
}

test("a call is entered with what it was for, what it used and what it cost", async () => {
  await metered(async () => answer).complete(request, new AbortController().signal);
  expect(ledger()).toEqual([
    {
      id: 1,
      at_epoch: now,
      provider: "primary",
      model: "m-1-20260101",
      session_id: 7,
      project: "app",
      messages: 3,
      input_tokens: 600,
      output_tokens: 40,
      cached_tokens: 500,
      // By the name that was asked: the dated one is not in the table.
      cost_micro_usd: 800,
      outcome: "ok",
    },
  ]);
});

test.each([
  ["rate_limited", new ModelFailure("rate_limited", "slow down"), 0],
  ["bad_answer", new ModelFailure("bad_answer", "garbage", { usage: answer.usage }), 640],
  ["failed", new Error("unheard of"), 0],
])(
  "a call that ends in %s is entered too, with what the vendor says it used",
  async (outcome, cause, tokens) => {
    const client = metered(() => Promise.reject(cause));
    await expect(client.complete(request, new AbortController().signal)).rejects.toBe(cause);
    expect(ledger()).toMatchObject([{ outcome, model: "m-1" }]);
    expect(memory.store.modelCalls.tokensSince(0)).toBe(tokens);
    expect(spend.budgets()[0]?.used).toBe(tokens);
  },
);

test("a call that is broken off on our side says so", async () => {
  const stopping = new AbortController();
  const client = metered(() => Promise.reject(stopping.signal.reason));
  stopping.abort();
  await expect(client.complete(request, stopping.signal)).rejects.toThrow();
  expect(ledger()).toMatchObject([{ outcome: "aborted" }]);
});

test.each([
  ["timeout", new ModelFailure("timeout", "late"), 100],
  ["bad_answer", new ModelFailure("bad_answer", "broke off"), 100],
  ["unavailable", new ModelFailure("unavailable", "connection refused"), 0],
  ["overflow", new ModelFailure("overflow", "413"), 0],
  ["bad_request", new ModelFailure("bad_request", "400"), 0],
])(
  "a call that ends in %s without a word about its usage counts what was sent only if it was read",
  async (outcome, cause, tokens) => {
    const client = metered(() => Promise.reject(cause));
    await expect(client.complete(request, new AbortController().signal)).rejects.toBe(cause);
    const cost = { input_tokens: tokens, output_tokens: 0, cached_tokens: 0, cost_micro_usd: tokens };
    expect(ledger()).toMatchObject([{ outcome, ...cost }]);
    expect(spend.budgets()[0]?.used).toBe(tokens);
  },
);

test("a call that is broken off after it was sent counts what was sent; one that never was counts nothing", async () => {
  const stopping = new AbortController();
  const client = metered(
    (_sent, signal) =>
      new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const call = client.complete(request, stopping.signal);
  stopping.abort();
  await expect(call).rejects.toThrow();
  await expect(client.complete(request, stopping.signal)).rejects.toThrow();
  expect(ledger()).toMatchObject([
    { outcome: "aborted", input_tokens: 100, output_tokens: 0 },
    { outcome: "aborted", input_tokens: 0, output_tokens: 0 },
  ]);
});

const batch: GenerationBatch = {
  session: { id: 7, claude_session_id: "c", project: "app", user_prompt: "" },
  messages: [],
  recentTitles: [],
};

function provider(generator: string, calls: () => Promise<unknown>): Provider {
  return {
    name: generator,
    async generate(): Promise<GenerationReply> {
      await calls();
      const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
      return { observations: [], summaries: [], generator, usage };
    },
  };
}

function withStandIn(callsOfModel: () => Promise<unknown>): Provider {
  return createStandInProvider(
    provider("m-1", callsOfModel),
    provider("local", async () => undefined),
    () => spend.spent() !== null,
  );
}

test("while the budget lasts the model writes, then local does and marks it, and no call is made any more", async () => {
  const client = metered(async () => answer);
  const model = withStandIn(() => client.complete(request, new AbortController().signal));
  const { signal } = new AbortController();
  const replies = [];
  for (let n = 0; n < 4; n++) replies.push(await model.generate(batch, signal));
  expect(replies.map(({ generator, upgrade }) => [generator, upgrade])).toEqual([
    ["m-1", undefined],
    ["m-1", undefined],
    ["local", true],
    ["local", true],
  ]);
  expect(asked).toBe(2);
});

test("a budget that ends in the middle of a batch loses nothing of it", async () => {
  const client = metered(async () => answer);
  const model = withStandIn(async () => {
    for (let n = 0; n < 3; n++) await client.complete(request, new AbortController().signal);
  });
  const reply = await model.generate(batch, new AbortController().signal);
  expect(reply).toMatchObject({ generator: "local", upgrade: true });
  expect(asked).toBe(2);
  expect(memory.store.modelCalls.tokensSince(0)).toBe(1_280);
});

test("another failure of the model is not hidden by local", async () => {
  const failure = new ModelFailure("unavailable", "gone");
  const model = withStandIn(() => Promise.reject(failure));
  await expect(model.generate(batch, new AbortController().signal)).rejects.toBe(failure);
});

test("calls that run at once near the end of the budget cross it by one call at most", async () => {
  setBudget(1_500);
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const client = metered(async () => {
    await gate;
    return answer;
  });
  const model = withStandIn(() =>
    client.complete({ ...request, maxOutputTokens: 540 }, new AbortController().signal),
  );
  const running = Array.from({ length: 20 }, () => model.generate(batch, new AbortController().signal));
  await new Promise((resolve) => setImmediate(resolve));
  release();
  const replies = await Promise.all(running);
  expect(replies.filter(({ upgrade }) => upgrade === true)).toHaveLength(17);
  expect(memory.store.modelCalls.tokensSince(0)).toBe(3 * 640);
});

test("a pause of the model holds nothing up while its budget is spent, and what local writes does not end it", async () => {
  const flow = createFlow({ onChange: () => undefined });
  flow.admit(now, 7)?.failed(new ModelFailure("rate_limited", "429", { retryAfterMs: 60_000 }), now);
  const seen = createStandInFlow(flow, () => spend.spent() !== null);
  expect(seen.mayAsk(now, 7)).toBe(false);
  expect(seen.admit(now, 7)).toBeNull();
  setBudget(1);
  await spend.reserve(1).settle({
    at_epoch: now,
    provider: "primary",
    model: "m-1",
    session_id: 7,
    project: "app",
    messages: 1,
    input_tokens: 5,
    output_tokens: 0,
    cached_tokens: 0,
    cost_micro_usd: null,
    outcome: "ok",
  });
  expect(seen.mayAsk(now, 7)).toBe(true);
  seen.admit(now, 7)?.succeeded(now);
  expect(flow.state(now).state).toBe("paused");
});
