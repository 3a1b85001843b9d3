import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dollars } from "../../src/cli/cost-lines.ts";
import { snakeCased } from "../../src/cli/io.ts";
import type { CostAnswer } from "../../src/client/worker-client.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";
import { fakeWorker, json } from "../client/fake-worker.ts";
import { calledMem } from "./mem.ts";

// The answers show days of the user's time zone.
beforeAll(() => void vi.stubEnv("TZ", "UTC"));
afterAll(() => void vi.unstubAllEnvs());

const sums = {
  calls: 1_234,
  failedCalls: 0,
  inputTokens: 12_345_678,
  cachedTokens: 1_234_567,
  outputTokens: 345_678,
  costUsd: 12.345,
  unpricedCalls: 0,
};

const answer: CostAnswer = {
  by: "project",
  since: Date.UTC(2026, 9, 23),
  until: Date.UTC(2026, 10, 21),
  rows: [
    { key: `a-project-${"with-a-long-name-".repeat(6)}`, ...sums },
    { key: "evil\x1b]52;c;ZXZpbA==\x07", ...sums, costUsd: null, unpricedCalls: 1_234 },
  ],
  total: { ...sums, failedCalls: 3, unpricedCalls: 1_234 },
  projection: {
    month: "2026-11",
    averageOfDays: 7,
    soFar: { tokens: 12_000_000, costUsd: 12, unpricedCalls: 0 },
    byEnd: { tokens: 34_567_890, costUsd: 34.5, unpricedCalls: 0 },
  },
  budgets: [
    {
      name: "daily",
      limitTokens: 2_000_000,
      usedTokens: 1_500_000,
      leftTokens: 500_000,
      until: Date.UTC(2026, 10, 22),
    },
  ],
  notice: null,
  prices: { date: "2026-09-01", source: "lists", own: "/home/u/.mem/prices.json" },
};

const notices = ["mem: /home/u/.mem/prices.json is not a price table.", "mem: something else."];

async function costWith(reply: Partial<CostAnswer>, ...words: string[]) {
  const worker = await fakeWorker({
    on: "socket",
    answer: ({ url }, response: ServerResponse) =>
      json(response, 200, url === "/api/health" ? { notices } : { ...answer, ...reply }),
  });
  const mem = calledMem({ MEM_DATA_DIR: worker.dataDir, TZ: "UTC" });
  return { ...(await mem.on80Columns("cost", ...words)), inPipe: await mem("cost", ...words), worker };
}

test("the table fits 80 columns, and nothing that is stored writes to the terminal", async () => {
  const { code, stdout, stderr, inPipe } = await costWith({}, "--by", "project");
  expect(code).toBe(0);
  expect(inPipe.stdout).not.toContain("…");
  for (const { key } of answer.rows.slice(0, 1)) expect(inPipe.stdout).toContain(key);
  for (const line of [...stdout.split("\n"), ...stderr.split("\n")])
    expect(displayWidth(line)).toBeLessThanOrEqual(80);
  expect(stdout).not.toContain("\x1b]52");
  const lines = stdout.split("\n");
  expect(lines[0]).toMatch(/^Project +Calls +Input +Cached +Output +Cost$/);
  expect(lines[1]).toMatch(/… +1,234 +12,345,678 +1,234,567 +345,678 +\$12\.35$/);
  expect(lines[2]).toMatch(/^evil.* unknown$/);
  expect(lines[3]).toMatch(/^Total .*\$12\.35\+$/);
  expect(stdout).toContain("about 34.6 M tokens, $34.50 by its end, as in the last 7 days");
  expect(stdout).toContain("500,000 of 2,000,000 tokens left until 2026-11-22 00:00");
  expect(stderr).toContain("3 calls failed and are included.");
  expect(stderr).toContain("prices.json is not a price table.");
  expect(stderr).not.toContain("something else");
  expect(oneLine(stderr)).toContain(
    "A + marks a cost that is known in part: 1,234 calls used models without a known price.",
  );
});

test("a month without a known price is not $0.00, and a partly known cost is marked", async () => {
  const [soFar, byEnd] = [
    { tokens: 900, costUsd: null, unpricedCalls: 3 },
    { tokens: 9_000, costUsd: 1.5, unpricedCalls: 3 },
  ];
  const { stdout, stderr } = await costWith({
    total: { ...sums, costUsd: null, unpricedCalls: 3 },
    projection: { month: "2026-11", averageOfDays: 1, soFar, byEnd },
  });
  expect(stdout).toMatch(/^This month +900 tokens, cost unknown so far$/m);
  expect(stdout).toContain("about 9,000 tokens, $1.50+ by its end");
  expect(stdout).not.toContain("$0.00");
  expect(oneLine(stderr)).toContain(
    "The cost is unknown: 3 calls used models without a known price. Add the price to",
  );
});

const oneLine = (text: string): string => text.replaceAll("\n", " ");

test("what is asked reaches the worker, a day as the user's calendar has it", async () => {
  const { worker } = await costWith({}, "--by", "model", "--since", "2026-11-01");
  const target = new URL(
    worker.seen.find((seen) => seen.includes("/api/cost"))?.split(" ")[1] ?? "",
    "http://localhost",
  );
  expect(target.pathname).toBe("/api/cost");
  expect(Object.fromEntries(target.searchParams)).toEqual({
    by: "model",
    since: "2026-11-01T00:00:00.000Z",
  });
});

test("--json prints the worker's answer in snake_case, its rows as items", async () => {
  const { stdout, stderr } = await costWith({}, "--json");
  const { rows, ...rest } = answer;
  const printed = JSON.parse(stdout);
  expect(printed).toEqual(snakeCased({ items: rows, ...rest }));
  expect(printed).toMatchObject({
    since: "2026-10-23T00:00:00.000Z",
    budgets: [{ until: "2026-11-22T00:00:00.000Z" }],
  });
  expect(stderr).toBe("");
});

test("an empty ledger says what to do, on stderr", async () => {
  const empty = { ...sums, calls: 0, costUsd: 0 };
  const { code, stdout, stderr } = await costWith({ rows: [], total: empty, projection: null });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("No model was called since 2026-10-23");
  expect(oneLine(stderr)).toContain("mem settings set MEM_PROVIDER primary");
  expect(stderr).toContain("Daily budget: 500,000 of 2,000,000 tokens left");
});

test("a budget that is spent is said first below the table", async () => {
  const notice = "the daily budget of 10 tokens is spent; local writes until 2026-11-22 00:00";
  const { stderr } = await costWith({ notice });
  expect(stderr.split("\n")[0]).toBe(
    "The daily budget of 10 tokens is spent; local writes until 2026-11-22 00:00.",
  );
});

test("a grouping that there is not is refused with its choices", async () => {
  const { code, stderr } = await costWith({}, "--by", "week");
  expect(code).toBe(64);
  expect(stderr).toContain("day, project, model");
});

test.each([
  [0, "$0.00"],
  [0.000_01, "<$0.0001"],
  [0.004_2, "$0.0042"],
  [0.1, "$0.10"],
  [1_234.5, "$1,234.50"],
])("%d dollars are shown as %s", (usd, text) => {
  expect(dollars(usd)).toBe(text);
});
