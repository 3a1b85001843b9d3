// Generation as the settings put it together.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { createCost } from "../../src/worker/cost.ts";
import { createGeneration } from "../../src/worker/generation.ts";
import { eventually } from "../helpers/eventually.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const memory = eachMemoryStore();

function generationWith(env: Record<string, string>) {
  const { store } = memory;
  const settings = loadSettings({ dataDir: tempDir(), env });
  const cost = createCost({ store, settings, clock: systemClock, warn: () => undefined });
  const generation = createGeneration({
    store,
    settings,
    env,
    log: pino({ level: "silent" }),
    clock: systemClock,
    cost,
    instance: "this",
    idle: async () => undefined,
    onMade: () => undefined,
    onChange: () => undefined,
  });
  onTestFinished(() => generation.close());
  return { generation, cost };
}

test("reports a missing host command at the start, before the first call", () => {
  const command = join(tempDir(), "claude");
  const { generation } = generationWith({ MEM_PROVIDER: "primary", HOST_CLI_PATH: command });
  generation.start();
  expect(generation.circuit.state(systemClock.now())).toMatchObject({
    state: "paused",
    reason: { kind: "auth", fix: "command", message: expect.stringContaining(command) },
  });
});

test("one that is there is not asked before there is something to ask", () => {
  const { generation } = generationWith({ MEM_PROVIDER: "primary", HOST_CLI_PATH: process.execPath });
  generation.start();
  expect(generation.circuit.state(systemClock.now()).state).toBe("ready");
  expect(generation.retryNow()).toEqual({ resumed: false, waitsUntil: null });
});

test("local writes, with a notice, while the model pauses and no call fits the budget", async () => {
  // Refused without a connection: in the clear nothing is sent to the public network.
  const env = {
    MEM_PROVIDER: "compat",
    MEM_COMPAT_BASE_URL: "http://203.0.113.1",
    MEM_DAILY_TOKEN_BUDGET: "100000",
  };
  const { generation, cost } = generationWith(env);
  addMessage();
  await generation.scheduler.scheduleDue();
  await eventually(() => expect(generation.circuit.state(systemClock.now()).state).toBe("paused"));
  expect([generation.localWrites(), cost.notice()]).toEqual([false, null]);
  expect(() => cost.spend.reserve(100_001)).toThrow();
  expect(generation.localWrites()).toBe(true);
  expect(cost.notice()).toMatch(/has 100,000 left, too few for a call; local writes until/);
  expect(generation.retryNow()).toEqual({ resumed: true, waitsUntil: null });
});

test("local writes silently when an unchosen command on PATH is not logged in", async () => {
  const bin = tempDir();
  const result = { type: "result", is_error: true, result: "Not logged in · Please run /login" };
  writeFileSync(join(bin, "claude"), `#!/bin/sh\necho '${JSON.stringify(result)}'\nexit 1\n`, {
    mode: 0o755,
  });
  const { generation } = generationWith({ PATH: bin, HOME: tempDir() });
  expect(generation.isFallback()).toBe(false);
  addMessage();
  await generation.scheduler.scheduleDue();
  await eventually(() => expect(generation.isFallback()).toBe(true));
  expect(generation.localWrites()).toBe(true);
  const message = generation.circuit.state(systemClock.now()).reason?.message;
  expect(message).toBe("The host CLI: Not logged in");
  await generation.scheduler.scheduleDue();
  await eventually(() => expect(memory.store.pending.counts()).toMatchObject({ done: 1, pending: 0 }));
  expect(memory.store.observations.byId(1)).toMatchObject({ generator: "local" });
});

test("the same refusal of a command that the user chose is the user's to repair", async () => {
  const command = join(tempDir(), "claude");
  for (const env of [{ MEM_PROVIDER: "primary", HOST_CLI_PATH: command }, { HOST_CLI_PATH: command }]) {
    const { generation } = generationWith(env);
    generation.start();
    expect([generation.isFallback(), generation.localWrites()]).toEqual([false, false]);
  }
});

function addMessage(): void {
  const { sessions, rawEvents, pending } = memory.store;
  const session = sessions.insert({
    claude_session_id: "a",
    sdk_session_id: "sdk-a",
    project: "app",
    host: "api",
    cwd: null,
    now: someTime,
  });
  const payload = JSON.stringify({ type: "observation", tool_name: "Bash", tool_input: { command: "ls" } });
  const event = { session_id: session, kind: "observation" as const, event_key: "1", payload, now: someTime };
  pending.enqueue(rawEvents.insert(event) ?? 0, session, someTime);
}
