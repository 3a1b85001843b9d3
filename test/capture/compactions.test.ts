// Events without an id: tells two deliveries of one event from two equal events.
import { beforeEach, expect, test } from "vitest";
import type { Intake } from "../../src/capture/inputs.ts";
import { createIntake } from "../../src/capture/intake.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

let memory: MemoryStore;
let intake: Intake;
let now: number;

beforeEach(async () => {
  memory = createMemoryStore();
  now = 1_000_000;
  intake = createIntake({
    store: memory.store,
    clock: { now: () => now, monotonicMs: () => now },
    projectOf: () => "demo",
    projectNamed: (label) => label,
    publish: () => undefined,
    skipTools: () => new Set(),
    onQueued: () => undefined,
    onWithdrawn: async () => undefined,
  });
  // Of a session that is not known, a request that says nothing is skipped.
  await intake.initSession({ claudeSessionId: "host-1", prompt: "go" });
  return () => memory.close();
});

const compaction = { claudeSessionId: "host-1", eventKey: "what was sent", sameWithinMs: 10_000 };

function waiting(): number {
  return memory.db.prepare<[], number>("select count(*) from pending_messages").pluck().get() as number;
}

test("two compactions in one turn are two, and each delivered twice is one", async () => {
  await intake.summarize(compaction);
  now += 500;
  await intake.summarize(compaction);
  expect(waiting()).toBe(1);
  now += 60_000;
  await intake.summarize(compaction);
  now += 500;
  await intake.summarize(compaction);
  expect(waiting()).toBe(2);
});

test("one that was spooled is known by its own time, however late and often it comes", async () => {
  const first = now;
  await intake.summarize(compaction);
  now += 60_000;
  const second = now;
  await intake.summarize(compaction);
  now += 3_600_000;
  for (const at of [first + 200, second + 200, second + 200, first + 200])
    await intake.summarize({ ...compaction, at });
  expect(waiting()).toBe(2);
  await intake.summarize({ ...compaction, at: second + 90_000 });
  await intake.summarize({ ...compaction, at: second + 90_000 });
  expect(waiting()).toBe(3);
});

test("an event with an id is stored once, however late it repeats", async () => {
  const { sameWithinMs: _, ...stop } = compaction;
  await intake.summarize(stop);
  now += 60_000;
  await intake.summarize(stop);
  expect(waiting()).toBe(1);
});
