// What providers do to us, and that no message is lost by it: every behaviour of the scripted model, in turn with good
// answers, then alone, then over.
import { describe, expect, onTestFinished, test } from "vitest";
import { maxFailures } from "../../src/generate/retry.ts";
import { type Behaviour, behaviours, type Wire } from "../helpers/scripted-model.ts";
import { volume } from "../helpers/volume.ts";
import { createRig } from "./generation-rig.ts";

const messages = volume(20, 12);
const wires: readonly Wire[] = ["messages", "gemini", "chat"];
const hanging = new Set<Behaviour>(["hang", "slow-headers", "drip", "stream-drip"]);
// Answers that say nothing usable, whatever is asked: the only ones that may set a message aside.
const useless = /^(?:bad_answer|overflow|bad_request): /;
const minuteMs = 60_000;

const cases = behaviours.map((behaviour, index) => ({ behaviour, wire: wires[index % 3] ?? "chat" }));

describe(`${behaviours.length} behaviours of a provider, ${messages} messages each`, () => {
  test.concurrent.for(cases)(
    "$behaviour ($wire) loses none, doubles none and keeps the counts",
    { timeout: 300_000 + messages * 1_000 },
    async ({ behaviour, wire }, { expect, onTestFinished }) => {
      const timeoutMs = hanging.has(behaviour) ? 250 : 5_000;
      const rig = await createRig({ wire, onTestFinished, timeoutMs });
      const sessions = [0, 1].map(() => rig.addMessages(Math.ceil(messages / 6)));
      rig.model.play(({ index }) => (index % 3 === 1 ? behaviour : "ok"));
      await rig.run({ steps: 8 });
      for (const session of sessions) rig.addTo(session, Math.ceil(messages / 6), "alone");
      rig.model.play(behaviour);
      await rig.run({ forMs: 60 * minuteMs, steps: 8 });
      for (const session of sessions) rig.addTo(session, Math.ceil(messages / 6), "over");
      rig.model.play("ok");
      await rig.run();
      const { accepted, done, dead, pending, processing } = rig.store.pending.counts();
      expect(rig.faults).toEqual([]);
      expect({ pending, processing, all: done + dead }).toEqual({ pending: 0, processing: 0, all: accepted });
      expect(rig.dead().filter((reason) => !useless.test(reason))).toEqual([]);
      expect(rig.doubled()).toEqual([]);
      if (behaviour !== "nothing") expect(rig.lost()).toEqual([]);
      expect(rig.running().circuit.state(rig.now()).state).toBe("ready");
    },
  );
});

