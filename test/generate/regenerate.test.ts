import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CircuitBreaker, createCircuitBreaker } from "../../src/generate/circuit-breaker.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import type { GenerationBatch, GenerationReply } from "../../src/generate/provider.ts";
import { createRegenerator, type Regenerator } from "../../src/generate/regenerate.ts";
import { BudgetSpent } from "../../src/generate/spend.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import type { Sqlite } from "../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../src/store/sqlite/store.ts";
import { eventually } from "../helpers/eventually.ts";
import { openMigrated } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { replyOf } from "./reply-support.ts";

type Answer = (batch: GenerationBatch, signal: AbortSignal) => Promise<GenerationReply>;

let path: string;
let db: Sqlite;
let store: Store;
let now: number;
let circuit: CircuitBreaker;
let regenerator: Regenerator;
let calls: number[][];
let failures: string[];

beforeEach(() => {
  path = join(tempDir(), "mem.db");
  now = 10_000;
  calls = [];
  failures = [];
  circuit = createCircuitBreaker({ onChange: () => undefined });
  open();
});
afterEach(async () => {
  await regenerator.close();
  db.close();
});

function open(): void {
  db = openMigrated(path);
  store = createStore(db);
}

function regenerate(answer: Answer | null, { timeoutMs = 60_000, messages = 3 } = {}): Regenerator {
  regenerator = createRegenerator({
    list: store.regenerations,
    model:
      answer === null
        ? null
        : {
            name: "scripted",
            generate: (batch, signal) => {
              calls.push(batch.messages.map(({ id }) => id));
              return answer(batch, signal);
            },
          },
    circuit,
    clock: { now: () => now, monotonicMs: () => now },
    maxMessages: messages,
    timeoutMs,
    idle: async () => undefined,
    onCompleted: () => undefined,
    onFailure: (error) => failures.push(error),
    pollMs: 1,
  });
  return regenerator;
}

/** Messages that `local` has written of, a session each name. */
async function written(...names: string[]): Promise<void> {
  const queue = createGenerationQueue(store, "instance-1");
  for (const [index, name] of names.entries()) {
    const session =
      store.sessions.byClaudeId(name)?.id ??
      store.sessions.insert({
        claude_session_id: name,
        sdk_session_id: `sdk-${name}`,
        project: "app",
        host: "api",
        cwd: null,
        now,
      });
    const id = store.rawEvents.insert({
      session_id: session,
      kind: "observation",
      event_key: String(index),
      payload: JSON.stringify({ type: "observation", tool_name: name }),
      now,
    });
    store.pending.enqueue(id ?? 0, session, now);
    const batch = await queue.claim(session, { now, leaseMs: 1_000, limit: 50, maxChars: 100_000 });
    if (batch === null) throw new Error("no batch");
    await queue.complete(batch, replyOf(batch, "local"));
  }
}

const model: Answer = async (batch) => replyOf(batch, "model");

function generators(): unknown[] {
  return db.prepare("select generator from observations order by id").pluck().all();
}

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 1_000 && !condition(); n++) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(condition()).toBe(true);
}

async function ended(): Promise<void> {
  await until(() => !regenerator.state().running);
}

const local = { generator: "local" };

describe("a run", () => {
  test("makes everything again, session by session, in batches of bounded size", async () => {
    await written("a", "a", "a", "a", "b", "b");
    regenerate(model);
    const begun = await regenerator.start(local);
    expect(begun).toMatchObject({ running: true, total: 6, left: 6, stoppedBecause: null });
    await ended();
    expect(regenerator.state()).toEqual({
      running: false,
      total: 6,
      done: 6,
      left: 0,
      failed: 0,
      waitingFor: null,
      stoppedBecause: null,
    });
    expect(calls.map((ids) => ids.length)).toEqual([2, 3, 1]);
    expect(generators()).toEqual(Array(6).fill("model"));
  });

  test("where only local is set up is refused, and nothing is listed", async () => {
    await written("a");
    regenerate(null);
    await expect(regenerator.start(local)).rejects.toMatchObject({ code: "no_model" });
    expect(() => regenerator.resume()).toThrow(expect.objectContaining({ code: "no_model" }));
    expect(store.regenerations.counts().left).toBe(0);
  });

  test("without anything to do ends immediately", async () => {
    await written("a");
    regenerate(model);
    await regenerator.start({ generator: "another" });
    await ended();
    expect(regenerator.state()).toMatchObject({ total: 0, stoppedBecause: null });
    expect(calls).toEqual([]);
  });

  test("that is started twice adds to the list and runs once", async () => {
    await written("a", "b", "c");
    regenerate(model, { messages: 1 });
    await Promise.all([regenerator.start(local), regenerator.start(local)]);
    await ended();
    expect(calls).toHaveLength(3);
    expect(regenerator.state()).toMatchObject({ total: 3, done: 3 });
  });
});

