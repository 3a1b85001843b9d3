import { expect, test } from "vitest";
import { createCircuitBreaker, type Permit } from "../../src/generate/circuit-breaker.ts";
import { ask } from "../../src/generate/generate-batch.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "../../src/generate/provider.ts";
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

/** The model with `local` behind it. */
function withLocal(callsOfModel: () => Promise<unknown>) {
  const circuit = createCircuitBreaker({ onChange: () => undefined });
  const deps = {
    provider: provider("m-1", callsOfModel),
    local: provider("local", async () => undefined),
    circuit,
    timeoutMs: 60_000,
  };
  return {
    generate(batch: GenerationBatch) {
      const permit: Permit | null = spend.spent() === null ? circuit.admit(now, 7) : null;
      return ask(deps, batch, { permit, active: { abortController: new AbortController() } });
    },
  };
}

test("the model writes while the budget lasts, then local without calls", async () => {
  const client = metered(async () => answer);
  const model = withLocal(() => client.complete(request, new AbortController().signal));
  const replies = [];
  for (let n = 0; n < 4; n++) replies.push(await model.generate(batch));
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
  const model = withLocal(async () => {
    for (let n = 0; n < 3; n++) await client.complete(request, new AbortController().signal);
  });
  const reply = await model.generate(batch);
  expect(reply).toMatchObject({ generator: "local", upgrade: true });
  expect(asked).toBe(2);
  expect(memory.store.modelCalls.tokensSince(0)).toBe(1_280);
});

test("another failure of the model is not hidden by local", async () => {
  const failure = new ModelFailure("unavailable", "gone");
  const model = withLocal(() => Promise.reject(failure));
  await expect(model.generate(batch)).rejects.toBe(failure);
});

test("concurrent calls near the end of the budget do not cross it", async () => {
  setBudget(1_500);
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const client = metered(async () => {
    await gate;
    return answer;
  });
  const model = withLocal(() =>
    client.complete({ ...request, maxOutputTokens: 540 }, new AbortController().signal),
  );
  const running = Array.from({ length: 20 }, () => model.generate(batch));
  await new Promise((resolve) => setImmediate(resolve));
  release();
  const replies = await Promise.all(running);
  expect(replies.filter(({ upgrade }) => upgrade === true)).toHaveLength(18);
  expect(memory.store.modelCalls.tokensSince(0)).toBe(2 * 640);
});
