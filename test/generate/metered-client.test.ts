import { expect, test } from "vitest";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import { BudgetSpent } from "../../src/generate/spend.ts";
import {
  answer,
  asked,
  eachWithALedgerOfItsOwn,
  memory,
  metered,
  now,
  request,
  setBudget,
  spend,
} from "./metered-support.ts";

eachWithALedgerOfItsOwn();

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
  "a call that ends in %s without usage counts its input only if it was read",
  async (outcome, cause, tokens) => {
    const client = metered(() => Promise.reject(cause));
    await expect(client.complete(request, new AbortController().signal)).rejects.toBe(cause);
    const cost = { input_tokens: tokens, output_tokens: 0, cached_tokens: 0, cost_micro_usd: tokens };
    expect(ledger()).toMatchObject([{ outcome, ...cost }]);
    expect(spend.budgets()[0]?.used).toBe(tokens);
  },
);

test("an HTML page instead of an answer costs nothing and uses no budget", async () => {
  const page = new ModelFailure("bad_answer", "The answer is an HTML page.", { isPage: true });
  const client = metered(() => Promise.reject(page));
  await expect(client.complete(request, new AbortController().signal)).rejects.toBe(page);
  expect(ledger()).toMatchObject([
    { outcome: "bad_answer", input_tokens: 0, output_tokens: 0, cost_micro_usd: 0 },
  ]);
  expect(spend.budgets()[0]?.used).toBe(0);
});

test("a call that does not fit the budget is not made; a smaller one is", async () => {
  const client = metered(async () => ({ ...answer, usage: { ...answer.usage, inputTokens: 60 } }));
  const { signal } = new AbortController();
  const large = { ...request, prompt: "p".repeat(4_000) };
  await expect(client.complete(large, signal)).rejects.toBeInstanceOf(BudgetSpent);
  expect([asked, ledger()]).toEqual([0, []]);
  expect(spend.exhausted()).toMatchObject({ left: 1_000 });
  await client.complete(request, signal);
  expect([asked, spend.exhausted()]).toEqual([1, null]);
});

test("a model on this machine costs nothing where the table has no price for it", async () => {
  setBudget(10_000);
  const { signal } = new AbortController();
  for (const [model, isOwn] of [
    ["home", true],
    ["m-1", true],
    ["home", false],
  ] as const)
    await metered(async () => ({ ...answer, model }), { model, isOwn }).complete(
      { ...request, maxOutputTokens: 1 },
      signal,
    );
  expect(ledger()).toMatchObject([{ cost_micro_usd: 0 }, { cost_micro_usd: 800 }, { cost_micro_usd: null }]);
});

test("an aborted call counts its input when it was sent, else nothing", async () => {
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
