import { expect, test, vi } from "vitest";
import type { StreamEvent } from "../../src/core/records/events.ts";
import type { GenerationPause } from "../../src/core/records/generation-pause.ts";
import { createStatus, createStatusLine } from "../../src/worker/status.ts";

const minuteMs = 60_000;
const startedAt = 1_760_000_000_000;

interface World {
  /** Minutes since the worker started. */
  minutes: number;
  lastSuccess?: number;
  oldestPending?: number;
  firstDead?: number;
  pause?: GenerationPause;
  storageFails?: boolean;
}

function statusOf(world: World) {
  const at = (minutes: number | undefined) => (minutes === undefined ? null : startedAt + minutes * minuteMs);
  const published: StreamEvent[] = [];
  const status = createStatus({
    clock: { now: () => at(world.minutes) ?? 0, monotonicMs: () => 0 },
    counts: () => ({ accepted: 9, done: 4, skipped: 1, pending: 2, processing: 1, dead: 1 }),
    oldestPending: () => at(world.oldestPending),
    firstDeadSince(since) {
      const first = at(world.firstDead);
      return first !== null && first > since ? first : null;
    },
    lastSuccessAt: () => at(world.lastSuccess),
    pause: () => world.pause ?? null,
    storageFails: () => world.storageFails ?? false,
    startedAt,
  });
  const publish = (event: StreamEvent) => void published.push(event);
  return { status, line: createStatusLine(status, { publish, clientCount: () => 1 }), published };
}

const paused = { kind: "rate_limited", message: "429", until: null, next: null };

const levels: [what: string, level: "ok" | "degraded", world: World][] = [
  ["nothing was accepted for an hour", "ok", { minutes: 60 }],
  ["what waits came a minute ago", "ok", { minutes: 60, oldestPending: 59 }],
  ["a message waits for eleven minutes", "degraded", { minutes: 60, oldestPending: 49 }],
  ["others came out meanwhile", "ok", { minutes: 60, oldestPending: 49, lastSuccess: 51 }],
  ["the worker has only just begun with what it found", "ok", { minutes: 9, oldestPending: -60 }],
  ["the worker got through nothing of what it found", "degraded", { minutes: 11, oldestPending: -60 }],
  ["every message dies", "degraded", { minutes: 60, firstDead: 30, lastSuccess: 20 }],
  ["one died before others came out", "ok", { minutes: 60, firstDead: 30, lastSuccess: 31 }],
  ["one died just now after a quiet hour", "ok", { minutes: 60, firstDead: 59 }],
  ["nothing can be written", "degraded", { minutes: 1, storageFails: true }],
  ["the provider is rate limited", "ok", { minutes: 1, pause: paused }],
  ["the provider refuses access", "degraded", { minutes: 1, pause: { ...paused, kind: "auth" } }],
  [
    "a provider that nobody chose does",
    "ok",
    { minutes: 1, pause: { ...paused, kind: "auth", isFallback: true } },
  ],
];

test.each(levels)("when %s the worker is %s", (_what, level, world) => {
  expect(statusOf(world).status.level()).toBe(level);
});

test("the stream hears why the provider is paused", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { line, published } = statusOf({ minutes: 1, pause: paused });
  line.changed();
  line.changed();
  vi.runAllTimers();
  vi.useRealTimers();
  expect(published).toEqual([{ type: "processing_status", isProcessing: true, queueDepth: 3, paused }]);
});
