// The hook and the real worker: started by a session, asked, gone, spooled for, and drained.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { failOpenSync } from "../../../src/core/errors.ts";
import { isAlive } from "../../../src/core/is-alive.ts";
import { findCanaries } from "../../helpers/temp-dir.ts";
import {
  type HookHome,
  hookHome,
  type LauncherName,
  launchers,
  runHook,
  settled,
  spooled,
} from "./run-hook.ts";

const fixtures = new URL("../../fixtures/host-events/claude-code/", import.meta.url);
const recorded = (file: string) => readFileSync(new URL(`${file}.json`, fixtures), "utf8");
const silent = { code: 0, signal: null, stdout: "", stderr: "" };

interface Running {
  pid: number;
  port: number;
}

function workerOf({ dataDir }: HookHome): Running | null {
  const file = join(dataDir, "worker.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

/** A home whose workers, started by whatever hook, end with the test: those too that lost the race for it. */
function workerHome(): HookHome {
  const home = hookHome({ MEM_WORKER_PORT: "0", MEM_PROVIDER: "local", MEM_HOOK_TIMEOUT_MS: "20000" });
  onTestFinished(async () => {
    // One that is about to see that it lost may be gone before the signal.
    for (const pid of workersOf(home)) failOpenSync("end a worker", () => process.kill(pid, "SIGKILL"));
    await until(() => workersOf(home).length === 0);
  });
  return home;
}

function workersOf({ dataDir }: HookHome): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .map(Number)
    .filter((pid) => isAlive(pid) && environmentOf(pid).includes(`MEM_DATA_DIR=${dataDir}`));
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

async function endWorker(home: HookHome, signal: NodeJS.Signals): Promise<void> {
  const worker = workerOf(home);
  if (worker === null || !isAlive(worker.pid)) return;
  process.kill(worker.pid, signal);
  await until(() => !isAlive(worker.pid));
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(25);
}

async function get<T>(home: HookHome, path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${workerOf(home)?.port}${path}`);
  return (await answer.json()) as T;
}

interface Items {
  items: { title?: string; prompt_text?: string; created_at_epoch: number }[];
}

const ways: LauncherName[] = ["as registered", "the Node bundle"];

describe.each(ways)("a session, %s", (name) => {
  const run = (event: string, home: HookHome, input: string) => runHook(launchers[name](event), home, input);

  test("starts the worker, is recorded, and appears in the next session's context", async () => {
    const home = workerHome();
    expect(await run("session-start", home, recorded("SessionStart.startup"))).toEqual(silent);
    expect(workerOf(home)?.pid).toEqual(expect.any(Number));
    for (const [event, file] of [
      ["user-prompt-submit", "UserPromptSubmit"],
      ["post-tool-use", "PostToolUse.Read"],
      ["post-tool-use", "PostToolUse.Read"],
      ["post-tool-use-failure", "PostToolUseFailure.Bash"],
      ["stop", "Stop"],
      ["session-end", "SessionEnd.other"],
    ] as const) {
      expect({ event, ...(await run(event, home, recorded(file))) }).toEqual({ event, ...silent });
    }
    await settled(home);
    await until(async () => (await get<Items>(home, "/api/observations")).items.length === 2);
    const { stdout } = await run("session-start", home, recorded("SessionStart.clear"));
    const { hookSpecificOutput } = JSON.parse(stdout);
    expect(hookSpecificOutput.hookEventName).toBe("SessionStart");
    expect(hookSpecificOutput.additionalContext).toContain("note.txt");
    expect((await run("session-start", home, recorded("SessionStart.resume"))).stdout).toBe("");
    expect((await get<Items>(home, "/api/summaries")).items).toHaveLength(1);
    await until(() => spooled(home).length === 0);
  });

  test("loses nothing when the worker is killed: the next one drains the spool", async () => {
    const home = workerHome();
    await run("session-start", home, recorded("SessionStart.startup"));
    await run("user-prompt-submit", home, recorded("UserPromptSubmit"));
    await endWorker(home, "SIGKILL");
    const before = Date.now();
    expect(await run("post-tool-use", home, recorded("PostToolUse.Read"))).toEqual(silent);
    expect(await run("post-tool-use", home, recorded("PostToolUse.Bash"))).toEqual(silent);
    expect(await run("stop", home, recorded("Stop"))).toEqual(silent);
    const after = Date.now();
    expect(spooled(home)).toHaveLength(3);

    expect((await run("session-start", home, recorded("SessionStart.resume"))).code).toBe(0);
    await until(async () => (await get<Items>(home, "/api/observations")).items.length === 2);
    await until(async () => (await get<Items>(home, "/api/summaries")).items.length === 1);
    await until(() => spooled(home).length === 0);
    for (const { created_at_epoch } of (await get<Items>(home, "/api/observations")).items) {
      expect(created_at_epoch).toBeGreaterThanOrEqual(before);
      expect(created_at_epoch).toBeLessThanOrEqual(after);
    }
  });
});

test("a wholly private prompt and its work stay private over the spool", async () => {
  const home = workerHome();
  const canary = "CANARY-private-prompt";
  const prompt = { ...JSON.parse(recorded("UserPromptSubmit")), prompt: `<private>${canary}</private>` };
  const node = launchers["the Node bundle"];
  await runHook(node("user-prompt-submit"), home, JSON.stringify(prompt));
  await runHook(node("post-tool-use"), home, recorded("PostToolUse.Read"));
  await runHook(node("session-start"), home, recorded("SessionStart.resume"));
  interface Status {
    accepted: number;
    skipped: number;
  }
  await until(async () => (await get<Status>(home, "/api/processing-status")).accepted === 1);
  expect(await get(home, "/api/processing-status")).toMatchObject({ accepted: 1, skipped: 1 });
  expect(findCanaries(home.dataDir, [canary])).toEqual([]);
});

test("the bundle that Node reads at every tool use holds no error catalog", () => {
  const bundle = readFileSync(new URL("../../../dist/hook.cjs", import.meta.url), "utf8");
  expect(bundle).not.toContain("retryable");
  expect(bundle.length).toBeGreaterThan(5_000);
});

test("sessions that start concurrently share one worker", async () => {
  const home = workerHome();
  const node = launchers["the Node bundle"];
  const runs = await Promise.all(
    [1, 2, 3].map(() => runHook(node("session-start"), home, recorded("SessionStart.startup"))),
  );
  expect(runs).toEqual([silent, silent, silent]);
  await until(() => workersOf(home).length === 1);
  await until(() => spooled(home).length === 0);
});

test("a worker that cannot start costs the session no more than its end", async () => {
  const home = workerHome();
  home.env.MEM_WORKER_HOST = "192.0.2.1";
  const node = launchers["the Node bundle"];
  expect(await runHook(node("session-start"), home, recorded("SessionStart.startup"))).toEqual(silent);
  expect(spooled(home)).toHaveLength(1);
});
