import { beforeEach, describe, expect, test, vi } from "vitest";
import type { ModelCall } from "../../src/core/records/model-call.ts";
import { BudgetSpent, budgetInWords, createSpend, type Spend } from "../../src/generate/spend.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let now: number;

beforeEach(() => {
  vi.stubEnv("TZ", "Europe/Berlin");
  now = Date.parse("2026-11-20T12:00:00+01:00");
  return () => vi.unstubAllEnvs();
});

function spendOf(budgets: { daily?: number; monthly?: number }): Spend {
  const { store } = memory;
  return createSpend({
    budgets: { daily: 0, monthly: 0, ...budgets },
    ledger: {
      record: (call) => store.commit(() => store.modelCalls.record(call)),
      tokensSince: store.modelCalls.tokensSince,
    },
    clock: { now: () => now, monotonicMs: () => now },
  });
}

function used(tokens: number, outcome = "ok"): ModelCall {
  return {
    at_epoch: now,
    provider: "primary",
    model: "m",
    session_id: 1,
    project: "app",
    messages: 1,
    input_tokens: tokens - 10,
    output_tokens: 10,
    cached_tokens: 0,
    cost_micro_usd: null,
    outcome,
  };
}

async function use(spend: Spend, tokens: number, outcome = "ok"): Promise<void> {
  await spend.reserve(tokens).settle(used(tokens, outcome));
}

describe("a budget", () => {
  test("that is not set lets everything through, and every call is in the ledger", async () => {
    const spend = spendOf({});
    for (let n = 0; n < 5; n++) await use(spend, 1_000_000);
    expect(spend.spent()).toBeNull();
    expect(spend.budgets()).toEqual([]);
    expect(memory.store.modelCalls.tokensSince(0)).toBe(5_000_000);
  });

  test("counts input and output, failed calls too, and refuses when it is reached", async () => {
    const spend = spendOf({ daily: 1_000 });
    await use(spend, 600);
    await use(spend, 399, "bad_answer");
    expect(spend.spent()).toBeNull();
    expect(spend.exhausted()).toBeNull();
    // What was let through may use more than it was said to.
    await spend.reserve(1).settle(used(50));
    expect(() => spend.reserve(1)).toThrow(BudgetSpent);
    expect(spend.exhausted()).toEqual(spend.spent());
    expect(spend.budgets()).toEqual([
      { name: "daily", limit: 1_000, used: 1_049, left: 0, until: Date.parse("2026-11-21T00:00:00+01:00") },
    ]);
  });

  test("refuses a call that does not fit, until the next period begins", async () => {
    const spend = spendOf({ daily: 1_000, monthly: 100_000 });
    await use(spend, 600);
    expect(() => spend.reserve(401)).toThrow(BudgetSpent);
    expect(spend.spent()).toBeNull();
    const short = spend.exhausted();
    expect(short && budgetInWords(short)).toBe(
      "the daily budget of 1,000 tokens has 400 left, too few for a call; local writes until 2026-11-21 00:00",
    );
    now = Date.parse("2026-11-21T00:00:00+01:00");
    expect(spend.exhausted()).toBeNull();
    await use(spend, 1_000);
  });

  test("is whole again on the next day, and on one that the clock was put back to", async () => {
    const spend = spendOf({ daily: 1_000 });
    await use(spend, 1_000);
    const noon = now;
    now = Date.parse("2026-11-20T23:59:59+01:00");
    expect(spend.spent()).not.toBeNull();
    now += 1_000;
    expect(spend.spent()).toBeNull();
    await use(spend, 300);
    now = noon;
    expect(spend.spent()?.used).toBe(1_300);
  });

  test("a call that ends after midnight is counted on the new day", async () => {
    const spend = spendOf({ daily: 1_000 });
    const reservation = spend.reserve(900);
    now = Date.parse("2026-11-21T00:00:05+01:00");
    await reservation.settle(used(900));
    expect(spend.budgets()[0]?.used).toBe(900);
  });

  test("of the month outlasts that of the day", async () => {
    const spend = spendOf({ daily: 500, monthly: 1_000 });
    await spend.reserve(500).settle(used(600));
    expect(spend.spent()?.name).toBe("daily");
    now = Date.parse("2026-11-21T12:00:00+01:00");
    await spend.reserve(400).settle(used(500));
    expect(spend.spent()).toMatchObject({ name: "monthly", until: Date.parse("2026-12-01T00:00:00+01:00") });
    expect(spend.budgets().map(({ name, left }) => [name, left])).toEqual([
      ["daily", 0],
      ["monthly", 0],
    ]);
    now = Date.parse("2026-12-01T00:00:00+01:00");
    expect(spend.spent()).toBeNull();
  });

  test("remembers after a restart what was used", async () => {
    await use(spendOf({ daily: 1_000 }), 1_000);
    expect(spendOf({ daily: 1_000 }).spent()?.used).toBe(1_000);
  });

  test("is said to be spent in words that name the end of it", async () => {
    const spend = spendOf({ daily: 200_000 });
    await use(spend, 200_000);
    const spent = spend.spent();
    expect(spent && budgetInWords(spent)).toBe(
      "the daily budget of 200,000 tokens is spent; local writes until 2026-11-21 00:00",
    );
  });
});

test("many concurrent calls do not cross the budget", async () => {
  const spend = spendOf({ daily: 10_000 });
  // 50 tasks that each begin a call of 900 tokens whenever they may, in any order of beginning and ending.
  const task = async (seed: number): Promise<void> => {
    for (let n = 0; n < 5; n++) {
      let reservation: ReturnType<Spend["reserve"]>;
      try {
        reservation = spend.reserve(900);
      } catch (cause) {
        if (cause instanceof BudgetSpent) return;
        throw cause;
      }
      for (let turns = (seed * 7 + n) % 5; turns >= 0; turns--) await Promise.resolve();
      await reservation.settle(used(900));
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, seed) => task(seed)));
  const total = memory.store.modelCalls.tokensSince(0);
  expect(total).toBeGreaterThanOrEqual(9_000);
  expect(total).toBeLessThanOrEqual(10_000);
});

test("a ledger error loses the entry, not the answer or the count", async () => {
  const spend = createSpend({
    budgets: { daily: 1_000, monthly: 0 },
    ledger: { record: () => Promise.reject(new Error("disk full")), tokensSince: () => 0 },
    clock: { now: () => now, monotonicMs: () => now },
  });
  await use(spend, 1_000);
  expect(spend.spent()?.used).toBe(1_000);
});
