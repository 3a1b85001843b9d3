import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { processesOf, until } from "../helpers/worker-process.ts";
import { calledMem, memAtHome } from "./mem.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));

test("start, status, restart and stop, each twice, say the state and end with its code", async () => {
  const mem = memAtHome();
  const started = await mem("worker", "start");
  expect(started).toMatchObject({ code: 0, stderr: "" });
  expect(started.stdout).toMatch(/^The worker runs at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\.\n$/);
  const again = await mem("worker", "start");
  expect(again.stdout).toBe(started.stdout.replace("runs", "already runs"));
  expect((await mem("worker", "status")).code).toBe(0);
  const before = pidOf(mem.home.dataDir);
  expect((await mem("worker", "restart")).code).toBe(0);
  const pid = pidOf(mem.home.dataDir);
  expect(pid).not.toBe(before);
  expect((await mem("worker", "stop")).stdout).toBe(`Stopped the worker (process ${pid}).\n`);
  expect(processesOf(mem.home)).toEqual([]);
  expect(await mem("worker", "stop")).toMatchObject({ code: 0, stdout: "The worker is not running.\n" });
  expect((await mem("worker", "status")).code).toBe(69);
});

test("stop and restart say as JSON what became of which worker", async () => {
  const mem = calledMem();
  const restarted = JSON.parse((await mem("worker", "restart", "--json")).stdout);
  const pid = pidOf(mem.home.dataDir);
  expect(restarted).toMatchObject({ started: true, status: "ok", pid });
  const stopped = await mem("worker", "stop", "--json");
  expect(JSON.parse(stopped.stdout)).toEqual({ stopped: true, pid });
  const again = await mem("worker", "stop", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ stopped: false, pid: null });
});

test("status with the worker down ends with 0, worker status with 69", async () => {
  const mem = calledMem();
  expect((await mem("status")).code).toBe(0);
  expect((await mem("worker", "status")).code).toBe(69);
});

test("the worker outlives the command that started it, and writes to no terminal", async () => {
  const mem = memAtHome();
  await mem("worker", "start");
  const { stdout } = await mem("worker", "status", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ status: "ok", pid: pidOf(mem.home.dataDir) });
});

test("five concurrent starts leave one worker, and all of them name it", async () => {
  const mem = memAtHome();
  const runs = await Promise.all(Array.from({ length: 5 }, () => mem("worker", "start")));
  expect(runs.map(({ code }) => code)).toEqual(Array(5).fill(0));
  const pids = new Set(runs.map(({ stdout }) => /process (\d+)/.exec(stdout)?.[1]));
  expect([...pids]).toEqual([String(pidOf(mem.home.dataDir))]);
  // A command does not wait for the end of its worker when another one answers.
  await expect.poll(() => processesOf(mem.home)).toHaveLength(1);
});

test("starts again after a kill, with worker.json and socket left behind", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  const pid = pidOf(mem.home.dataDir);
  process.kill(pid, "SIGKILL");
  await until(() => (processesOf(mem.home).length === 0 ? true : undefined), 30_000, "the end of the worker");
  expect((await mem("worker", "status")).code).toBe(69);
  expect((await mem("worker", "start")).code).toBe(0);
  expect(pidOf(mem.home.dataDir)).not.toBe(pid);
});

test("a live process that is not our worker is never signalled", async () => {
  const mem = calledMem();
  const bystander = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  onTestFinished(() => void bystander.kill("SIGKILL"));
  mkdirSync(mem.home.dataDir, { mode: 0o700 });
  const { workerFile, socket } = dataPaths(mem.home.dataDir);
  writeFileSync(workerFile, JSON.stringify({ pid: bystander.pid, port: 1, host: "127.0.0.1", socket }));
  const { code, stderr } = await mem("worker", "stop");
  rmSync(workerFile);
  expect(code).toBe(69);
  expect(stderr).toContain("left alone");
  expect(bystander.exitCode).toBeNull();
});

test("a worker that hangs is called that by every command, and a restart replaces it", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  const pid = pidOf(mem.home.dataDir);
  process.kill(pid, "SIGSTOP");
  onTestFinished(() => {
    if (processesOf(mem.home).includes(pid)) process.kill(pid, "SIGKILL");
  });
  const [status, workerStatus, asJson, start, doctor, search] = await Promise.all([
    mem("status"),
    mem("worker", "status"),
    mem("worker", "status", "--json"),
    mem("worker", "start"),
    mem("doctor"),
    mem("search", "anything"),
  ]);
  expect(status).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`process ${pid} does not answer`),
  });
  expect(status.stderr).not.toContain("Start it:");
  expect(JSON.parse(asJson.stdout)).toEqual({ status: "silent", pid });
  for (const { code, stderr } of [workerStatus, start]) {
    expect(code).toBe(69);
    expect(stderr).toContain(`process ${pid} does not answer`);
  }
  for (const { stderr } of [status, workerStatus, start]) {
    expect(stderr).toContain(`kill -9 ${pid}`);
    expect(stderr).toContain("mem worker start");
    expect(stderr).toContain("No acknowledged event is lost");
  }
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(`process ${pid} does not answer`);
  expect(doctor.stdout).not.toContain("another program");
  expect(search.stderr).toContain(`process ${pid}`);
  expect(search.stderr).toContain("mem worker restart");
  expect((await mem("worker", "restart")).code).toBe(0);
  expect(pidOf(mem.home.dataDir)).not.toBe(pid);
  expect(processesOf(mem.home)).toEqual([pidOf(mem.home.dataDir)]);
});

