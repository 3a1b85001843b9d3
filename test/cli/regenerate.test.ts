import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { endInWords, nextStep, progressInWords } from "../../src/cli/regenerate-words.ts";
import type { RegenerationAnswer } from "../../src/client/worker-client.ts";
import { fakeWorker, json } from "../client/fake-worker.ts";
import { until } from "../helpers/worker-process.ts";
import { memAtHome } from "./mem.ts";

const idle: RegenerationAnswer = {
  running: false,
  total: 0,
  done: 0,
  left: 0,
  failed: 0,
  waitingFor: null,
  stoppedBecause: null,
};

/** A worker whose run is a list of states: one a look, the last one stays; DELETE stops it. */
async function workerWith(states: Partial<RegenerationAnswer>[]) {
  let at = 0;
  let stopped: Partial<RegenerationAnswer> = {};
  const answer = ({ method }: IncomingMessage, response: ServerResponse): void => {
    if (method === "DELETE") stopped = { running: false, stoppedBecause: "it was stopped" };
    json(response, 200, { ...idle, ...states[Math.min(at, states.length - 1)], ...stopped });
    at += 1;
  };
  const worker = await fakeWorker({ on: "socket", answer });
  return { worker, mem: memAtHome({ MEM_DATA_DIR: worker.dataDir, TZ: "UTC" }) };
}

test("in a pipe the progress is lines of talk, and the end is the answer", async () => {
  const { worker, mem } = await workerWith([
    { running: true, total: 40, left: 40 },
    { running: true, total: 40, done: 20, left: 20, waitingFor: "slow down" },
    { total: 40, done: 39, failed: 1 },
  ]);
  const { code, stdout, stderr } = await mem("regenerate", "--since", "2026-11-01", "--project", "app");
  expect(code).toBe(0);
  expect(stdout).toBe("39 of 40 events made again, 1 given up.\n");
  expect(stderr.split("\n")).toEqual([
    "0 of 40 events made again",
    "20 of 40 events made again; waiting: slow down",
    "What was given up keeps its old records; `mem regenerate` tries it again.",
    "",
  ]);
  expect(worker.seen[0]).toBe("POST /api/regenerate");
  expect(JSON.parse(worker.bodies[0] ?? "")).toEqual({ since: "2026-11-01T00:00:00.000Z", project: "app" });
});

test("a run that a budget ended says so, says how to go on, and ends with 75", async () => {
  const because = "the daily budget of 1,000 tokens is spent; local writes until 2026-11-22 00:00.";
  const { mem } = await workerWith([
    { running: true, total: 9, left: 9 },
    { total: 9, done: 4, left: 5, stoppedBecause: because },
  ]);
  const { code, stdout, stderr } = await mem("regenerate");
  expect(code).toBe(75);
  expect(stdout.replace(/\n(?!$)/g, " ")).toBe(`4 of 9 events made again. Stopped: ${because}\n`);
  expect(stderr).toContain("`mem regenerate --resume` goes on");
});

test("Ctrl-C stops the run in the worker, leaves the rest listed and says how to go on", async () => {
  const { worker, mem } = await workerWith([{ running: true, total: 9, done: 4, left: 5 }]);
  const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "regenerate"], {
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
  expect(await stderr).toContain("Stopped. 4 of 9 events made again.\n`mem regenerate --resume` goes on");
});

test.each([
  [["--resume"], "POST /api/regenerate", { resume: true }],
  [["--generator", "m-1"], "POST /api/regenerate", { generator: "m-1" }],
])("mem regenerate %j asks for just that", async (words, request, body) => {
  const { worker, mem } = await workerWith([{ total: 3, done: 3 }]);
  const { code, stdout } = await mem("regenerate", ...words);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "3 of 3 events made again.\n" });
  expect(worker.seen).toEqual([request]);
  expect(JSON.parse(worker.bodies[0] ?? "")).toEqual(body);
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
  expect(stdout).toBe("Stopped. 2 of 7 events made again.\n");
  expect(stderr).toContain("--resume");
  expect(worker.seen.at(-1)).toBe("DELETE /api/regenerate?drop=false");
});

test("--json prints the end and nothing else", async () => {
  const { mem } = await workerWith([
    { running: true, total: 3, left: 3 },
    { total: 3, done: 3 },
  ]);
  const { stdout, stderr } = await mem("regenerate", "--json");
  expect(JSON.parse(stdout)).toEqual({ ...idle, total: 3, done: 3 });
  expect(stderr).toBe("");
});

test("where only local is set up the worker's refusal is passed on, with exit code 78", async () => {
  const worker = await fakeWorker({
    on: "socket",
    answer: (_request, response) =>
      json(response, 409, { error: { code: "no_model", message: "Only the local provider is set up." } }),
  });
  const { code, stderr } = await memAtHome({ MEM_DATA_DIR: worker.dataDir })("regenerate");
  expect(code).toBe(78);
  expect(stderr).toContain("Only the local provider is set up.");
});

test("--resume with a filter is refused before anything is asked", async () => {
  const { worker, mem } = await workerWith([{}]);
  const { code, stderr } = await mem("regenerate", "--resume", "--since", "7d");
  expect(code).toBe(64);
  expect(stderr).toContain("--resume takes no --since");
  expect(worker.seen).toEqual([]);
});

test("what a vendor said cannot write to the terminal", () => {
  const evil = { ...idle, total: 2, left: 2, waitingFor: "a\x1b[2J", stoppedBecause: "b\x07\x1b]52;c;x\x07" };
  for (const line of [progressInWords(evil), ...endInWords(evil), nextStep(evil) ?? ""])
    for (const character of ["\x1b", "\x07"]) expect(line).not.toContain(character);
  expect(endInWords(idle)).toEqual(["Nothing is to be made again."]);
});
