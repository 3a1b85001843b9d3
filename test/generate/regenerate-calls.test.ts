// A run over what has to be replaced together, and over what is taken back meanwhile.
import { beforeEach, expect, test } from "vitest";
import { type CircuitBreaker, createCircuitBreaker } from "../../src/generate/circuit-breaker.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import type { GenerationBatch, GenerationReply } from "../../src/generate/provider.ts";
import { createRegenerator, type Regenerator } from "../../src/generate/regenerate.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";
import { replyOf } from "./reply-support.ts";

const memory = eachMemoryStore();
let calls: GenerationBatch[];
let done: number;
let replaced: string[][];
let failures: string[];
let circuit: CircuitBreaker;
let now: number;

beforeEach(() => {
  calls = [];
  done = 0;
  replaced = [];
  failures = [];
  circuit = createCircuitBreaker({ onChange: () => undefined });
  now = 10_000;
});

/** Adds `count` messages to a session, all in one observation that `local` wrote. */
async function linked(count: number, promptKey = "k", name = "s"): Promise<number> {
  const { store } = memory;
  const session = store.sessions.insert({
    claude_session_id: name,
    sdk_session_id: `sdk-${name}`,
    project: "app",
    host: "api",
    cwd: null,
    now: 1,
  });
  for (let n = 0; n < count; n += 1) {
    const front = n === 0 ? { prompt_key: promptKey } : {};
    const payload = JSON.stringify({ ...front, type: "observation", tool_name: `T${n}` });
    const event = { session_id: session, kind: "observation" as const, event_key: `${n}`, payload, now: 1 };
    store.pending.enqueue(store.rawEvents.insert(event) ?? 0, session, 1);
  }
  const queue = createGenerationQueue(store, "i");
  const batch = await queue.claim(session, { now: 2, leaseMs: 1_000, limit: 50, maxChars: 100_000 });
  if (batch === null) throw new Error("no batch");
  const [first] = replyOf(batch, "local").observations;
  if (first === undefined) throw new Error("no draft");
  const sources = batch.messages.map(({ id }) => id);
  await queue.complete(batch, {
    ...replyOf(batch, "local"),
    observations: [{ ...first, title: "as one", sources }],
    summaries: [],
  });
  await store.regenerations.select({ generator: "local" });
  return session;
}

async function run(
  answer: (batch: GenerationBatch) => Promise<GenerationReply>,
  whileWaiting: (reason: string | null) => void = () => undefined,
): Promise<string | null> {
  const regenerator: Regenerator = createRegenerator({
    list: memory.store.regenerations,
    model: {
      name: "scripted",
      generate: (batch) => {
        calls.push(batch);
        return answer(batch);
      },
    },
    circuit,
    clock: { now: () => now, monotonicMs: () => now },
    maxMessages: 3,
    timeoutMs: 60_000,
    idle: async () => whileWaiting(regenerator.state().waitingFor),
    onCompleted: ({ observations }) => replaced.push(observations.map(({ title }) => title)),
    onFailure: (error) => failures.push(error),
    pollMs: 1,
  });
  regenerator.resume();
  while (regenerator.state().running) await new Promise((resolve) => setTimeout(resolve, 2));
  done += regenerator.state().done;
  return regenerator.state().stoppedBecause;
}

const titles = (): unknown[] => memory.db.prepare("select title from observations order by id").pluck().all();
const sizes = (): number[] => calls.map(({ messages }) => messages.length);

test("joined records are asked for in one call and replaced together", async () => {
  await linked(7);
  const reason = await run(async (batch) => replyOf(batch, "model"));
  expect({ reason, sizes: sizes(), done }).toEqual({ reason: null, sizes: [7], done: 7 });
  expect(titles().sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => `model ${id}`));
  expect(replaced).toHaveLength(1);
});

test("an answer that holds nothing removes what local wrote", async () => {
  await linked(3);
  await run(async (batch) => ({ ...replyOf(batch, "model"), observations: [], isJudged: true }));
  expect(titles()).toEqual([]);
  expect(done).toBe(3);
});

test("what a private prompt withdraws during a call is neither stored nor counted", async () => {
  const session = await linked(3);
  const reason = await run(async (batch) => {
    await memory.store.commit(() => memory.store.withdrawals.ofPrompt(session, "k"));
    return replyOf(batch, "model");
  });
  expect(reason).toBeNull();
  // The old record was made of what was taken back and went with it; what is left of its sources is asked for alone.
  expect(calls.map(({ messages }) => messages.map(({ id }) => id))).toEqual([
    [1, 2, 3],
    [2, 3],
  ]);
  expect(titles()).toEqual(["model 2", "model 3"]);
  expect({ done, failures }).toEqual({ done: 2, failures: [] });
});

const anHour = 3_600_000;
/** The gate opens at the next look. */
const untilItOpens = (reason: string | null): void => {
  if (reason !== null) now += anHour;
};

test("text that a private prompt withdraws during a pause is sent to no model", async () => {
  const session = await linked(3);
  circuit.admit(now, session)?.failed(new ModelFailure("rate_limited", "too fast"), now);
  await run(
    async (batch) => replyOf(batch, "model"),
    (reason) => {
      if (reason !== null) memory.db.transaction(() => memory.store.withdrawals.ofPrompt(session, "k"))();
      untilItOpens(reason);
    },
  );
  expect(calls.map(({ messages }) => messages.map(({ id }) => id))).toEqual([[2, 3]]);
});

test("a model whose every answer is useless ends the run early", async () => {
  await linked(1);
  for (let n = 2; n < 20; n += 1) await linked(1, "k", `s${n}`);
  const reason = await run(async () => {
    throw new ModelFailure("bad_answer", "garbage");
  }, untilItOpens);
  expect(reason).toBe("the provider failed too often in a row");
  expect(calls).toHaveLength(6);
  expect(memory.store.regenerations.counts()).toEqual({ left: 19, failed: 0 });
});