test("status with the worker down says that events wait", async () => {
  const mem = calledMem();
  expect((await mem("status")).stdout).not.toContain("Spool");
  const { spool } = dataPaths(mem.home.dataDir);
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  writeFileSync(join(spool, "2026-11-21T07.jsonl"), "y".repeat(1_000), { mode: 0o600 });
  expect((await mem("status")).stdout).toMatch(/^Spool +1\.0 kB of events wait for the worker$/m);
});

test("a worker that cannot start says why, with what it said itself", async () => {
  const mem = calledMem();
  const { database } = dataPaths(mem.home.dataDir);
  mkdirSync(database, { recursive: true });
  const { code, stderr } = await mem("worker", "start");
  expect(code).toBe(69);
  expect(stderr).toContain("The worker exited immediately.");
  expect(stderr.split("\n").length).toBeGreaterThan(2);
});

test.each([
  ["logs", "logs"],
  ["the log of the start", "logs/worker-start.log"],
])("does not write through a link planted at %s", async (_what, name) => {
  const mem = calledMem();
  const target = tempDir();
  const victim = join(target, "victim");
  writeFileSync(victim, "mine");
  const planted = join(mem.home.dataDir, name);
  mkdirSync(dirname(planted), { recursive: true });
  symlinkSync(name === "logs" ? target : victim, planted);
  const { code, stderr } = await mem("worker", "start");
  expect(code).toBe(78);
  expect(stderr).toContain(planted);
  expect(readdirSync(target)).toEqual(["victim"]);
  expect(readFileSync(victim, "utf8")).toBe("mine");
});

test("in the foreground it prints its address and next steps, and one Ctrl-C stops it", async () => {
  const mem = calledMem();
  const child = spawn(process.execPath, [bin, "worker", "start", "--foreground"], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  await until(() => (stdout.includes("Ctrl-C") ? true : undefined), 30_000, "the announcement");
  for (const word of ["http://127.0.0.1:", "mem install ", "mem demo"]) expect(stdout).toContain(word);
  expect(stdout.split("\n").filter((line) => line.length > 80 && !line.includes(mem.home.dataDir))).toEqual(
    [],
  );
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect(stdout).toMatch(/mem is stopping\.\n$/);
  expect(existsSync(dataPaths(mem.home.dataDir).workerFile)).toBe(false);
});

test("the log is printed for people, as JSON, and followed", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  const logged = async () => (await mem("worker", "logs", "-n", "5")).stdout || undefined;
  expect(await until(logged, 30_000, "the log")).toMatch(/^\d\d:\d\d:\d\d {2}INFO /m);
  const { stdout } = await mem("worker", "logs", "--json");
  for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
  const follower = spawn(process.execPath, [bin, "worker", "logs", "-f", "-n", "1"], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void follower.kill("SIGKILL"));
  // Its first line says that it has looked at the file: what comes now is followed.
  await once(follower.stdout, "data");
  let followed = "";
  follower.stdout.on("data", (chunk) => (followed += String(chunk)));
  await mem("worker", "stop");
  await until(
    () => (/INFO .*\n.*INFO /.test(followed) ? true : undefined),
    30_000,
    "what was added to the log",
  );
});

test("an invalid line count is answered with the range", async () => {
  const { code, stderr } = await calledMem()("worker", "logs", "-n", "1000000");
  expect(code).toBe(64);
  expect(stderr).toContain("from 0 to 999999");
});

test("following a log that is not there yet says that it is waited for", async () => {
  const mem = calledMem();
  const follower = spawn(process.execPath, [bin, "worker", "logs", "-f"], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void follower.kill("SIGKILL"));
  const [said] = await once(follower.stderr, "data");
  expect(String(said)).toContain("Waiting for it");
  const printing = once(follower.stdout, "data");
  addToLog(mem.home.dataDir, "the worker answers");
  const [printed] = await printing;
  expect(String(printed)).toContain("INFO   the worker answers");
});

test("following the log ends when its reader goes away", async () => {
  const mem = calledMem();
  addToLog(mem.home.dataDir, "the worker answers");
  const follower = spawn(process.execPath, [bin, "worker", "logs", "-f"], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void follower.kill("SIGKILL"));
  const ended = once(follower, "exit");
  await once(follower.stdout, "data");
  follower.stdout.destroy();
  addToLog(mem.home.dataDir, "the worker is stopping");
  expect((await ended)[0]).toBe(0);
});

/** Writes what the worker writes to its log. */
function addToLog(dataDir: string, msg: string): void {
  const { logs, logFile } = dataPaths(dataDir);
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  appendFileSync(logFile, `${JSON.stringify({ time: Date.now(), level: 30, msg })}\n`, { mode: 0o600 });
}

function pidOf(dataDir: string): number {
  const file: unknown = JSON.parse(readFileSync(dataPaths(dataDir).workerFile, "utf8"));
  return typeof file === "object" && file !== null && "pid" in file ? Number(file.pid) : 0;
}
