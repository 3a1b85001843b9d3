import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { snakeCased } from "../../src/cli/io.ts";
import { endText, nextStep, progressText } from "../../src/cli/regenerate-text.ts";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import type { RegenerationAnswer, RegenerationPlanAnswer } from "../../src/client/worker-client.ts";
import { fakeWorker, json } from "../client/fake-worker.ts";
import { until } from "../helpers/worker-process.ts";
import { calledMem } from "./mem.ts";

// The answers show days of the user's time zone.
beforeAll(() => void vi.stubEnv("TZ", "UTC"));
afterAll(() => void vi.unstubAllEnvs());

const planPath = "/api/regenerate/plan";

const idle: RegenerationAnswer = {
  running: false,
  total: 0,
  done: 0,
  left: 0,
  failed: 0,
  waitingFor: null,
  stoppedBecause: null,
};

const plan: RegenerationPlanAnswer = {
  provider: "primary",
  model: "m-1",
  observations: 31,
  summaries: 2,
  sessions: 3,
  events: 40,
  calls: 4,
  inputTokens: 52_345,
  outputTokens: 10_100,
  costUsd: 0.1028,
  budgets: [],
  running: false,
};

/** A worker whose run is a list of states: one a look, the last one stays; DELETE stops it. */
async function workerWith(
  states: Partial<RegenerationAnswer>[],
  planned: Partial<RegenerationPlanAnswer> = {},
) {
  let at = 0;
  let stopped: Partial<RegenerationAnswer> = {};
  const answer = ({ method, url }: IncomingMessage, response: ServerResponse): void => {
    if (url?.startsWith(planPath) === true) {
      json(response, 200, { ...plan, ...planned });
      return;
    }
    if (url === "/api/projects") {
      json(response, 200, { projects: ["shop", "api"] });
      return;
    }
    if (method === "DELETE") stopped = { running: false, stoppedBecause: "it was stopped" };
    json(response, 200, { ...idle, ...states[Math.min(at, states.length - 1)], ...stopped });
    at += 1;
  };
  const worker = await fakeWorker({ on: "socket", answer });
  return { worker, mem: calledMem({ MEM_DATA_DIR: worker.dataDir, TZ: "UTC" }) };
}

test("in a pipe the progress is lines of talk, and the end is the answer", async () => {
  const { worker, mem } = await workerWith([
    { running: true, total: 40, left: 40 },
    { running: true, total: 40, done: 20, left: 20, waitingFor: "slow down" },
    { total: 40, done: 39, failed: 1 },
  ]);
  const { code, stdout, stderr } = await mem(
    "regenerate",
    "--yes",
    ...["--since", "2026-11-01", "--project", "app"],
  );
  expect(code).toBe(0);
  expect(stdout).toBe("39 of 40 events regenerated, 1 failed.\n");
  expect(stderr.split("\n")).toEqual([
    "Records  31 observations and 2 summaries of 3 sessions",
    "Model    m-1 (primary)",
    "About    4 calls, 52,300 tokens in, 10,100 out",
    "Cost     about $0.10 at list prices",
    "Budget   none",
    "0 of 40 events regenerated",
    "20 of 40 events regenerated; waiting: slow down",
    "Failed events keep their old records. Retry them: `mem regenerate`.",
    "",
  ]);
  expect(worker.seen.slice(0, 2)).toEqual([
    `GET ${planPath}?since=2026-11-01T00%3A00%3A00.000Z&project=app`,
    "POST /api/regenerate",
  ]);
  expect(JSON.parse(worker.bodies[1] ?? "")).toEqual({ since: "2026-11-01T00:00:00.000Z", project: "app" });
});

test("a run that a budget ended says so, says how to go on, and ends with 75", async () => {
  const because = "the daily budget of 1,000 tokens is spent; local writes until 2026-11-22 00:00.";
  const { mem } = await workerWith([
    { running: true, total: 9, left: 9 },
    { total: 9, done: 4, left: 5, stoppedBecause: because },
  ]);
  const { code, stdout, stderr } = await mem("regenerate", "--yes");
  expect(code).toBe(75);
  expect(stdout.replace(/\n(?!$)/g, " ")).toBe(`4 of 9 events regenerated. Stopped: ${because}\n`);
  expect(stderr).toContain("Continue: `mem regenerate --resume`.");
});

