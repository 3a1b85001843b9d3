// The OpenClaw plugin in a gateway, with a real worker: observations, context, settings, commands.
import { beforeEach, describe, expect, test } from "vitest";
import { type CalledWorker, serveIn } from "../../helpers/called-worker.ts";
import { drained, workerHome } from "../../helpers/worker-process.ts";
import { type GatewayDouble, gatewayDouble, turn } from "./gateway-double.ts";

interface Running {
  worker: CalledWorker;
  environment: NodeJS.ProcessEnv;
  gateway(settings?: Record<string, unknown>, more?: object): GatewayDouble;
}

async function running(): Promise<Running> {
  const home = workerHome();
  const worker = await serveIn(home);
  return {
    worker,
    environment: home.env,
    gateway: (settings = {}, more = {}) =>
      gatewayDouble({ settings, deps: { environment: home.env }, ...more }),
  };
}

async function items(worker: CalledWorker, path: string): Promise<Record<string, unknown>[]> {
  const { body } = await worker.get(path);
  return (body as { items: Record<string, unknown>[] }).items;
}

let at: Running;
beforeEach(async () => {
  at = await running();
});

describe("a turn", () => {
  test("becomes a session with a prompt, an observation and a summary, and is completed", async () => {
    const gateway = at.gateway();
    await turn(gateway);
    await gateway.settled();
    await drained(at.worker);
    const [session] = await items(at.worker, "/sessions");
    expect(session).toMatchObject({
      host: "openclaw",
      project: "demo",
      status: "completed",
      prompt_count: 1,
    });
    expect(session?.claude_session_id).toMatch(/^openclaw-agent:main:probe-\d{13}$/);
    const [observation, ...others] = await items(at.worker, "/api/observations");
    expect(observation?.title).toContain("echo via-gateway");
    expect(others).toEqual([]);
    expect(await items(at.worker, "/api/summaries")).toHaveLength(1);
  });

  test("reopens the session of its key", async () => {
    const gateway = at.gateway();
    await turn(gateway);
    await gateway.settled();
    const next = { runId: "run-2", toolCallId: "call-2" };
    await gateway.emit("before_prompt_build", { event: { prompt: "And now?" }, ctx: next });
    await gateway.settled();
    const sessions = await items(at.worker, "/sessions");
    expect(sessions).toMatchObject([{ status: "active", prompt_count: 2 }]);
  });

  test.each(["session_end", "before_reset"])("after %s belongs to a new session", async (name) => {
    const gateway = at.gateway();
    await turn(gateway);
    gateway.emit(name, { file: "session_end", event: { reason: "new" } });
    await turn(gateway, { event: { prompt: "Another matter" }, ctx: { runId: "run-2" } });
    await gateway.settled();
    expect(await items(at.worker, "/sessions")).toHaveLength(2);
  });

  test("after a compaction belongs to the same session", async () => {
    const gateway = at.gateway();
    await turn(gateway);
    gateway.emit("session_end", { event: { reason: "compaction" } });
    await turn(gateway, { event: { prompt: "Go on" }, ctx: { runId: "run-2" } });
    await gateway.settled();
    expect(await items(at.worker, "/sessions")).toHaveLength(1);
  });

  test("of a gateway before 2026.8 is announced once, without its channel's metadata", async () => {
    const gateway = at.gateway({}, { runtime: { version: "2026.4.29" } });
    const old = { version: "openclaw-2026.4.29", file: "before_agent_start" };
    gateway.emit("before_agent_start", old);
    await gateway.emit("before_prompt_build", old);
    await gateway.settled();
    const prompts = await items(at.worker, "/api/prompts");
    expect(prompts.map(({ prompt_text }) => prompt_text)).toEqual([
      "[[shell: echo chat]][[final: CLAW_CHAT]]",
    ]);
  });

  test("that the gateway started itself stores no prompt", async () => {
    const gateway = at.gateway();
    await gateway.emit("before_prompt_build", { ctx: { trigger: "heartbeat" } });
    await gateway.emit("before_prompt_build", { ctx: { sessionKey: "agent:main:subagent:1", runId: "r2" } });
    await gateway.settled();
    expect(await items(at.worker, "/api/prompts")).toEqual([]);
  });
});