describe("a batch that fails", () => {
  test.each(["bad_answer", "overflow", "bad_request", "timeout"] as const)(
    "with %s keeps its old records and fails after two retries, alone and last",
    async (kind) => {
      await written("poison", "fine", "fine");
      const [poison = 0] = db.prepare("select id from raw_events order by id").pluck().all() as number[];
      regenerate(async (batch) => {
        if (batch.messages.some(({ id }) => id === poison)) throw new ModelFailure(kind, "no");
        return replyOf(batch, "model");
      });
      await regenerator.start(local);
      await until(() => !regenerator.state().running || regenerator.state().waitingFor !== null);
      while (regenerator.state().running) {
        now += 60_000;
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      expect(generators()).toEqual(["local", "model", "model"]);
      if (kind === "bad_answer" || kind === "overflow") {
        expect(regenerator.state()).toMatchObject({ total: 3, done: 2, left: 0, failed: 1 });
        expect(calls.filter((ids) => ids.includes(poison))).toHaveLength(3);
      }
      expect(regenerator.state().failed + regenerator.state().left).toBe(1);
    },
  );

  test("takes none of the other turns with it", async () => {
    await written("a", "b", "c");
    const [, poison] = db.prepare("select id from raw_events order by id").pluck().all();
    regenerate(async (batch) => {
      if (batch.messages.some(({ id }) => id === poison)) throw new ModelFailure("bad_answer", "no");
      return replyOf(batch, "model");
    });
    await regenerator.start(local);
    await ended();
    expect(generators()).toEqual(["model", "local", "model"]);
    expect(regenerator.state()).toMatchObject({ done: 2, failed: 1, left: 0 });
  });

  test("says why without what is secret in it", async () => {
    await written("a");
    const key = `sk-ant-api03-${"a1B2".repeat(24)}`;
    regenerate(() => Promise.reject(new ModelFailure("bad_answer", `not JSON: ${key}`)));
    await regenerator.start(local);
    await ended();
    expect(failures.join()).toContain("not JSON");
    expect(failures.join()).not.toContain(key);
    const stored = db.prepare("select last_error from regenerations").pluck().get();
    expect(String(stored)).not.toContain(key);
  });
});

describe("the gate", () => {
  test("a vendor that wants a pause is waited for, and no try is spent on it", async () => {
    await written("a");
    let asked = 0;
    regenerate(async (batch) => {
      asked += 1;
      if (asked <= 8) throw new ModelFailure("rate_limited", "slow down", { retryAfterMs: 30_000 });
      return replyOf(batch, "model");
    });
    await regenerator.start(local);
    await until(() => regenerator.state().waitingFor === "slow down");
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toBe(before);
    while (regenerator.state().running) {
      now += 31_000;
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    expect(generators()).toEqual(["model"]);
    expect(regenerator.state()).toMatchObject({ done: 1, failed: 0, waitingFor: null });
  });

  test("closed by the generation loop it is closed here too", async () => {
    await written("a");
    circuit.admit(now, 99)?.failed(new ModelFailure("quota", "no quota"), now);
    regenerate(model);
    await regenerator.start(local);
    await until(() => regenerator.state().waitingFor === "no quota");
    expect(calls).toEqual([]);
    await regenerator.stop();
    expect(regenerator.state()).toMatchObject({ running: false, left: 1, waitingFor: null });
  });

  test("a key that is refused ends the run with the reason", async () => {
    await written("a");
    regenerate(() => Promise.reject(new ModelFailure("auth", "the key is refused")));
    await regenerator.start(local);
    await ended();
    expect(regenerator.state()).toMatchObject({ left: 1, failed: 0, stoppedBecause: "the key is refused" });
    expect(circuit.state(now).reason?.kind).toBe("auth");
  });

  test("resumed while access is still refused stops immediately, without a call", async () => {
    await written("a");
    circuit.admit(now, 99)?.failed(new ModelFailure("auth", "the key is refused"), now);
    regenerate(() => Promise.reject(new ModelFailure("auth", "asked again")));
    await regenerator.start({ generator: "local" });
    await eventually(() => expect(regenerator.state().running).toBe(false));
    expect(regenerator.state()).toMatchObject({ stoppedBecause: "the key is refused", left: 1 });
    expect(calls).toEqual([]);
  });

  test.each([
    ["an outage", new ModelFailure("unavailable", "503"), "abcdef"],
    ["a sign-in page", new ModelFailure("bad_answer", "HTML", { isPage: true }), "a"],
  ])("%s gives nothing up; the run ends and the rest stays listed", async (_what, failure, names) => {
    await written(...names);
    regenerate(() => Promise.reject(failure), { messages: 1 });
    await regenerator.start(local);
    while (regenerator.state().running) {
      now += 10 * 60_000;
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    expect(regenerator.state()).toMatchObject({ left: names.length, failed: 0 });
    expect(regenerator.state().stoppedBecause).toContain("too often");
    expect(calls.length).toBeLessThan(12);
  });
});

test("a budget that is spent stops it, and it says so; the next run goes on", async () => {
  await written("a", "b", "c");
  let budget = 2;
  const until = Date.UTC(2026, 10, 21);
  regenerate(
    async (batch) => {
      if (budget === 0) throw new BudgetSpent({ name: "daily", limit: 1_000, used: 1_000, left: 0, until });
      budget -= 1;
      return replyOf(batch, "model");
    },
    { messages: 1 },
  );
  await regenerator.start(local);
  await ended();
  expect(regenerator.state()).toMatchObject({ total: 3, done: 2, left: 1, failed: 0 });
  expect(regenerator.state().stoppedBecause).toContain("the daily budget of 1,000 tokens is spent");
  budget = 5;
  regenerator.resume();
  await ended();
  expect(regenerator.state()).toMatchObject({ total: 1, done: 1, left: 0, stoppedBecause: null });
  expect(generators()).toEqual(["model", "model", "model"]);
});

describe("stopping", () => {
  const hang: Answer = (_batch, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  test("breaks the call off, leaves the rest listed, and another start goes on", async () => {
    await written("a", "b");
    let hangs = true;
    regenerate((batch, signal) => (hangs ? hang(batch, signal) : model(batch, signal)), { messages: 1 });
    await regenerator.start(local);
    await until(() => calls.length === 1);
    const stopped = await regenerator.stop();
    expect(stopped).toMatchObject({ running: false, left: 2, failed: 0, stoppedBecause: "it was stopped" });
    hangs = false;
    regenerator.resume();
    await ended();
    expect(regenerator.state()).toMatchObject({ done: 2, left: 0 });
  });

  test("with drop forgets the rest and changes no record", async () => {
    await written("a", "b");
    regenerate(hang);
    await regenerator.start(local);
    await until(() => calls.length === 1);
    expect(await regenerator.stop({ drop: true })).toMatchObject({ total: 0, left: 0, stoppedBecause: null });
    expect(generators()).toEqual(["local", "local"]);
  });

  test("does not wait for a provider that is deaf to it", async () => {
    await written("a");
    regenerate(() => new Promise(() => undefined));
    await regenerator.start(local);
    await until(() => calls.length === 1);
    await regenerator.close();
    expect(regenerator.state().running).toBe(false);
    regenerator.resume();
    expect(regenerator.state().running).toBe(false);
  });

  test("a call without an answer ends at its deadline", async () => {
    await written("a");
    regenerate(() => new Promise(() => undefined), { timeoutMs: 5 });
    await regenerator.start(local);
    await until(() => failures.length > 0);
    expect(failures[0]).toContain("no answer within");
    await regenerator.stop();
  });
});

test("a killed worker's run waits for resume, and loses and doubles nothing", async () => {
  await written("a", "a", "a", "a", "b", "b", "b");
  let answered = 0;
  const counts = store.pending.counts();
  regenerate(
    (batch) => {
      answered += 1;
      return answered <= 2 ? model(batch, new AbortController().signal) : new Promise(() => undefined);
    },
    { messages: 2 },
  );
  await regenerator.start(local);
  await until(() => calls.length === 3);
  // The run gets no notice: its file is closed and opened again, as after kill -9.
  const dead = regenerator;
  db.close();
  open();
  expect(regenerate(model).state()).toMatchObject({
    running: false,
    left: 4,
    stoppedBecause: "the worker was restarted",
  });
  expect(calls).toHaveLength(3);
  regenerator.resume();
  await ended();
  expect(regenerator.state()).toMatchObject({ total: 4, done: 4, left: 0 });
  const titles = db.prepare("select title from observations order by id").pluck().all();
  expect(titles).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => `model ${id}`));
  expect(db.prepare("select count(*) from observations_fts").pluck().get()).toBe(7);
  expect(db.prepare("select max(revision) from observations").pluck().get()).toBe(2);
  expect(store.pending.counts()).toEqual(counts);
  await dead.close().catch(() => undefined);
});

test("a store that refuses the answer ends the run: it is not paid for again and again", async () => {
  await written("a");
  regenerate(async (batch) => {
    db.exec("drop table observation_files");
    return replyOf(batch, "model");
  });
  await regenerator.start(local);
  await ended();
  expect(calls).toHaveLength(1);
  expect(regenerator.state()).toMatchObject({ left: 1, failed: 0 });
  expect(regenerator.state().stoppedBecause).not.toBeNull();
});
