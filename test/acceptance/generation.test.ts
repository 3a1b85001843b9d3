// The built worker with a model behind it: what an agent does is written by the model, paid for in the ledger, and
// survives whatever the model does.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { callMem } from "../cli/mem.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../helpers/scripted-model.ts";
import {
  startWorker,
  until,
  type WorkerHome,
  type WorkerProcess,
  workerHome,
} from "../helpers/worker-process.ts";

interface Rig {
  model: ScriptedModel;
  home: WorkerHome;
  worker: WorkerProcess;
}

async function rig(script: Script, env: NodeJS.ProcessEnv = {}): Promise<Rig> {
  const model = await startScriptedModel({ script, retryAfterSeconds: 1 });
  onTestFinished(() => model.close());
  const home = workerHome({ MEM_PROVIDER: "compat", MEM_COMPAT_BASE_URL: `${model.url}/v1`, ...env });
  return { model, home, worker: await startWorker(home) };
}

/** A turn: its tool uses, and its end. */
async function turn(worker: WorkerProcess, session: string, count: number): Promise<void> {
  await use(worker, session, count - 1);
  const { status } = await worker.post("/api/sessions/summarize", {
    claudeSessionId: session,
    last_user_message: "Print it",
    last_assistant_message: "I printed what was wanted, and it works.",
  });
  expect(status).toBe(200);
}

async function use(worker: WorkerProcess, session: string, count: number): Promise<void> {
  const uses = Array.from({ length: count }, (_, n) =>
    worker.post("/api/sessions/observations", {
      claudeSessionId: session,
      tool_name: "Bash",
      tool_input: { command: `echo ${session} ${n}` },
      tool_response: { stdout: `${session} ${n}`, exit_code: 0 },
      cwd: "/home/user/demo",
    }),
  );
  for (const { status } of await Promise.all(uses)) expect(status).toBe(200);
}

const complete = (worker: WorkerProcess, session: string) =>
  worker.post("/api/sessions/complete", { claudeSessionId: session });

interface Standing {
  accepted: number;
  done: number;
  skipped: number;
  pending: number;
  processing: number;
  dead: number;
  paused: { kind: string } | null;
}

async function standing(worker: WorkerProcess): Promise<Standing> {
  const { body } = await worker.get("/api/processing-status");
  const now = body as Standing;
  expect(now.accepted).toBe(now.done + now.skipped + now.pending + now.processing + now.dead);
  return now;
}

async function allDone(worker: WorkerProcess, count: number): Promise<void> {
  await until(async () => ((await standing(worker)).done === count ? true : undefined), 30_000, "all done");
}

async function generators(worker: WorkerProcess): Promise<Set<string>> {
  const { body } = await worker.get("/api/observations?limit=100");
  return new Set((body as { items: { generator: string }[] }).items.map(({ generator }) => generator));
}

