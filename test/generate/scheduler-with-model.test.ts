import { describe, expect, test } from "vitest";
import { createActiveSessions } from "../../src/generate/active-sessions.ts";
import { modelBatching } from "../../src/generate/batching.ts";
import { createCircuitBreaker } from "../../src/generate/circuit-breaker.ts";
import { ModelFailure } from "../../src/generate/model-failure.ts";
import { createLocalProvider } from "../../src/generate/providers/local/local.ts";
import {
  addMessages,
  addMore,
  echo,
  newSchedulerWorldEach,
  parts,
  run,
  until,
  world,
} from "./scheduler-support.ts";

newSchedulerWorldEach();

describe("with a model the loop", () => {
  test("asks a second after an idle session's first message, for all by then", async () => {
    const session = addMessages("a", 2);
    run(echo, { batching: modelBatching });
    await world.scheduler.scheduleDue();
    world.now += 900;
    addMore(session, 1);
    await world.scheduler.scheduleDue();
    expect(world.calls).toEqual([]);
    world.now += 100;
    await world.scheduler.scheduleDue();
    await until(() => world.store.pending.counts().done === 3);
    expect(world.calls).toEqual([[1, 2, 3]]);
  });

  test("asks for each message a second after it came, while none comes during a call", async () => {
    run(echo, { batching: modelBatching });
    const session = addMessages("a", 0);
    for (let n = 1; n <= 3; n++) {
      world.now += 1;
      addMore(session, 1);
      await world.scheduler.scheduleDue();
      world.now += 1_000;
      await world.scheduler.scheduleDue();
      await until(() => world.store.pending.counts().done === n);
    }
    expect(world.calls).toEqual([[1], [2], [3]]);
  });

  test.each([
    ["as soon as it returns when it took five seconds", 6_000, 0],
    ["when the oldest is five seconds old after a short one", 1_000, 5_000],
  ])("gathers what comes while a call runs, and asks %s", async (_what, callMs, laterMs) => {
    const session = addMessages("a", 1);
    let answer: () => void = () => undefined;
    run(
      async (batch) => {
        if (world.calls.length === 1) await new Promise<void>((resolve) => (answer = resolve));
        return echo(batch);
      },
      { batching: modelBatching },
    );
    world.now += 1_000;
    await world.scheduler.scheduleDue();
    await until(() => world.calls.length === 1);
    for (let n = 0; n < 3; n++) {
      world.now += 1;
      addMore(session, 1);
      world.scheduler.notify(session);
    }
    world.now += callMs;
    answer();
    await until(() => world.store.pending.counts().done >= 1);
    await world.scheduler.scheduleDue();
    if (laterMs > 0) expect(world.calls).toEqual([[1]]);
    world.now += laterMs;
    await world.scheduler.scheduleDue();
    await until(() => world.store.pending.counts().done === 4);
    expect(world.calls).toEqual([[1], [2, 3, 4]]);
  });

  test("asks immediately when ten are there, and takes no more than its characters allow", async () => {
    const session = addMessages("a", 9);
    run(echo, { batching: { ...modelBatching, maxChars: 300 } });
    await world.scheduler.scheduleDue();
    expect(world.calls).toEqual([]);
    addMore(session, 1);
    world.scheduler.notify(session);
    await until(() => world.calls.length > 0);
    expect(world.calls[0]?.length).toBeLessThan(10);
    world.now += 5_000;
    await world.scheduler.scheduleDue();
    await until(() => world.store.pending.counts().done === 10);
  });

  test.each([
    ["a summary is wanted", (session: number) => addMore(session, 1, "summarize")],
    ["the session has ended", (session: number) => world.store.sessions.complete(session, world.now)],
  ])("asks immediately when %s", async (_what, happens) => {
    const session = addMessages("a", 1);
    run(echo, { batching: modelBatching });
    await world.scheduler.scheduleDue();
    expect(world.calls).toEqual([]);
    happens(session);
    world.scheduler.notify(session);
    await until(
      () => world.store.pending.counts().pending === 0 && world.store.pending.counts().processing === 0,
    );
    expect(world.calls).toHaveLength(1);
  });

  test("stops without waiting for what it gathers", async () => {
    addMessages("a", 2);
    run(echo, { batching: modelBatching });
    await world.scheduler.scheduleDue();
    await world.scheduler.stop();
    expect(world.calls).toEqual([]);
    expect(world.store.pending.counts().pending).toBe(2);
  });

  test("lets a completed session finish, then releases it; the tokens of others are kept", async () => {
    const ended = addMessages("ended", 2);
    const open = addMessages("open", 6);
    world.store.sessions.complete(ended, world.now);
    const sessions = createActiveSessions({ clock: { now: () => world.now, monotonicMs: () => world.now } });
    run(echo, { sessions });
    await until(() => world.store.pending.counts().done === 8);
    await until(() => sessions.get(open)?.generatorPromise === null && sessions.count() === 1);
    expect(sessions.get(open)).toMatchObject({
      claudeSessionId: "open",
      sdkSessionId: "sdk-open",
      pendingMessages: [],
      cumulativeInputTokens: 14,
      cumulativeOutputTokens: 6,
    });
  });

  test("makes no call while the provider is paused, and resumes by itself", async () => {
    addMessages("a", 1);
    let down = true;
    run(
      async (batch) => {
        if (down) throw new ModelFailure("rate_limited", "slow down", { retryAfterMs: 30_000 });
        return echo(batch);
      },
      { circuit: createCircuitBreaker({ onChange: () => undefined }) },
    );
    await until(() => world.calls.length === 1 && world.store.pending.counts().pending === 1);
    addMessages("b", 1);
    for (let n = 0; n < 5; n++) {
      world.now += 5_000;
      await world.scheduler.scheduleDue();
    }
    expect(world.calls).toHaveLength(1);
    down = false;
    world.now += 5_000;
    await world.scheduler.scheduleDue();
    await until(() => world.store.pending.counts().done === 2);
  });
});

test("a paused model holds nothing up while local writes, and stays paused", async () => {
  addMessages("a", 1);
  const { circuit } = parts();
  const limited = new ModelFailure("rate_limited", "429", { retryAfterMs: 60_000 });
  circuit.admit(world.now, 7)?.failed(limited, world.now);
  run(echo, { circuit, local: createLocalProvider(), localWrites: () => true });
  await until(() => world.store.pending.counts().done === 1);
  expect(world.calls).toEqual([]);
  expect(circuit.state(world.now).state).toBe("paused");
});
