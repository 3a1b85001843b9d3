import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { Terminal } from "../../src/cli/confirm.ts";
import { demandConsent, planRows } from "../../src/cli/regenerate-text.ts";
import { createWorkerClient, type RegenerationPlanAnswer } from "../../src/client/worker-client.ts";
import { fakeWorker, json } from "../client/fake-worker.ts";
import { plainIo } from "./plain-io.ts";

const plan: RegenerationPlanAnswer = {
  provider: "compat",
  model: "m-1",
  observations: 1,
  summaries: 0,
  sessions: 1,
  events: 1,
  calls: 1,
  inputTokens: 900,
  outputTokens: 300,
  costUsd: 0.002,
  budgets: [],
  running: false,
};

const daily = { name: "daily", limitTokens: 2_000, usedTokens: 1_000, leftTokens: 1_000, until: 0 } as const;

/** `demandConsent` with a person who types `typed`; resolves with what was shown. */
async function asked(typed: string, planned: Partial<RegenerationPlanAnswer> = {}) {
  const worker = await fakeWorker({
    on: "socket",
    answer: (_request, response) => json(response, 200, { ...plan, ...planned }),
  });
  const client = createWorkerClient({ dataDir: worker.dataDir });
  onTestFinished(() => client.close());
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = "";
  output.on("data", (chunk) => (shown += String(chunk)));
  const terminal = {
    input: Object.assign(input, { isTTY: true }),
    output: Object.assign(output, { isTTY: true }),
  } as unknown as Terminal;
  const lines: string[] = [];
  const fail = () => expect.fail("the answer was written to");
  const err = (line: string) => lines.push(line);
  const io = plainIo({ out: fail, raw: fail, json: fail, err, talksToTerminal: true, isTerminal: true });
  input.write(typed);
  const end = await demandConsent(
    { io, worker: () => client },
    {},
    { yes: false, json: false, terminal },
  ).then(
    () => "started",
    (error: Error) => error.message,
  );
  return { end, lines, question: shown };
}

test("a person sees what it would cost, and starts it with y", async () => {
  const { end, lines, question } = await asked("y\n", { budgets: [{ ...daily }] });
  expect(end).toBe("started");
  expect(lines.slice(0, 4)).toEqual([
    "Records       1 observation of 1 session",
    "Model         m-1 (compat)",
    "About         1 call, 900 tokens in, 300 out",
    "Cost          about $0.0020 at list prices",
  ]);
  expect(lines.join(" ").replace(/\s+/g, " ")).toContain(
    "Daily budget 1,000 of 2,000 tokens left until 1970-01-01",
  );
  expect(lines.join(" ").replace(/\s+/g, " ")).toContain("it may stop before the end");
  expect(question).toContain("Start? [y/N]");
});

test.each(["n\n", "\n", "\u0004"])("anything but yes (%j) starts nothing", async (typed) => {
  expect((await asked(typed)).end).toBe("Nothing was started.");
});

test("where a budget is spent the question says so", async () => {
  const spent = { ...daily, usedTokens: 2_100, leftTokens: 0 };
  expect((await asked("n\n", { budgets: [spent] })).question).toContain("A budget is spent");
});

test("a model's name cannot write to the terminal; summaries are counted", () => {
  const rows = planRows({
    ...plan,
    model: "m\x1b[2J",
    observations: 0,
    summaries: 1,
    inputTokens: 2_345_678,
  });
  expect(JSON.stringify(rows)).not.toContain("\\u001b");
  expect(rows[0]).toEqual(["Records", "1 summary of 1 session"]);
  expect(rows[2]?.[1]).toContain("2.3 M tokens in");
});
