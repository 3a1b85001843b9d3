import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemError } from "../../src/errors.ts";
import { createActiveSessions } from "../../src/generate/active-sessions.ts";
import { localBatching } from "../../src/generate/batching.ts";
import { createFlow } from "../../src/generate/flow.ts";
import { createGenerationLoop, type GenerationLoop } from "../../src/generate/loop.ts";
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
    batching: { ...localBatching, maxMessages: 3 },
    clock,
    concurrency: { calls: 2, slowAfterMs: 60_000, most: 2 },
    timeoutMs: 60_000,
    quiet: async () => undefined,
    onCompleted: () => undefined,
    onFailure: () => undefined,
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
  for (let n = 0; n < count; n++) {
    const payload = JSON.stringify({ type: "observation", tool_name: `${name}-${n}` });
    const id = store.rawEvents.insert({
      session_id: session,
      kind: "observation",
      event_key: `${n}`,
      payload,
      now,
    });
    store.pending.enqueue(id ?? 0, session, now);
    store.pending.count("accepted", 1);
  }
  return session;
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
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
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
