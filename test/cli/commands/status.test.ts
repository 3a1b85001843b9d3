import { expect, test } from "vitest";
import { agentInWords, providerInWords, unreadInWords } from "../../../src/cli/commands/status.ts";
import type { Health } from "../../../src/client/worker-client.ts";

type Provider = Pick<Health, "provider" | "paused" | "budget">;

const noon = new Date(2026, 10, 21, 12).getTime();
const model = { name: "primary", active: "primary", model: "claude-haiku-4-5" };
const free: Provider = { provider: model, paused: null, budget: null };

const pausedUntil = (kind: string, until: number | null): Provider => ({
  ...free,
  paused: { kind, message: "", until, next: null },
});

test.each<[string, Provider]>([
  ["primary (claude-haiku-4-5)", free],
  ["local", { ...free, provider: { name: "local", active: "local", model: null } }],
  [
    "local, because primary is not set up",
    { ...free, provider: { name: "primary", active: "local", model: null } },
  ],
  [
    "local, because the budget of primary is spent",
    { ...free, provider: { name: "primary", active: "local", model: null }, budget: "Spent." },
  ],
  [
    "primary (claude-haiku-4-5), paused until 14:05: rate limited",
    pausedUntil("rate_limited", new Date(2026, 10, 21, 14, 5).getTime()),
  ],
  [
    "primary (claude-haiku-4-5), paused until 2026-11-22 00:00: quota used up",
    pausedUntil("quota", new Date(2026, 10, 22).getTime()),
  ],
  ["primary (claude-haiku-4-5), paused: access refused", pausedUntil("auth", noon + 900_000)],
  [
    "local writes; primary (claude-haiku-4-5): command not found",
    {
      ...free,
      paused: { kind: "auth", message: "", until: null, fix: "command", localWrites: true, next: null },
    },
  ],
  [
    "primary (claude-haiku-4-5), paused: unknown model",
    { ...free, paused: { kind: "auth", message: "", until: null, fix: "model", next: null } },
  ],
  [
    "primary (claude-haiku-4-5), paused until 12:01:30: rate limited",
    pausedUntil("rate_limited", noon + 90_000),
  ],
  ["primary (claude-haiku-4-5), paused: not reachable", pausedUntil("unavailable", noon - 1)],
])("the provider is shown as %s", (words, health) => {
  expect(providerInWords(health, noon)).toBe(words);
});

test("events that could not be read are counted, and the newest is named", () => {
  const unread = { host: "cursor", reason: "unknown_event" as const, events: 2, last_event: "brandNew" };
  const older = { ...unread, reason: "no_session" as const, events: 1, last_at_epoch: noon - 600_000 };
  expect(unreadInWords([], noon)).toBeNull();
  expect(unreadInWords([{ ...unread, last_at_epoch: noon - 300_000 }, older], noon)).toBe(
    "3 not read this week: 2 from cursor (unknown event), 1 from cursor (no session id); newest brandNew, 5 min ago",
  );
});

test("what the agent kept is shown beside what it did not", () => {
  const agent = { turns: 31, kept: 12, keptTurns: 9, missedTurns: 6 };
  expect(agentInWords(agent)).toBe(
    "kept 12 records in 9 of 31 turns of 30 days; in 6 turns a candidate was seen and nothing kept",
  );
  expect(agentInWords({ ...agent, turns: 0 })).toBeNull();
});
