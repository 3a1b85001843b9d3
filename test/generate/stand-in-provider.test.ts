import { expect, test } from "vitest";
import { createFlow } from "../../src/generate/flow.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "../../src/generate/provider.ts";
import { createStandInFlow, createStandInProvider } from "../../src/generate/stand-in-provider.ts";
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

test("calls that run at once near the end of the budget do not cross it", async () => {
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
  expect(replies.filter(({ upgrade }) => upgrade === true)).toHaveLength(18);
  expect(memory.store.modelCalls.tokensSince(0)).toBe(2 * 640);
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