test("Ctrl-C stops the run in the worker, leaves the rest listed and says how to go on", async () => {
  const { worker, mem } = await workerWith([{ running: true, total: 9, done: 4, left: 5 }]);
  const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "regenerate", "--yes"], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  await until(
    () => worker.seen.includes("GET /api/regenerate") || undefined,
    10_000,
    "a look at the progress",
  );
  child.kill("SIGINT");
  await closed;
  expect(child.exitCode).toBe(130);
  expect(worker.seen.at(-1)).toBe("DELETE /api/regenerate?drop=false");
  expect(await stdout).toBe("");
  expect(await stderr).toContain("Stopped. 4 of 9 events regenerated.\nContinue: `mem regenerate --resume`.");
});

test.each([
  [["--resume"], "resume=true", { resume: true }],
  [["--generator", "m-1"], "generator=m-1", { generator: "m-1" }],
])("mem regenerate %j asks for just that", async (words, query, body) => {
  const { worker, mem } = await workerWith([{ total: 3, done: 3 }]);
  const { code, stdout } = await mem("regenerate", "--yes", ...words);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "3 of 3 events regenerated.\n" });
  expect(worker.seen).toEqual([`GET ${planPath}?${query}`, "POST /api/regenerate"]);
  expect(JSON.parse(worker.bodies[1] ?? "")).toEqual(body);
});

test("--drop forgets what is listed and says how much that was", async () => {
  const { worker, mem } = await workerWith([{ total: 7, left: 7 }, {}]);
  const { code, stdout } = await mem("regenerate", "--drop");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "7 events forgotten.\n" });
  expect(worker.seen).toEqual(["GET /api/regenerate", "DELETE /api/regenerate?drop=true"]);
});

test("--stop leaves it listed", async () => {
  const { worker, mem } = await workerWith([{ running: true, total: 7, done: 2, left: 5 }]);
  const { stdout, stderr } = await mem("regenerate", "--stop");
  expect(stdout).toBe("Stopped. 2 of 7 events regenerated.\n");
  expect(stderr).toContain("--resume");
  expect(worker.seen.at(-1)).toBe("DELETE /api/regenerate?drop=false");
});

test("--stop and --drop start no worker, and say that nothing runs", async () => {
  const mem = calledMem();
  const stop = await mem("regenerate", "--stop");
  expect(stop).toEqual({ code: 0, stdout: "The worker is stopped: nothing runs.\n", stderr: "" });
  expect(JSON.parse((await mem("regenerate", "--stop", "--json")).stdout)).toEqual({ running: false });
  const drop = await mem("regenerate", "--drop");
  expect(drop.code).not.toBe(0);
  expect(drop.stderr).toContain("nothing runs, and the list was kept.");
  expect(readWorkerAddress(mem.home.dataDir)).toBeNull();
});

test("--json prints the end and nothing else", async () => {
  const { mem } = await workerWith([
    { running: true, total: 3, left: 3 },
    { total: 3, done: 3 },
  ]);
  const { stdout, stderr } = await mem("regenerate", "--json", "--yes");
  expect(JSON.parse(stdout)).toEqual(snakeCased({ ...idle, total: 3, done: 3 }));
  expect(stderr).toBe("");
});

test("in a pipe nothing is started without --yes, and what it would cost is said", async () => {
  const { worker, mem } = await workerWith([{ running: true, total: 9, left: 9 }]);
  const { code, stdout, stderr } = await mem("regenerate");
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  expect(stderr).toContain("31 observations and 2 summaries of 3 sessions");
  expect(stderr).toContain("This is not a terminal, so nothing was started.");
  expect(stderr).toContain("--yes");
  expect(worker.seen).toEqual([`GET ${planPath}`]);
});