describe("a worker with a model", () => {
  test("asks once for a turn, ends a completed one, and goes on after a limit", async () => {
    const { model, home, worker } = await rig("ok");
    await turn(worker, "s1", 10);
    await allDone(worker, 10);
    expect(model.requests).toHaveLength(1);
    expect([...(await generators(worker))]).toEqual([expect.not.stringMatching(/^local$/)]);
    const { stdout } = await callMem(home, ["cost", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ total: { calls: 1, failed_calls: 0 } });
    const { stdout: status } = await callMem(home, ["status"]);
    expect(status).toMatch(/^Provider +compat/m);
    await use(worker, "s2", 2);
    await complete(worker, "s2");
    await allDone(worker, 12);
    expect(model.requests).toHaveLength(2);
    model.play("rate-limited");
    await turn(worker, "s3", 10);
    await until(async () => (await standing(worker)).paused ?? undefined, 10_000, "the pause");
    expect((await callMem(home, ["status"])).stdout).toContain("rate limited");
    model.play("ok");
    await allDone(worker, 22);
    expect(await standing(worker)).toMatchObject({ dead: 0, paused: null });
  });

  test("a refused key pauses it with instructions, loses nothing, and a retry resumes it", async () => {
    const { model, home, worker } = await rig("unauthorized", {
      MEM_COMPAT_API_KEY: "sk-made-up-CANARY-key",
    });
    await turn(worker, "s1", 10);
    await until(async () => (await standing(worker)).paused ?? undefined, 10_000, "the pause");
    const doctor = await callMem(home, ["doctor"]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("MEM_COMPAT_API_KEY");
    expect((await worker.get("/api/health")).body).toMatchObject({ status: "degraded" });
    expect(await standing(worker)).toMatchObject({ pending: 10, dead: 0 });
    model.play("ok");
    await callMem(home, ["queue", "retry"]);
    await allDone(worker, 10);
    expect(readFileSync(`${home.dataDir}/logs/worker.log`, "utf8")).not.toContain("CANARY");
  });

  test("falls back to local when the default host command is not logged in", async () => {
    const home = workerHome({ MEM_PROVIDER: undefined, ANTHROPIC_API_KEY: "sk-ant-made-up" });
    const cli = join(home.dataDir, "..", "bin", "claude");
    mkdirSync(dirname(cli));
    const answer = JSON.stringify({
      type: "result",
      is_error: true,
      result: "Not logged in · Please run /login",
    });
    writeFileSync(cli, `#!/bin/sh\ncat >/dev/null\nprintf '%s' '${answer}'\nexit 1\n`, { mode: 0o755 });
    home.env.PATH = `${dirname(cli)}:${home.env.PATH}`;
    const worker = await startWorker(home);
    await turn(worker, "s1", 10);
    await allDone(worker, 10);
    expect([...(await generators(worker))]).toEqual(["local"]);
    const { stdout, stderr } = await callMem(home, ["status"]);
    expect(stdout).toMatch(/local writes; primary \(.*\): access refused/);
    expect(stderr).toBe("");
  });

  test("a kill in mid-call loses nothing; a late private prompt breaks off its call", async () => {
    const { model, home, worker } = await rig("hang");
    await turn(worker, "s1", 10);
    await until(() => model.requests[0], 20_000, "the call");
    await worker.kill();
    model.play("ok");
    const next = await startWorker(home);
    await allDone(next, 10);
    const { body } = await next.get("/api/observations?limit=100");
    expect((body as { items: unknown[] }).items).toHaveLength(1);
    model.play("hang");
    const before = model.requests.length;
    const hook = { session_id: "s2", prompt_id: "p2", cwd: "/home/user/demo" };
    for (let n = 0; n < 10; n++) {
      const use = { tool_name: "Bash", tool_input: { command: `echo ${n}` }, tool_response: { stdout: "" } };
      await next.post("/api/hooks/claude-code/PostToolUse", { ...hook, ...use, tool_use_id: `t${n}` });
    }
    await next.post("/api/hooks/claude-code/Stop", { ...hook, last_assistant_message: "All of it is done." });
    const call = await until(() => model.requests[before], 20_000, "the call");
    const prompt = { ...hook, prompt: "<private>what nobody is to know</private>" };
    await next.post("/api/hooks/claude-code/UserPromptSubmit", prompt);
    await until(() => call.aborted || undefined, 10_000, "the call's end");
    const counts = { accepted: 21, done: 10, skipped: 11, pending: 0, processing: 0 };
    expect(await standing(next)).toMatchObject(counts);
    expect(model.requests).toHaveLength(before + 1);
  });

  test("a spent budget hands over to local, which a later regeneration makes better", async () => {
    const { model, home, worker } = await rig("ok", { MEM_DAILY_TOKEN_BUDGET: "1" });
    await turn(worker, "s1", 10);
    await allDone(worker, 10);
    await turn(worker, "s2", 10);
    await allDone(worker, 20);
    expect(model.requests).toHaveLength(0);
    expect(await generators(worker)).toContain("local");
    expect((await callMem(home, ["status"])).stdout).toContain("budget");
    await worker.stop();
    const rich = { ...home, env: { ...home.env, MEM_DAILY_TOKEN_BUDGET: "0" } };
    const next = await startWorker(rich);
    const { code, stdout } = await callMem(rich, ["regenerate", "--yes"]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(await generators(next)).not.toContain("local");
    expect(await standing(next)).toMatchObject({ accepted: 20, done: 20 });
  });
});
