import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemError } from "../../src/errors.ts";
import { createActiveSessions } from "../../src/generate/active-sessions.ts";
import { type Batching, localBatching, modelBatching } from "../../src/generate/batching.ts";
import { createFlow } from "../../src/generate/flow.ts";
import { createGenerationLoop, type GenerationLoop } from "../../src/generate/loop.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "../../src/generate/provider.ts";
import { maxFailures, retryDelayMs } from "../../src/generate/retry.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import { openDatabase, type Sqlite } from "../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../src/store/sqlite/store.ts";

let directory: string;
let db: Sqlite;
let store: Store;
let now: number;
let loop: GenerationLoop;
let calls: number[][];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-loop-"));
  db = openDatabase(join(directory, "mem.db"), { product: "0.0.0-test", now: 1 });
  store = createStore(db);
  now = 1_000;
  calls = [];
});

afterEach(async () => {
  await loop.stop();
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

function parts() {
  const clock = { now: () => now, monotonicMs: () => now };
  return {
    flow: createFlow({ onChange: () => undefined }),
    sessions: createActiveSessions({ clock }),
    batching: { ...localBatching, maxMessages: 3 } as Batching,
    clock,
    concurrency: { calls: 2, slowAfterMs: 60_000, most: 2 },
    timeoutMs: 60_000,
    quiet: async () => undefined,
    onCompleted: () => undefined,
    onFailure: (_error: string, _messages: number): void => undefined,
  };
}

function run(generate: Provider["generate"], other: Partial<ReturnType<typeof parts>> = {}): void {
  loop = createGenerationLoop({
    ...parts(),
    ...other,
    queue: createGenerationQueue(store, "instance-1"),
    provider: {
      name: "scripted",
      generate: (batch, signal) => {
        calls.push(batch.messages.map((message) => message.id));
        return generate(batch, signal);
      },
    },
  });
  loop.start();
}

function addMessages(name: string, count: number): number {
  const session = store.sessions.insert({
    claude_session_id: name,
    sdk_session_id: `sdk-${name}`,
    project: "demo",
    host: "api",
    cwd: null,
    now,
  });
  addMore(session, count, "observation", name);
  return session;
}

function addMore(
  session: number,
  count: number,
  kind: "observation" | "summarize" = "observation",
  name = "more",
): void {
  for (let n = 0; n < count; n++) {
    const payload = JSON.stringify({ type: kind, tool_name: `${name}-${n}` });
    const event_key = `${name} ${now} ${n}`;
    const id = store.rawEvents.insert({ session_id: session, kind, event_key, payload, now });
    store.pending.enqueue(id ?? 0, session, now);
    store.pending.count("accepted", 1);
  }
}

async function echo(batch: GenerationBatch): Promise<GenerationReply> {
  return {
    observations: batch.messages.map(({ id, message }) => ({
      obs_type: "discovery",
      title: message.tool_name ?? "",
      subtitle: null,
      summary: "",
      narrative: null,
      facts: [],
      concepts: [],
      files_read: [],
      files_modified: [],
      provenance: "command",
      sources: [id],
    })),
    summaries: [],
    generator: "scripted",
    usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 0 },
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !condition(); n++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
}

describe("the generation loop", () => {
  test("messages of one session are done in order, in batches of bounded size", async () => {
    addMessages("a", 7);
    run(echo);
    await until(() => store.pending.counts().done === 7);
    expect(calls.map((ids) => ids.length)).toEqual([3, 3, 1]);
    const titles = db.prepare("select title from observations order by id").pluck().all();
    expect(titles).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `a-${n}`));
    expect(loop.lastSuccessAt()).toBe(now);
  });

  test("a session is never worked on twice at once", async () => {
    const session = addMessages("a", 6);
    let running = 0;
    let most = 0;
    run(async (batch) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      return echo(batch);
    });
    for (let n = 0; n < 10; n++) loop.notify(session);
    await until(() => store.pending.counts().done === 6);
    expect(most).toBe(1);
  });

  test("one hung session does not delay another", async () => {
    addMessages("hung", 5);
    addMessages("fine", 2);
    run((batch, signal) =>
      batch.session.claude_session_id === "hung"
        ? new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
        : echo(batch),
    );
    await until(() => store.pending.counts().done === 2);
    expect(store.pending.counts()).toMatchObject({ done: 2, processing: 3, pending: 2 });
  });

  test("stopping gives claimed messages back without spending an attempt", async () => {
    addMessages("hung", 2);
    run(
      (_batch, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    await until(() => store.pending.counts().processing === 2);
    await loop.stop();
    expect(store.pending.counts()).toMatchObject({ pending: 2, processing: 0, dead: 0 });
    expect(db.prepare("select distinct attempts from pending_messages").pluck().all()).toEqual([0]);
  });

  test("a provider that is deaf to its abort does not keep the loop from stopping", async () => {
    addMessages("deaf", 1);
    run(() => new Promise(() => undefined));
    await until(() => store.pending.counts().processing === 1);
    await loop.stop();
    expect(store.pending.counts()).toMatchObject({ pending: 1, processing: 0 });
  });

  test("a store that fails while the loop works does not end the process", async () => {
    addMessages("a", 1);
    const failures: string[] = [];
    const queue = createGenerationQueue(store, "instance-1");
    loop = createGenerationLoop({
      ...parts(),
      queue: {
        ...queue,
        claim: () => Promise.reject(new MemError("storage_failed")),
        nextDue() {
          throw new MemError("storage_failed");
        },
      },
      provider: { name: "scripted", generate: echo },
      onFailure: (error) => void failures.push(error),
    });
    loop.start();
    await until(() => failures.length > 0);
    expect(store.pending.counts().pending).toBe(1);
  });

  test("a poison message is dead after its attempts, with the reason, and the others pass", async () => {
    addMessages("a", 3);
    run(async (batch) => {
      if (batch.messages.some(({ message }) => message.tool_name === "a-1")) {
        throw new MemError("provider_failed", { message: "cannot read this one" });
      }
      return echo(batch);
    });
    for (let n = 0; n < 40; n++) {
      now += 10 * 60_000;
      const { done, dead } = store.pending.counts();
      if (done === 2 && dead === 1) break;
      for (const id of store.pending.sessionsDue(now)) loop.notify(id);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(store.pending.counts()).toEqual({
      accepted: 3,
      done: 2,
      skipped: 0,
      pending: 0,
      processing: 0,
      dead: 1,
    });
    expect(db.prepare("select failures, last_error from pending_messages").get()).toEqual({
      failures: maxFailures,
      last_error: "cannot read this one",
    });
  });

  test("a message of which nothing is made is done", async () => {
    addMessages("a", 2);
    run(async (batch) => ({ ...(await echo(batch)), observations: [] }));
    await until(() => store.pending.counts().done === 2);
    expect(db.prepare("select count(*) from observations").pluck().get()).toBe(0);
  });

  test("what was waiting at start is taken up without being announced", async () => {
    addMessages("left over", 1);
    run(echo);
    await until(() => store.pending.counts().done === 1);
  });

  test("a call that comes too late is broken off, and its messages are tried again", async () => {
    addMessages("a", 1);
    const failures: string[] = [];
    run(() => new Promise(() => undefined), {
      timeoutMs: 20,
      onFailure: (error: string) => void failures.push(error),
    });
    await until(() => failures.length > 0 && store.pending.counts().pending === 1);
    expect(failures[0]).toBe("timeout: no answer within 0.02 s");
    expect(db.prepare("select attempts, failures from pending_messages").get()).toEqual({
      attempts: 0,
      failures: 0,
    });
  });

  test("a session that is cancelled gives its messages back, and the others go on", async () => {
    const session = addMessages("hung", 2);
    addMessages("fine", 2);
    run((batch, signal) =>
      batch.session.claude_session_id === "hung"
        ? new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
        : echo(batch),
    );
    await until(() => store.pending.counts().processing === 2 && store.pending.counts().done === 2);
    await loop.cancel(session);
    expect(store.pending.counts()).toMatchObject({ pending: 2, done: 2, dead: 0 });
    expect(db.prepare("select distinct attempts from pending_messages").pluck().all()).toEqual([0]);
  });

  test("hung calls give their places up, so that more hung sessions than places delay nobody", async () => {
    for (const name of ["hung-1", "hung-2", "hung-3", "hung-4", "hung-5"]) addMessages(name, 1);
    addMessages("fine", 7);
    run(
      (batch) =>
        batch.session.claude_session_id.startsWith("hung") ? new Promise(() => undefined) : echo(batch),
      { concurrency: { calls: 2, slowAfterMs: 20, most: 8 } },
    );
    await until(() => store.pending.counts().done === 7);
    expect(store.pending.counts().processing).toBe(5);
  });

  test("an answer that cannot be stored costs no attempt, and is not asked for again at once", async () => {
    addMessages("a", 1);
    const queue = createGenerationQueue(store, "instance-1");
    loop = createGenerationLoop({
      ...parts(),
      queue: { ...queue, complete: () => Promise.reject(new MemError("storage_full")) },
      provider: { name: "scripted", generate: echo },
    });
    loop.start();
    await until(() => store.pending.nextDue(now) !== null);
    expect(store.pending.sessionsDue(now + 59_000)).toEqual([]);
    expect(db.prepare("select attempts, failures from pending_messages").get()).toEqual({
      attempts: 0,
      failures: 0,
    });
  });

  test("what is refused for all is tried one by one, and only what is refused alone is set aside", async () => {
    addMessages("a", 3);
    run(async (batch) => {
      if (batch.messages.some(({ message }) => message.tool_name === "a-1"))
        throw new ModelFailure("bad_answer", "it said Bearer sk-ant-api03-0123456789abcdefghijABCDEFGHIJ");
      return echo(batch);
    });
    await until(() => store.pending.counts().done === 2 && store.pending.counts().dead === 1);
    expect(calls).toEqual([[1, 2, 3], [1], [2], [3]]);
    const error = db.prepare("select last_error from pending_messages").pluck().get();
    expect(error).toMatch(/^bad_answer: it said /);
    expect(error).not.toContain("0123456789abcdefghij");
  });
});

describe("with a model the loop", () => {
  test("gathers the messages of a session, and asks when none came for five seconds", async () => {
    const session = addMessages("a", 2);
    run(echo, { batching: modelBatching });
    await loop.takeUpDue();
    now += 4_000;
    addMore(session, 1);
    await loop.takeUpDue();
    expect(calls).toEqual([]);
    now += 5_000;
    await loop.takeUpDue();
    await until(() => store.pending.counts().done === 3);
    expect(calls).toEqual([[1, 2, 3]]);
  });

  test("asks at once when ten are there, and takes no more than its characters allow", async () => {
    const session = addMessages("a", 9);
    run(echo, { batching: { ...modelBatching, maxChars: 300 } });
    await loop.takeUpDue();
    expect(calls).toEqual([]);
    addMore(session, 1);
    loop.notify(session);
    await until(() => calls.length > 0);
    expect(calls[0]?.length).toBeLessThan(10);
    now += 5_000;
    await loop.takeUpDue();
    await until(() => store.pending.counts().done === 10);
  });

  test.each([
    ["a summary is wanted", (session: number) => addMore(session, 1, "summarize")],
    ["the session has ended", (session: number) => store.sessions.complete(session, now)],
  ])("asks at once when %s", async (_what, happens) => {
    const session = addMessages("a", 1);
    run(echo, { batching: modelBatching });
    await loop.takeUpDue();
    expect(calls).toEqual([]);
    happens(session);
    loop.notify(session);
    await until(() => store.pending.counts().pending === 0 && store.pending.counts().processing === 0);
    expect(calls).toHaveLength(1);
  });

  test("stops without waiting for what it gathers", async () => {
    addMessages("a", 2);
    run(echo, { batching: modelBatching });
    await loop.takeUpDue();
    await loop.stop();
    expect(calls).toEqual([]);
    expect(store.pending.counts().pending).toBe(2);
  });

  test("lets a completed session finish, then releases it; the tokens of others are kept", async () => {
    const ended = addMessages("ended", 2);
    const open = addMessages("open", 6);
    store.sessions.complete(ended, now);
    const sessions = createActiveSessions({ clock: { now: () => now, monotonicMs: () => now } });
    run(echo, { sessions });
    await until(() => store.pending.counts().done === 8);
    await until(() => sessions.get(open)?.generatorPromise === null && sessions.count() === 1);
    expect(sessions.get(open)).toMatchObject({
      claudeSessionId: "open",
      sdkSessionId: "sdk-open",
      pendingMessages: [],
      cumulativeInputTokens: 14,
      cumulativeOutputTokens: 6,
    });
  });

  test("asks nobody while the provider is paused, and resumes alone", async () => {
    addMessages("a", 1);
    let down = true;
    run(
      async (batch) => {
        if (down) throw new ModelFailure("rate_limited", "slow down", { retryAfterMs: 30_000 });
        return echo(batch);
      },
      { flow: createFlow({ onChange: () => undefined }) },
    );
    await until(() => calls.length === 1 && store.pending.counts().pending === 1);
    addMessages("b", 1);
    for (let n = 0; n < 5; n++) {
      now += 5_000;
      await loop.takeUpDue();
    }
    expect(calls).toHaveLength(1);
    down = false;
    now += 5_000;
    await loop.takeUpDue();
    await until(() => store.pending.counts().done === 2);
  });
});

test("the delay before a retry doubles from two seconds to five minutes", () => {
  for (const [tries, base] of [
    [1, 2_000],
    [2, 4_000],
    [4, 16_000],
    [12, 300_000],
  ] as const) {
    const delay = retryDelayMs(tries);
    expect(delay).toBeGreaterThanOrEqual(base * 0.8);
    expect(delay).toBeLessThanOrEqual(base * 1.2);
  }
});
