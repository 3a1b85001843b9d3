import { expect, test } from "vitest";
import { createIdleScheduler } from "../../src/worker/idle-scheduler.ts";

function turned(stepMs: number) {
  let at = 0;
  return { now: () => 0, monotonicMs: () => (at += stepMs) };
}

test("generation does not wait while little comes in", async () => {
  const clock = turned(0.001);
  const idle = createIdleScheduler(clock);
  for (let n = 0; n < 50; n++) idle.disturb();
  const before = clock.monotonicMs();
  await idle.wait();
  expect(clock.monotonicMs() - before).toBeLessThan(1);
});

test("generation waits while much comes in, and goes on when it stops", async () => {
  const clock = turned(1);
  const idle = createIdleScheduler(clock);
  for (let n = 0; n < 2_000; n++) {
    idle.disturb();
    if (n % 20 === 0) await Promise.resolve();
  }
  await idle.wait();
  expect(clock.monotonicMs()).toBeGreaterThan(2_000);
});

test("generation never waits longer than a quarter of a second", async () => {
  const clock = turned(0.1);
  const idle = createIdleScheduler(clock);
  for (let n = 0; n < 400; n++) idle.disturb();
  const before = clock.monotonicMs();
  // As often as the scheduler looks: each pour moves the clock by 80 ms, and a busy machine must not add some.
  const pour = setInterval(() => {
    for (let n = 0; n < 400; n++) idle.disturb();
  }, 5);
  await idle.wait();
  clearInterval(pour);
  expect(clock.monotonicMs() - before).toBeLessThan(600);
});