test("--dry-run shows what it would cost as the answer, and starts nothing", async () => {
  const { worker, mem } = await workerWith([{}], { costUsd: null });
  const { code, stdout, stderr } = await mem("regenerate", "--dry-run", "--project", "app");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("4 calls, 52,300 tokens in, 10,100 out\nCost     price unknown\n");
  expect(worker.seen).toEqual([`GET ${planPath}?project=app`]);
  expect(JSON.parse((await mem("regenerate", "--dry-run", "--json")).stdout)).toEqual(
    snakeCased({ ...plan, costUsd: null }),
  );
});

test("--resume with --drop is refused before anything is asked or forgotten", async () => {
  const { worker, mem } = await workerWith([{}]);
  const { code, stderr } = await mem("regenerate", "--resume", "--drop");
  expect(code).toBe(64);
  expect(stderr).toContain("contradict each other");
  expect(worker.seen).toEqual([]);
});

test.each(["--stop", "--drop"])("--dry-run with %s is refused before anything is stopped", async (way) => {
  const { worker, mem } = await workerWith([{}]);
  const { code, stderr } = await mem("regenerate", "--dry-run", way);
  expect(code).toBe(64);
  expect(stderr).toContain(`--dry-run takes no ${way}.`);
  expect(worker.seen).toEqual([]);
});

test("an empty plan starts without a question", async () => {
  const { mem } = await workerWith([{}], { events: 0, observations: 0, summaries: 0 });
  expect(await mem("regenerate")).toEqual({ code: 0, stdout: "Nothing to regenerate.\n", stderr: "" });
  expect((await mem("regenerate", "--dry-run")).stdout).toBe("Nothing to regenerate.\n");
});

test("what runs already is looked at with --resume, unasked", async () => {
  const { mem } = await workerWith([{ total: 3, done: 3 }], { running: true });
  const { code, stdout } = await mem("regenerate", "--resume");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "3 of 3 events regenerated.\n" });
});

test("where only local is set up the worker's refusal is passed on, with exit code 78", async () => {
  const worker = await fakeWorker({
    on: "socket",
    answer: (_request, response) =>
      json(response, 409, { error: { code: "no_model", message: "Only the local provider is set up." } }),
  });
  const { code, stderr } = await calledMem({ MEM_DATA_DIR: worker.dataDir })("regenerate");
  expect(code).toBe(78);
  expect(stderr).toContain("Only the local provider is set up.");
});

test.each([
  ["--resume", "--since", "7d"],
  ["--stop", "--generator", "local"],
  ["--drop", "--project", "app"],
])("%s with a filter is refused before anything is asked or forgotten", async (way, ...filter) => {
  const { worker, mem } = await workerWith([{}]);
  const { code, stderr } = await mem("regenerate", way, ...filter);
  expect(code).toBe(64);
  expect(stderr).toContain(`${way} takes no --since`);
  expect(worker.seen).toEqual([]);
});

test("what a vendor said cannot write to the terminal", () => {
  const evil = { ...idle, total: 2, left: 2, waitingFor: "a\x1b[2J", stoppedBecause: "b\x07\x1b]52;c;x\x07" };
  for (const line of [progressText(evil), ...endText(evil), nextStep(evil) ?? ""])
    for (const character of ["\x1b", "\x07"]) expect(line).not.toContain(character);
  expect(endText(idle)).toEqual(["Nothing to regenerate."]);
});

test("an unknown project is reported with the known names", async () => {
  const { mem } = await workerWith([{}], { events: 0 });
  for (const way of ["--dry-run", "--yes"]) {
    const { stdout, stderr } = await mem("regenerate", way, "--project", "nope");
    expect(stdout).toBe("Nothing to regenerate.\n");
    expect(stderr).toContain("No project named `nope`. Known: shop, api.");
  }
});

test.each([
  ["--resume", "--stop"],
  ["--stop", "--drop"],
])("%s and %s are refused as a contradiction", async (first, second) => {
  const { worker, mem } = await workerWith([{}]);
  const { code, stderr } = await mem("regenerate", first, second);
  expect(code).toBe(64);
  expect(stderr).toContain(`${first} and ${second} contradict each other.`);
  expect(worker.seen).toEqual([]);
});
