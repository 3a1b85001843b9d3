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
  test("asks once for a turn, and writes provisional records of each message before", async () => {
    const session = addMessages("a", 2);
    run(echo, { batching: modelBatching, local: createLocalProvider() });
    await until(() => world.db.prepare("select count(*) from observations").pluck().get() === 2);
    const rows = () => world.db.prepare("select generator, upgrade from observations order by id").all();
    expect(rows()).toEqual(Array(2).fill({ generator: "local", upgrade: 1 }));
    for (let n = 0; n < 3; n++) {
      world.now += 6_000;
      addMore(session, 1, "observation", `later-${n}`);
      world.scheduler.notify(session);
      await until(() => rows().length === 3 + n);
    }
    expect(world.calls).toEqual([]);
    expect(world.store.pending.counts()).toMatchObject({ pending: 5, done: 0 });
    addMore(session, 1, "summarize");
    world.scheduler.notify(session);
    await until(() => world.store.pending.counts().done === 6);
    expect(world.calls).toEqual([[1, 2, 3, 4, 5, 6]]);
    expect(rows()).toEqual(Array(6).fill({ generator: "scripted", upgrade: 0 }));
  });

  test("removes provisional records that the model leaves out, and keeps the user's", async () => {
    const session = addMessages("a", 3);
    let isEdited = false;
    run(
      async (batch) => {
        world.store.edits.observation(2, { title: "The user's" }, world.now);
        isEdited = true;
        const reply = await echo(batch);
        return { ...reply, observations: reply.observations.slice(0, 1), isJudged: true };
      },
      { batching: modelBatching, local: createLocalProvider() },
    );
    await until(() => world.db.prepare("select count(*) from observations").pluck().get() === 3);
    addMore(session, 1, "summarize");
    world.scheduler.notify(session);
    await until(() => world.store.pending.counts().done === 4);
    expect(isEdited).toBe(true);
    const titles = world.db.prepare("select id, title, generator from observations order by id").all();
    expect(titles).toEqual([
      { id: 1, title: "a-0", generator: "scripted" },
      { id: 2, title: "The user's", generator: "manual" },
    ]);
  });

  test("asks above 40 tool uses, and when nothing came for five minutes", async () => {
    const session = addMessages("a", 41);
    run(echo, { batching: modelBatching });
    await until(() => world.store.pending.counts().done === 41);
    addMore(session, 2);
    await world.scheduler.scheduleDue();
    world.now += 5 * 60_000 - 1;
    await world.scheduler.scheduleDue();
    expect(world.calls).toHaveLength(1);
    world.now += 1;
    await world.scheduler.scheduleDue();
    await until(() => world.store.pending.counts().done === 43);
    expect(world.calls.map((ids) => ids.length)).toEqual([41, 2]);
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
    const sessions = createActiveSessions({ clock: { now: () => world.now } });
    run(echo, { sessions });
    await until(() => world.store.pending.counts().done === 8);
    await until(() => sessions.get(open)?.generatorPromise === null && sessions.get(ended) === undefined);
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