describe("a sub-agent", () => {
  const child = { sessionKey: "agent:main:subagent:1", runId: "r2" };

  test("works in the session that started it, and its announcement is no prompt", async () => {
    const gateway = at.gateway();
    await gateway.emit("before_prompt_build");
    const launch = { id: "sessions_spawn", args: { task: "Count the wombats" } };
    const answer = { content: [{ type: "text", text: "{}" }], details: { status: "accepted" } };
    const content = [{ type: "text", text: JSON.stringify({ tool: {}, result: answer }) }];
    const call = { toolCallId: "call_1", toolName: "tool_call" };
    gateway.emit("before_tool_call", { event: { ...call, params: launch } });
    gateway.raw("subagent_spawned", { childSessionKey: child.sessionKey }, { requesterSessionKey: key });
    gateway.emit("tool_result_persist", { event: { ...call, message: { content } }, ctx: call });
    await turn(gateway, { ctx: child });
    const block = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nSeven.\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>";
    const prompt = `[Fri 2026-11-20 23:54 UTC] ${block}`;
    await gateway.emit("before_prompt_build", { event: { prompt }, ctx: { runId: "r3" } });
    await gateway.emit("before_prompt_build", { event: { prompt: "" }, ctx: { runId: "announce:v1:r2" } });
    await gateway.settled();
    await drained(at.worker);
    const sessions = await items(at.worker, "/sessions");
    expect(sessions).toMatchObject([{ prompt_count: 1, status: "active" }]);
    const titles = (await items(at.worker, "/api/observations")).map(({ title }) => title);
    expect(titles).toContain("Started sub-agent in the background: Count the wombats");
    expect(titles.join()).toContain("echo via-gateway");
  });
});

const key = "agent:main:probe";

describe("a tool result", () => {
  test("gets a rule about its command in the same turn, and is stored once", async () => {
    await at.worker.post("/api/rules", { text: "Never force push.", reach: "everywhere" });
    const gateway = at.gateway();
    const call = { toolCallId: "call_9", toolName: "exec" };
    const result = { content: [{ type: "text", text: "pushed" }], details: { exitCode: 0 } };
    const event = { ...call, args: { command: "git push --force" }, result };
    const changed = await gateway.raw("agent_tool_result", event, { sessionKey: key });
    expect(JSON.stringify(changed)).toMatch(/pushed.*Never force push\./);
    gateway.emit("tool_result_persist", { event: { ...call, message: result }, ctx: call });
    await gateway.settled();
    await drained(at.worker);
    const titles = (await items(at.worker, "/api/observations")).map(({ title }) => String(title));
    expect(titles.filter((title) => title.includes("git push"))).toHaveLength(1);
  });

  test("of each of two calls without an id is stored once", async () => {
    const gateway = at.gateway();
    const results = ["one", "two"].map((text) => ({ content: [{ type: "text", text }] }));
    for (const result of results)
      await gateway.raw("agent_tool_result", { toolName: "exec", args: {}, result }, { sessionKey: key });
    for (const message of results)
      gateway.raw("tool_result_persist", { toolName: "exec", message }, { sessionKey: key });
    await gateway.settled();
    expect((await at.worker.get("/api/processing-status")).body).toMatchObject({ accepted: 2 });
  });

  test("is cut to 1,000 characters, after private parts and secrets are out", async () => {
    const gateway = at.gateway();
    const canary = "CANARY-PRIVATE";
    const text = `begin <private>${`${canary} `.repeat(400)}</private> ${"x".repeat(40_000)} end`;
    gateway.emit("tool_result_persist", { event: { message: { content: [{ type: "text", text }] } } });
    await gateway.settled();
    const { body } = await at.worker.get("/api/queue");
    expect(JSON.stringify(body)).not.toContain(canary);
    await drained(at.worker);
    expect(JSON.stringify(await items(at.worker, "/api/observations"))).not.toContain(canary);
  });

  test("of a tool about memory or tools, or made up by the gateway, is not sent", async () => {
    const gateway = at.gateway();
    for (const toolName of ["memory_search", "tool_search", "tool_describe"])
      gateway.emit("tool_result_persist", { event: { toolName } });
    gateway.emit("tool_result_persist", { event: { isSynthetic: true } });
    await gateway.settled();
    expect(await items(at.worker, "/sessions")).toEqual([]);
  });

  test("is handled without waiting, and changes nothing", () => {
    expect(at.gateway().emit("tool_result_persist")).toBeUndefined();
  });
});

