import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import type { ModelCall } from "../../src/core/records/model-call.ts";
import { costAnswer } from "../../src/http/schemas/cost.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { type Cost, createCost } from "../../src/worker/cost.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const now = Date.parse("2026-11-21T12:00:00+01:00");
const memory = eachMemoryStore();
let warnings: string[];

beforeEach(() => {
  vi.stubEnv("TZ", "Europe/Berlin");
  warnings = [];
  return () => vi.unstubAllEnvs();
});

function costOf(env: Record<string, string> = {}, dataDir = tempDir()): Cost {
  return createCost({
    store: memory.store,
    settings: loadSettings({ dataDir, env, readOnly: true }),
    clock: { now: () => now, monotonicMs: () => now },
    warn: (sentence) => warnings.push(sentence),
  });
}

async function record(...calls: Partial<ModelCall>[]): Promise<void> {
  const { store } = memory;
  for (const call of calls) {
    await store.commit(() =>
      store.modelCalls.record({
        at_epoch: now,
        provider: "primary",
        model: "m-1",
        session_id: 1,
        project: "app",
        messages: 1,
        input_tokens: 900,
        output_tokens: 100,
        cached_tokens: 0,
        cost_micro_usd: 5_000,
        outcome: "ok",
        ...call,
      }),
    );
  }
}

test("the report has the last 30 days with today, in the wire format", async () => {
  const day = 24 * 3_600_000;
  await record({}, { at_epoch: now - 28 * day }, { at_epoch: now - 31 * day });
  const report = costOf().report({ by: "day", since: undefined });
  expect(costAnswer.parse(report)).toEqual(report);
  expect(report.rows.map(({ key }) => key)).toEqual(["2026-10-24", "2026-11-21"]);
  expect(report.since).toBe(Date.parse("2026-10-23T00:00:00+02:00"));
  expect(report.total).toMatchObject({ calls: 2, costUsd: 0.01, unpricedCalls: 0 });
});

test("unknown prices are reported, and sums count the calls without one", async () => {
  await record({ model: "m-2", cost_micro_usd: null }, {});
  const { rows, total } = costOf().report({ by: "model", since: 0 });
  expect(rows).toMatchObject([
    { key: "m-1", costUsd: 0.005, unpricedCalls: 0 },
    { key: "m-2", costUsd: null, unpricedCalls: 1 },
  ]);
  expect(total).toMatchObject({ costUsd: 0.005, unpricedCalls: 1 });
});

test("the projection is of this month, and of the last seven days", async () => {
  const day = 24 * 3_600_000;
  await record({ at_epoch: now - 40 * day }, { at_epoch: now - 15 * day }, { at_epoch: now - day }, {});
  expect(costOf().report({ by: "day", since: undefined }).projection).toEqual({
    month: "2026-11",
    averageOfDays: 7,
    soFar: { tokens: 3_000, costUsd: 0.015, unpricedCalls: 0 },
    // 2,000 tokens in seven days, nine and a half days left.
    byEnd: { tokens: 5_714, costUsd: 0.028571, unpricedCalls: 0 },
  });
});

test("a month of calls without a known price has no known cost, not one of zero", async () => {
  await record({ cost_micro_usd: null }, { cost_micro_usd: null }, { cost_micro_usd: 0, outcome: "timeout" });
  const unknown = { costUsd: null, unpricedCalls: 2 };
  expect(costOf().report({ by: "day", since: undefined }).projection).toMatchObject({
    soFar: unknown,
    byEnd: unknown,
  });
  await record({});
  expect(costOf().report({ by: "day", since: undefined }).projection).toMatchObject({
    soFar: { costUsd: 0.005, unpricedCalls: 2 },
    byEnd: { costUsd: expect.any(Number), unpricedCalls: 2 },
  });
});

test("reports the budgets with what is left, and the spent one in words", async () => {
  await record({}, {});
  const cost = costOf({ MEM_DAILY_TOKEN_BUDGET: "2000", MEM_MONTHLY_TOKEN_BUDGET: "50000" });
  const report = cost.report({ by: "day", since: undefined });
  expect(report.budgets).toEqual([
    {
      name: "daily",
      limitTokens: 2_000,
      usedTokens: 2_000,
      leftTokens: 0,
      until: Date.parse("2026-11-22T00:00:00+01:00"),
    },
    {
      name: "monthly",
      limitTokens: 50_000,
      usedTokens: 2_000,
      leftTokens: 48_000,
      until: Date.parse("2026-12-01T00:00:00+01:00"),
    },
  ]);
  expect(report.notice).toBe(
    "the daily budget of 2,000 tokens is spent; local writes until 2026-11-22 00:00",
  );
  expect(cost.notice()).toBe(report.notice);
});

test("an empty ledger gives an empty report", () => {
  const report = costOf().report({ by: "project", since: undefined });
  expect(report).toMatchObject({ rows: [], projection: null, budgets: [], notice: null });
  expect(report.total).toMatchObject({ calls: 0, costUsd: 0 });
});

test("the prices of the user's own table are found in the data directory", () => {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, "prices.json"), '{ "models": { "mine": { "input": 7, "output": 7 } } }');
  const usage = { inputTokens: 10, outputTokens: 0, cachedTokens: 0 };
  expect(costOf({}, dataDir).prices.costMicroUsd("mine", usage)).toBe(70);
  writeFileSync(join(dataDir, "prices.json"), "nonsense");
  costOf({}, dataDir).report({ by: "day" });
  expect(warnings.join()).toContain("prices.json is not a price table");
});