describe("a provider that fails", () => {
  test.each<Behaviour>(["server-error", "unavailable", "reset"])(
    "with %s for an hour kills no message, gets few requests, and all finish later",
    async (behaviour) => {
      const rig = await createRig({ onTestFinished });
      for (let session = 0; session < 5; session++) rig.addMessages(5);
      rig.model.play(behaviour);
      const began = rig.now();
      await rig.run({ forMs: 60 * minuteMs });
      expect(rig.now() - began).toBeGreaterThanOrEqual(60 * minuteMs);
      expect(rig.store.pending.counts()).toMatchObject({ pending: 25, done: 0, dead: 0 });
      const spent = "select count(*) from pending_messages where attempts > 0 or failures > 0";
      expect(rig.db.prepare(spent).pluck().get()).toBe(0);
      // Every 30 seconds where it says so, else every 5 minutes: not every time that something is due.
      expect(rig.model.requests.length).toBeLessThan(150);
      expect(rig.running().circuit.state(rig.now()).reason?.kind).toBe("unavailable");
      rig.model.play("ok");
      await rig.run();
      expect(rig.store.pending.counts()).toMatchObject({ done: 25, pending: 0, dead: 0 });
      expect(rig.doubled()).toEqual([]);
    },
  );

  test("for an hour does not kill the only message that there is", async () => {
    const rig = await createRig({ onTestFinished, script: "server-error" });
    rig.addMessages(1);
    await rig.run({ forMs: 60 * minuteMs });
    expect(rig.store.pending.counts()).toMatchObject({ pending: 1, dead: 0 });
    rig.model.play("ok");
    await rig.run();
    expect(rig.store.pending.counts()).toMatchObject({ done: 1 });
  });

  test("with 429 is asked once, spends no attempt, and is asked again when it said so", async () => {
    const rig = await createRig({ onTestFinished, script: "rate-limited", retryAfterSeconds: 600 });
    rig.addMessages(20);
    rig.turnBy(6 * minuteMs);
    await rig.running().scheduler.scheduleDue();
    await rig.settled();
    rig.turnBy(9 * minuteMs);
    await rig.running().scheduler.scheduleDue();
    await rig.settled();
    expect(rig.model.requests).toHaveLength(1);
    expect(rig.running().circuit.state(rig.now())).toMatchObject({
      state: "paused",
      reason: { kind: "rate_limited" },
    });
    const rows = "select distinct attempts, failures, status from pending_messages";
    expect(rig.db.prepare(rows).all()).toEqual([{ attempts: 0, failures: 0, status: "pending" }]);
    rig.model.play("ok");
    rig.turnBy(minuteMs);
    await rig.running().scheduler.scheduleDue();
    await rig.settled();
    expect(rig.store.pending.counts().done).toBe(20);
  });

  test("for one message alone dead-letters it with the reason, the others pass", async () => {
    const rig = await createRig({ onTestFinished });
    rig.model.play(({ prompt }) => (prompt.includes("poison") ? "server-error" : "ok"));
    rig.addMessages(5);
    rig.addMessages(1, "poison");
    const other = rig.addMessages(1);
    for (let round = 0; round < 60 && rig.store.pending.counts().dead === 0; round++) {
      await rig.run({ steps: 3 });
      rig.turnBy(6 * minuteMs);
      rig.addTo(other, 1, `more ${round}`);
    }
    await rig.run();
    expect(rig.store.pending.counts()).toMatchObject({ dead: 1, pending: 0 });
    expect(rig.dead()[0]).toMatch(/^unavailable: .*500/);
    const failures = "select failures from pending_messages where status = 'dead'";
    expect(rig.db.prepare(failures).pluck().get()).toBe(maxFailures);
    expect(rig.lost()).toEqual([]);
  });

  test("with garbage for one turn dead-letters it after a second try", async () => {
    const rig = await createRig({ onTestFinished });
    rig.model.play(({ prompt }) => (prompt.includes("poison") ? "garbage" : "ok"));
    rig.addMessages(5);
    rig.addMessages(1, "poison");
    await rig.run();
    expect(rig.store.pending.counts()).toMatchObject({ dead: 1, done: 5 });
    expect(rig.dead()[0]).toMatch(/^bad_answer: /);
    expect(rig.model.requests.filter(({ behaviour }) => behaviour === "garbage")).toHaveLength(6);
  });

  test("with a sign-in page is asked three times over time, the message waits", async () => {
    const rig = await createRig({ onTestFinished, script: "html" });
    rig.addMessages(1);
    rig.turnBy(6 * minuteMs);
    const asked: number[] = [];
    for (let step = 0; step < 12; step++) {
      await rig.running().scheduler.scheduleDue();
      await rig.settled();
      asked.push(rig.model.requests.length);
      rig.turnBy(500);
    }
    expect(asked.slice(0, 3)).toEqual([1, 1, 1]);
    expect(asked.at(-1)).toBeLessThanOrEqual(3);
    await rig.run({ forMs: 60 * minuteMs });
    expect(rig.running().circuit.state(rig.now()).reason?.kind).toBe("bad_answer");
    expect(rig.store.pending.counts()).toMatchObject({ pending: 1, dead: 0 });
    rig.model.play("ok");
    await rig.run();
    expect(rig.store.pending.counts()).toMatchObject({ done: 1, dead: 0 });
  });

  test("with a page for one message dead-letters it after a few answers", async () => {
    const rig = await createRig({ onTestFinished });
    rig.model.play(({ prompt }) => (prompt.includes("poison") ? "html" : "ok"));
    const other = rig.addMessages(1);
    rig.addMessages(1, "poison");
    for (let round = 0; round < 60 && rig.store.pending.counts().dead === 0; round++) {
      await rig.run({ steps: 3 });
      rig.turnBy(6 * minuteMs);
      rig.addTo(other, 1, `more ${round}`);
    }
    await rig.run();
    expect(rig.store.pending.counts()).toMatchObject({ dead: 1, pending: 0 });
    expect(rig.model.requests.filter(({ behaviour }) => behaviour === "html").length).toBeLessThan(15);
  });

  test("with garbage for an hour is asked rarely, and all is done after it", async () => {
    const rig = await createRig({ onTestFinished, script: "garbage" });
    for (let session = 0; session < 5; session++) rig.addMessages(5);
    await rig.run({ forMs: 60 * minuteMs });
    expect(rig.model.requests.length).toBeLessThan(60);
    expect(rig.running().circuit.state(rig.now()).reason?.kind).toBe("bad_answer");
    expect(rig.store.pending.counts()).toMatchObject({ pending: 25, done: 0, dead: 0 });
    rig.model.play("ok");
    await rig.run();
    expect(rig.store.pending.counts()).toMatchObject({ done: 25, dead: 0 });
    expect([rig.faults, rig.doubled()]).toEqual([[], []]);
  });

  test("for the turns of two sessions lets their other turns pass", async () => {
    const rig = await createRig({ onTestFinished });
    rig.model.play(({ prompt }) => (prompt.includes("poison") ? "garbage" : "ok"));
    for (let n = 0; n < 2; n++) {
      const session = rig.addMessages(2, "poison");
      rig.addSummary(session);
      rig.addTo(session, 4);
    }
    await rig.run({ forMs: 60 * minuteMs });
    expect(rig.store.pending.counts().done).toBe(8);
  });

  test.each<[number, Behaviour, number[]]>([
    [1, "garbage", [8]],
    [1, "html", [8]],
    [1, "garbage", [1, 1, 1, 1, 1, 1]],
    [5, "html", [1, 1, 1, 1, 1, 1]],
    [5, "truncated-body", [8, 1, 1]],
  ])("for %i sessions with %s alone sets two turns aside at most", async (count, behaviour, arrivals) => {
    const rig = await createRig({ onTestFinished });
    // It has answered before.
    const sessions = Array.from({ length: count }, () => rig.addMessages(1));
    await rig.run();
    rig.model.play(behaviour);
    for (const [n, messages] of arrivals.entries()) {
      for (const session of sessions) rig.addTo(session, messages, `late ${n}`);
      await rig.run({ steps: 5 });
    }
    await rig.run({ forMs: 30 * minuteMs });
    expect(rig.store.pending.counts().dead).toBeLessThanOrEqual(2 * Math.max(...arrivals));
    rig.model.play("ok");
    await rig.run();
    expect(rig.store.pending.counts().pending).toBe(0);
    expect([rig.faults, rig.lost(), rig.doubled()]).toEqual([[], [], []]);
  });

  test("by hanging for some sessions does not hold up the others", async () => {
    const rig = await createRig({ onTestFinished, concurrency: { calls: 2, slowAfterMs: 30, most: 20 } });
    rig.model.play(({ prompt }) => (prompt.includes("hangs") ? "hang" : "ok"));
    for (let session = 0; session < 8; session++) rig.addMessages(2, "hangs");
    for (let session = 0; session < 4; session++) rig.addMessages(2, "fine");
    rig.turnBy(6 * minuteMs);
    await rig.running().scheduler.scheduleDue();
    await until(() => rig.store.pending.counts().done === 8);
    expect(rig.store.pending.counts()).toMatchObject({ done: 8, processing: 16 });
  });

  test("during a worker's crash loses nothing and stores no old answers", async () => {
    const rig = await createRig({ onTestFinished, script: "slow", slowMs: 300 });
    for (let session = 0; session < 3; session++) rig.addMessages(10);
    rig.turnBy(6 * minuteMs);
    await rig.running().scheduler.scheduleDue();
    await until(() => rig.model.requests.length === 3);
    rig.crash();
    rig.model.play("ok");
    await rig.run();
    expect(rig.store.pending.counts()).toMatchObject({ done: 30, dead: 0 });
    // The old answers arrive meanwhile.
    await Promise.all(rig.model.requests.map(({ over }) => over));
    await rig.settled();
    expect([rig.faults, rig.lost(), rig.doubled()]).toEqual([[], [], []]);
    expect(rig.store.pending.counts().done).toBe(30);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 1_000 && !condition(); n++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
}