describe("context", () => {
  async function remember(project: string): Promise<void> {
    const body = { claudeSessionId: `s-${project}`, project, prompt: "Fix the login timeout" };
    await at.worker.post("/api/sessions/init", body);
    await at.worker.post("/api/sessions/observations", {
      claudeSessionId: `s-${project}`,
      tool_name: "Edit",
      tool_input: { file_path: `/srv/${project}/login-timeout.ts`, old_string: "5", new_string: "50" },
      tool_response: "ok",
    });
    await drained(at.worker);
  }

  test("of earlier sessions goes into the system prompt of every turn", async () => {
    await remember("demo");
    const gateway = at.gateway({ project: "demo" });
    const first = await gateway.emit("before_prompt_build");
    expect(first).toEqual({ appendSystemContext: expect.stringContaining("login-timeout.ts") });
    expect(await gateway.emit("before_prompt_build", { ctx: { runId: "run-2" } })).toEqual(first);
  });

  test("is that of the agent's workspace without a setting", async () => {
    await remember("demo");
    const result = await at.gateway().emit("before_prompt_build");
    expect(result).toEqual({ appendSystemContext: expect.stringContaining("login-timeout.ts") });
  });

  test("is asked for once a minute, in a new session, and after the gateway started", async () => {
    const clock = { now: () => 1_795_000_000_000 + ms, monotonicMs: () => ms };
    let ms = 0;
    const gateway = gatewayDouble({
      settings: { project: "demo" },
      deps: { environment: at.environment, clock },
    });
    const ask = (runId: string, more = {}) =>
      gateway.emit("before_prompt_build", { ctx: { runId, ...more } });
    expect(await ask("run-1")).toBeUndefined();
    await remember("demo");
    const first = await ask("run-2");
    expect(first).toEqual({ appendSystemContext: expect.stringContaining("login-timeout.ts") });
    await at.worker.post("/api/rules", { text: "Never deploy on Fridays", project: "demo" });
    ms = 59_000;
    expect(await ask("run-3")).toEqual(first);
    ms = 61_000;
    const second = await ask("run-4");
    expect(second).toEqual({ appendSystemContext: expect.stringContaining("Never deploy on Fridays") });
    await at.worker.post("/api/rules", { text: "Never commit to main", project: "demo" });
    expect(await ask("run-5")).toEqual(second);
    const third = await ask("run-6", { sessionKey: "agent:main:other" });
    expect(third).toEqual({ appendSystemContext: expect.stringContaining("Never commit to main") });
    await at.worker.post("/api/rules", { text: "Never tag a release", project: "demo" });
    gateway.emit("gateway_start");
    const fourth = await ask("run-7");
    expect(fourth).toEqual({ appendSystemContext: expect.stringContaining("Never tag a release") });
  });

  test.each([
    ["off", { syncMemoryFile: false }],
    ["off for the agent", { syncMemoryFileExclude: ["other", "main"] }],
  ])("is not injected when it is %s, while events are stored", async (_name, settings) => {
    await remember("demo");
    const gateway = at.gateway({ project: "demo", ...settings });
    expect(await turn(gateway)).toBeUndefined();
    await gateway.settled();
    expect(await items(at.worker, "/sessions")).toHaveLength(2);
  });
});

describe("/mem_status", () => {
  test("tells of the worker, and how to allow conversation access", async () => {
    const text = await at.gateway({ project: "demo" }).command("mem_status");
    expect(text).toContain("Worker: ok, version ");
    expect(text).toContain("Set plugins.entries.mem.hooks.allowConversationAccess to true");
    expect(text).toContain("Project: demo");
    expect(text).toContain("Context: on");
  });

  test.each([
    ["by the configuration", true],
    ["by an event that only comes with it", false],
  ])("tells that conversation access is allowed, %s", async (_name, isConfigured) => {
    const entries = { mem: { hooks: { allowConversationAccess: isConfigured } } };
    const gateway = at.gateway({}, { config: { plugins: { entries } } });
    if (!isConfigured) await gateway.emit("before_prompt_build");
    expect(await gateway.command("mem_status")).toContain("Conversation access: allowed\n");
  });

  test("tells why the worker is not reached", async () => {
    const gateway = at.gateway();
    await at.worker.stop();
    const text = await gateway.command("mem_status");
    expect(text).toContain("Worker: not reached: no worker runs. Events are spooled. Run `mem doctor`.");
  });
});
