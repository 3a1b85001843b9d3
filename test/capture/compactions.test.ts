// Events without an id: tells two deliveries of one event from two equal events.
import { beforeEach, expect, test } from "vitest";
import type { Intake } from "../../src/capture/inputs.ts";
import { eachMemoryStore, intakeInto } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let intake: Intake;
let now: number;

beforeEach(async () => {
  now = 1_000_000;
  intake = intakeInto(memory.store, () => now);
  // Of a session that is not known, a request that says nothing is skipped.
  await intake.initSession({ claudeSessionId: "host-1", prompt: "go" });
});

const compaction = { claudeSessionId: "host-1", eventKey: "what was sent", goesOn: true };

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
  const { goesOn: _, ...stop } = compaction;
  await intake.summarize(stop);
  now += 60_000;
  await intake.summarize(stop);
  expect(waiting()).toBe(1);
});

test("turns that end in the same words are one each, however often their end comes", async () => {
  const { goesOn: _, ...end } = { ...compaction, perPrompt: true };
  for (const prompt of ["go", "go on", "and on"]) {
    await intake.initSession({ claudeSessionId: "host-1", prompt, eventKey: prompt });
    for (let times = 0; times < 2; times += 1) await intake.summarize(end);
  }
  expect(waiting()).toBe(3);
});
