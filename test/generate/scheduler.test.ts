import { describe, expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import type { Made } from "../../src/core/records/drafts.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import type { Provider } from "../../src/generate/provider.ts";
import { createLocalProvider } from "../../src/generate/providers/local/local.ts";
import { maxFailures, retryDelayMs } from "../../src/generate/retry.ts";
import { createScheduler } from "../../src/generate/scheduler.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import { addMessages, echo, newSchedulerWorldEach, parts, run, until, world } from "./scheduler-support.ts";

newSchedulerWorldEach();

describe("the generation loop", () => {
  test("messages of one session are done in order, in batches of bounded size", async () => {
    addMessages("a", 7);
    run(echo);
    await until(() => world.store.pending.counts().done === 7);
    expect(world.calls.map((ids) => ids.length)).toEqual([3, 3, 1]);
    const titles = world.db.prepare("select title from observations order by id").pluck().all();
    expect(titles).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `a-${n}`));
    expect(world.scheduler.lastSuccessAt()).toBe(world.now);
  });

  test("a session never has two concurrent calls", async () => {
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
    for (let n = 0; n < 10; n++) world.scheduler.notify(session);
    await until(() => world.store.pending.counts().done === 6);
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
    await until(() => world.store.pending.counts().done === 2);
    expect(world.store.pending.counts()).toMatchObject({ done: 2, processing: 3, pending: 2 });
  });

  test("stopping gives claimed messages back without spending an attempt", async () => {
    addMessages("hung", 2);
    run(
      (_batch, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    await until(() => world.store.pending.counts().processing === 2);
    await world.scheduler.stop();
    expect(world.store.pending.counts()).toMatchObject({ pending: 2, processing: 0, dead: 0 });
    expect(world.db.prepare("select distinct attempts from pending_messages").pluck().all()).toEqual([0]);
  });

  test("stopping during a claim asks nothing and releases without an attempt", async () => {
    addMessages("a", 2);
    const queue = createGenerationQueue(world.store, "instance-1");
    let claiming = false;
    let claim: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (claim = resolve));
    let asked = 0;
    world.scheduler = createScheduler({
      ...parts(),
      queue: {
        ...queue,
        async claim(...request) {
          claiming = true;
          await told;
          return queue.claim(...request);
        },
      },
      provider: {
        name: "deaf",
        generate() {
          asked += 1;
          return new Promise(() => undefined);
        },
      },
    });
    world.scheduler.start();
    await until(() => claiming);
    const stopped = world.scheduler.stop();
    claim();
    await stopped;
    expect(asked).toBe(0);
    expect(world.store.pending.counts()).toMatchObject({ pending: 2, processing: 0, dead: 0 });
    expect(world.db.prepare("select distinct attempts, failures from pending_messages").all()).toEqual([
      { attempts: 0, failures: 0 },
    ]);
  });

  test("a session cancelled during its claim asks nothing and releases", async () => {
    const session = addMessages("a", 2);
    const queue = createGenerationQueue(world.store, "instance-1");
    let claiming = false;
    let claim: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (claim = resolve));
    const done: string[] = [];
    world.scheduler = createScheduler({
      ...parts(),
      queue: {
        ...queue,
        async claim(...request) {
          claiming = true;
          await told;
          return queue.claim(...request);
        },
        release(...request) {
          done.push("given back");
          return queue.release(...request);
        },
      },
      provider: {
        name: "counting",
        generate(batch) {
          done.push("asked");
          return echo(batch);
        },
      },
    });
    world.scheduler.start();
    await until(() => claiming);
    const cancelled = world.scheduler.cancel(session);
    claim();
    await cancelled;
    await until(() => done.length > 0);
    expect(done).toEqual(["given back"]);
    expect(world.store.pending.counts()).toMatchObject({ pending: 2, processing: 0, done: 0 });
    expect(world.db.prepare("select distinct attempts from pending_messages").pluck().all()).toEqual([0]);
    await world.scheduler.scheduleDue();
    await until(() => world.store.pending.counts().done === 2);
  });

  test("a provider that is deaf to its abort does not keep the loop from stopping", async () => {
    addMessages("deaf", 1);
    run(() => new Promise(() => undefined));
    await until(() => world.store.pending.counts().processing === 1);
    await world.scheduler.stop();
    expect(world.store.pending.counts()).toMatchObject({ pending: 1, processing: 0 });
  });

  test("a world.store that fails while the loop works does not end the process", async () => {
    addMessages("a", 1);
    const failures: string[] = [];
    const queue = createGenerationQueue(world.store, "instance-1");
    world.scheduler = createScheduler({
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
    world.scheduler.start();
    await until(() => failures.length > 0);
    expect(world.store.pending.counts().pending).toBe(1);
  });

  test("a poison message is dead-lettered with its reason, the others pass", async () => {
    addMessages("a", 3);
    run(async (batch) => {
      if (batch.messages.some(({ message }) => message.tool_name === "a-1")) {
        throw new MemError("provider_failed", { message: "cannot read this one" });
      }
      return echo(batch);
    });
    for (let n = 0; n < 40; n++) {
      world.now += 10 * 60_000;
      const { done, dead } = world.store.pending.counts();
      if (done === 2 && dead === 1) break;
      for (const id of world.store.pending.sessionsDue(world.now)) world.scheduler.notify(id);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(world.store.pending.counts()).toEqual({
      accepted: 3,
      done: 2,
      skipped: 0,
      pending: 0,
      processing: 0,
      dead: 1,
    });
    expect(world.db.prepare("select failures, last_error from pending_messages").get()).toEqual({
      failures: maxFailures,
      last_error: "cannot read this one",
    });
  });

  test("a message of which nothing is made is done", async () => {
    addMessages("a", 2);
    run(async (batch) => ({ ...(await echo(batch)), observations: [] }));
    await until(() => world.store.pending.counts().done === 2);
    expect(world.db.prepare("select count(*) from observations").pluck().get()).toBe(0);
  });

  test("what was waiting at start is taken up without being announced", async () => {
    addMessages("left over", 1);
    run(echo);
    await until(() => world.store.pending.counts().done === 1);
  });

  test("a call that comes too late is broken off, and its messages are tried again", async () => {
    addMessages("a", 1);
    const failures: string[] = [];
    run(() => new Promise(() => undefined), {
      timeoutMs: 20,
      onFailure: (error: string) => void failures.push(error),
    });
    await until(() => failures.length > 0 && world.store.pending.counts().pending === 1);
    expect(failures[0]).toBe("timeout: no answer within 0.02 s");
    expect(world.db.prepare("select attempts, failures from pending_messages").get()).toEqual({
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
    await until(
      () => world.store.pending.counts().processing === 2 && world.store.pending.counts().done === 2,
    );
    await world.scheduler.cancel(session);
    expect(world.store.pending.counts()).toMatchObject({ pending: 2, done: 2, dead: 0 });
    expect(world.db.prepare("select distinct attempts from pending_messages").pluck().all()).toEqual([0]);
  });

  test("hung calls give up their places and delay no other session", async () => {
    for (const name of ["hung-1", "hung-2", "hung-3", "hung-4", "hung-5"]) addMessages(name, 1);
    addMessages("fine", 7);
    run(
      (batch) =>
        batch.session.claude_session_id.startsWith("hung") ? new Promise(() => undefined) : echo(batch),
      { concurrency: { calls: 2, slowAfterMs: 20, most: 8 } },
    );
    await until(() => world.store.pending.counts().done === 7);
    expect(world.store.pending.counts().processing).toBe(5);
  });

  test("an answer that cannot be stored costs no attempt and is delayed", async () => {
    addMessages("a", 1);
    const queue = createGenerationQueue(world.store, "instance-1");
    world.scheduler = createScheduler({
      ...parts(),
      queue: { ...queue, complete: () => Promise.reject(new MemError("storage_full")) },
      provider: { name: "scripted", generate: echo },
    });
    world.scheduler.start();
    await until(() => world.store.pending.nextDue(world.now) !== null);
    expect(world.store.pending.sessionsDue(world.now + 59_000)).toEqual([]);
    expect(world.db.prepare("select attempts, failures from pending_messages").get()).toEqual({
      attempts: 0,
      failures: 0,
    });
  });

  test("a refused turn is dead with its reason, and the others pass", async () => {
    addMessages("a", 3);
    addMessages("b", 2);
    run(async (batch) => {
      if (batch.messages.some(({ message }) => message.tool_name === "a-1"))
        throw new ModelFailure("bad_answer", "it said Bearer sk-ant-api03-0123456789abcdefghijABCDEFGHIJ");
      return echo(batch);
    });
    await until(() => world.store.pending.counts().done === 2 && world.calls.length === 2);
    await again();
    await until(() => world.store.pending.counts().dead === 3);
    expect(world.calls).toHaveLength(3);
    const error = world.db.prepare("select last_error from pending_messages").pluck().get();
    expect(error).toMatch(/^bad_answer: it said /);
    expect(error).not.toContain("0123456789abcdefghij");
  });
});

test("local writes what the model answers uselessly, marked for regeneration", async () => {
  addMessages("a", 3);
  const model: Provider = {
    name: "m-1",
    async generate(batch) {
      world.calls.push(batch.messages.map(({ id }) => id));
      if (batch.messages.some(({ message }) => message.tool_name === "a-1"))
        throw new ModelFailure("bad_answer", "it is no JSON");
      return echo(batch);
    },
  };
  const failures: string[] = [];
  const made: string[] = [];
  world.scheduler = createScheduler({
    ...parts(),
    queue: createGenerationQueue(world.store, "instance-1"),
    provider: model,
    local: createLocalProvider(),
    onFailure: (error) => void failures.push(error),
    onCompleted: ({ observations }: Made) => made.push(...observations.map(({ generator }) => generator)),
  });
  world.scheduler.start();
  await until(() => failures.length === 1);
  await again();
  await until(() => world.store.pending.counts().done === 3);
  expect(world.calls).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect(world.store.pending.counts()).toMatchObject({ accepted: 3, done: 3, dead: 0, pending: 0 });
  const written = "select generator, upgrade from observations where upgrade = 1";
  expect(world.db.prepare(written).all()).toHaveLength(3);
  expect(new Set(made)).toEqual(new Set(["local"]));
});

test("what local wrote in the model's place and cannot be stored is tried again", async () => {
  addMessages("a", 1);
  const garbage: Provider = {
    name: "m-1",
    generate: () => Promise.reject(new ModelFailure("bad_answer", "it is no JSON")),
  };
  const failures: string[] = [];
  world.scheduler = createScheduler({
    ...parts(),
    queue: {
      ...createGenerationQueue(world.store, "instance-1"),
      complete: () => Promise.reject(new MemError("storage_full")),
    },
    provider: garbage,
    local: createLocalProvider(),
    onFailure: (error) => void failures.push(error),
  });
  world.scheduler.start();
  await until(() => failures.length === 1);
  await again();
  await until(() => failures.length === 3 && world.store.pending.counts().processing === 0);
  expect(world.store.pending.counts()).toMatchObject({ dead: 0, pending: 1 });
});

test("what local cannot write in the model's place is dead with the model's reason", async () => {
  addMessages("a", 1);
  const garbage: Provider = {
    name: "m-1",
    generate: () => Promise.reject(new ModelFailure("bad_answer", "it is no JSON")),
  };
  const local: Provider = { name: "local", generate: () => Promise.reject(new MemError("internal")) };
  world.scheduler = createScheduler({
    ...parts(),
    queue: createGenerationQueue(world.store, "instance-1"),
    provider: garbage,
    local,
  });
  world.scheduler.start();
  await until(() => world.store.pending.nextDue(world.now) !== null);
  await again();
  await until(() => world.store.pending.counts().dead === 1);
  expect(world.db.prepare("select last_error from pending_messages").pluck().get()).toBe(
    "bad_answer: it is no JSON",
  );
});

/** Turns the clock to the next try. */
async function again(): Promise<void> {
  await until(() => world.store.pending.counts().processing === 0);
  world.now += 5 * 60_000;
  await world.scheduler.scheduleDue();
}

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
