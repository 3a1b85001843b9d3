// A worker that hangs: the cost of a session start, the notice, and its replacement by exactly one other worker.
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../src/core/is-alive.ts";
import { markHung, readHungMark } from "../../src/hosts/hook/hung-mark.ts";
import { installedCopy, oldNode } from "../helpers/package-copy.ts";
import { volume } from "../helpers/volume.ts";
import { processesOf, startWorker, until, type WorkerHome, workerHome } from "../helpers/worker-process.ts";
import { payload, silent } from "../hosts/hook/hook-payload.ts";
import { type LauncherName, launchers, runHook, spooled } from "../hosts/hook/run-hook.ts";

const ways: LauncherName[] = ["as registered", "the Node bundle"];
const start = JSON.stringify({ session_id: "s9", cwd: "/home/user/demo", source: "startup" });

const markOf = (home: WorkerHome) => join(home.dataDir, "worker-hung");

interface WorkerFile {
  pid: number;
  port: number;
  process_start: string;
}

function workerFile(home: WorkerHome): WorkerFile {
  return JSON.parse(readFileSync(join(home.dataDir, "worker.json"), "utf8"));
}

/** A worker that a signal has stopped, with the mark of a hook whose wait timed out. */
async function stopped(name: LauncherName, event = "post-tool-use") {
  const home = workerHome({ MEM_HOOK_TIMEOUT_MS: "" });
  const worker = await startWorker(home);
  onTestFinished(async () => {
    for (const pid of processesOf(home)) process.kill(pid, "SIGKILL");
    await until(() => processesOf(home).length === 0 || undefined, 10_000, "the end of the workers");
  });
  await hang(name, home, worker, event);
  return { home, worker };
}

/** For a hook that the worker answers, on a loaded machine too. */
const patient = (home: WorkerHome) => ({ ...home, env: { ...home.env, MEM_HOOK_TIMEOUT_MS: "20000" } });

async function hang(name: LauncherName, home: WorkerHome, { pid }: { pid: number }, event = "post-tool-use") {
  process.kill(pid, "SIGSTOP");
  expect(await runHook(launchers[name](event), home, payload)).toEqual(silent);
}

/** Sets the mark back, as if the first hook had timed out this long ago. */
function age(home: WorkerHome, seconds: number): void {
  const [worker] = readFileSync(markOf(home), "utf8").split(" ");
  writeFileSync(markOf(home), `${worker} ${Date.now() - seconds * 1_000}\n`);
  const then = Date.now() / 1_000 - seconds;
  utimesSync(markOf(home), then, then);
}

/** Waits for the worker that replaces this one: a hook gives it only a few seconds to start. */
async function replaced(home: WorkerHome, { pid }: { pid: number }): Promise<void> {
  const hasNext = () => existsSync(join(home.dataDir, "worker.json")) && workerFile(home).pid !== pid;
  await until(() => hasNext() || undefined, 20_000, "the next worker");
}

describe.each(ways)("with a worker that hangs, %s", (name) => {
  test("a session start spools at first; after ten seconds it or a stop replaces it", async () => {
    const { home, worker } = await stopped(name);
    // On a loaded machine the first hook may have taken seconds.
    age(home, 0);
    expect(await runHook(launchers[name]("session-start"), home, start)).toEqual(silent);
    expect(processesOf(home)).toEqual([worker.pid]);
    age(home, 12);
    const { code, stdout } = await runHook(launchers[name]("session-start"), home, start);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).systemMessage).toMatch(
      /^mem: the worker did not answer for \d\d s and was replaced/,
    );
    expect(await worker.exited).toEqual({ code: null, signal: "SIGKILL" });
    await replaced(home, worker);
    expect(processesOf(home)).toEqual([workerFile(home).pid]);
    expect(existsSync(markOf(home))).toBe(false);
    expect((await runHook(launchers[name]("stop"), home, payload)).code).toBe(0);
    await until(() => spooled(home).length === 0 || undefined, 20_000, "an empty spool");

    // Another event is kept, and replaces the next one too.
    const next = workerFile(home);
    await hang(name, home, next);
    age(home, 12);
    const later = await runHook(launchers[name]("stop"), home, payload);
    expect(JSON.parse(later.stdout).systemMessage).toContain("was replaced");
    await replaced(home, next);
    await until(() => !isAlive(next.pid) || undefined, 20_000, "the end of the hung worker");
    await until(() => spooled(home).length === 0 || undefined, 20_000, "an empty spool");
  });

  test("ends only a process of a known start that hangs; its mark is no other worker's", async () => {
    const { home, worker } = await stopped(name);
    const { process_start, ...file } = workerFile(home);
    const rewrite = (known: object) =>
      writeFileSync(join(home.dataDir, "worker.json"), JSON.stringify({ ...file, ...known }), {
        mode: 0o600,
      });
    age(home, 12);
    rewrite({ process_start: "1" });
    expect((await runHook(launchers[name]("stop"), home, payload)).code).toBe(0);
    expect(processesOf(home)).toEqual([worker.pid]);
    age(home, 12);
    rewrite({});
    const { stdout } = await runHook(launchers[name]("session-start"), home, start);
    expect(JSON.parse(stdout).systemMessage).toContain("mem worker restart");
    expect(processesOf(home)).toEqual([worker.pid]);
    age(home, 12);
    rewrite({ process_start });
    process.kill(worker.pid, "SIGCONT");
    await worker.get("/api/health");
    // It answers, however busy the machine is.
    home.env.MEM_HOOK_TIMEOUT_MS = "20000";
    expect((await runHook(launchers[name]("stop"), home, payload)).code).toBe(0);
    expect(existsSync(markOf(home))).toBe(false);
    expect(processesOf(home)).toEqual([worker.pid]);

    // The mark says nothing about the worker that comes after.
    delete home.env.MEM_HOOK_TIMEOUT_MS;
    await hang(name, home, worker);
    const mark = readFileSync(markOf(home), "utf8");
    await worker.kill();
    const next = await startWorker(home);
    expect(existsSync(markOf(home))).toBe(false);
    writeFileSync(markOf(home), mark, { mode: 0o600 });
    home.env.MEM_HOOK_TIMEOUT_MS = "20000";
    const before = spooled(home).length;
    expect((await runHook(launchers[name]("stop"), patient(home), payload)).code).toBe(0);
    expect(spooled(home).length).toBeLessThanOrEqual(before);
    await next.stop();
    expect(readdirSync(home.dataDir)).not.toContain("worker.json");
    expect(existsSync(markOf(home))).toBe(false);
  });
});

test("hooks that find a hung worker together leave one worker", async () => {
  const { home, worker } = await stopped("the Node bundle");
  age(home, 12);
  const command = launchers["the Node bundle"]("session-start");
  const together = volume(8, 4);
  const runs = await Promise.all(Array.from({ length: together }, () => runHook(command, home, start)));
  expect(runs.map(({ code }) => code)).toEqual(Array(together).fill(0));
  expect((await worker.exited).signal).toBe("SIGKILL");
  await replaced(home, worker);
  await until(() => processesOf(home).length === 1 || undefined, 20_000, "one worker");
  expect(processesOf(home)).toEqual([workerFile(home).pid]);
});

test("a private mark names its worker; another timeout renews it, from its beginning", async () => {
  const { home } = await stopped("as registered");
  const { ino, mtimeMs } = statSync(join(home.dataDir, "worker.sock"));
  expect(readFileSync(markOf(home), "utf8")).toMatch(
    new RegExp(`^${ino}:${Math.floor(mtimeMs / 1_000)} \\d+\n$`),
  );
  expect(statSync(markOf(home)).mode & 0o777).toBe(0o600);
  age(home, 11);
  const before = readFileSync(markOf(home), "utf8");
  expect(markHung(home.dataDir).sinceMs).toBeGreaterThanOrEqual(11_000);
  expect(readFileSync(markOf(home), "utf8")).toBe(before);
  expect(readHungMark(home.dataDir)?.lastMs).toBeLessThan(10_000);
});

test("a hook whose Node is too old for SQLite leaves the worker alone, and says so", async () => {
  const { home, worker } = await stopped("the Node bundle");
  age(home, 12);
  const bundle = join(installedCopy(), "dist", "hook.cjs");
  const hook = [oldNode(), bundle, "claude-code", "session-start"];
  const { code, stdout } = await runHook(hook, home, start);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).systemMessage).toMatch(/^mem needs Node 22\.14 .* this is Node 20\.19\.0 /);
  expect(processesOf(home)).toEqual([worker.pid]);
  expect(spooled(home)).toHaveLength(2);
});
