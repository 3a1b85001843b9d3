// The plugin and a worker that is down, hung, slow, garbled, a stranger or gone: turns go on, and events are kept.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import plugin from "../../../src/hosts/openclaw-plugin/plugin.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { volume } from "../../helpers/volume.ts";
import { type Behaviour, fakeWorker } from "../hook/fake-worker.ts";
import { gatewayDouble, turn } from "./gateway-double.ts";

function spooled(dataDir: string): string[] {
  const folder = join(dataDir, "spool");
  if (!existsSync(folder)) return [];
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line).event);
}

/** A gateway whose data directory names a worker that behaves so. */
async function gatewayWith(given: Omit<Parameters<typeof fakeWorker>[0], "dataDir">, deps = {}) {
  const dataDir = tempDir();
  const worker = await fakeWorker({ dataDir, ...given });
  const gateway = gatewayDouble({ deps: { environment: { MEM_DATA_DIR: dataDir }, ...deps } });
  return { dataDir, worker, gateway };
}

const faults: Behaviour[] = ["hang", "reset", "drip", "silent-end", "garbage", "cut", 500, 503];

test.each(faults)("a worker that does this spools the turn: %s", async (does) => {
  const { dataDir, gateway } = await gatewayWith({ over: "socket", does });
  expect(await turn(gateway)).toBeUndefined();
  await gateway.settled();
  expect(spooled(dataDir).toSorted()).toEqual(["complete", "init", "observations", "summarize"]);
  expect(gateway.warnings).toHaveLength(1);
});

test("a hung worker is asked once, and not again for 10 s", async () => {
  let ms = 0;
  const clock = { now: () => 1_795_000_000_000 + ms, monotonicMs: () => ms };
  const { worker, gateway } = await gatewayWith({ over: "socket", does: "hang" }, { clock });
  gateway.emit("tool_result_persist");
  await gateway.settled();
  const asked = worker.requests.length;
  expect(await turn(gateway)).toBeUndefined();
  await gateway.settled();
  expect([asked, worker.requests.length]).toEqual([1, 1]);
  ms = 10_001;
  gateway.emit("tool_result_persist");
  await gateway.settled();
  expect(worker.requests).toHaveLength(2);
});

test("tool results wait once for a worker that stays hung", async () => {
  let ms = 0;
  const clock = { now: () => 1_795_000_000_000 + ms, monotonicMs: () => ms };
  const { worker, gateway } = await gatewayWith({ over: "socket", does: "hang" }, { clock });
  const result = { content: [{ type: "text", text: "pushed" }] };
  for (const toolCallId of ["call_1", "call_2", "call_3"]) {
    const event = { toolCallId, toolName: "exec", args: { command: "git push" }, result };
    expect(await gateway.raw("agent_tool_result", event, {})).toBeUndefined();
    ms += 10_001;
  }
  expect(worker.requests).toHaveLength(1);
  gateway.emit("tool_result_persist");
  await gateway.settled();
  expect(worker.requests).toHaveLength(2);
});

test("an event that the worker refuses is dropped, and counted", async () => {
  const { dataDir, gateway } = await gatewayWith({ over: "socket", does: 400 });
  gateway.emit("tool_result_persist");
  await gateway.settled();
  expect(spooled(dataDir)).toEqual([]);
  expect(await gateway.command("mem_status")).toContain("1 dropped");
});

test("a stranger at the announced port gets no event", async () => {
  const { dataDir, gateway, worker: stranger } = await gatewayWith({ over: "port", does: "answer" });
  await turn(gateway);
  await gateway.settled();
  expect(stranger.requests).toEqual([]);
  expect(stranger.received()).not.toContain("via-gateway");
  expect(spooled(dataDir)).toHaveLength(4);
});

test("without a data directory nothing is made, and the turn goes on", async () => {
  const dataDir = join(tempDir(), "never-used");
  const gateway = gatewayDouble({ deps: { environment: { MEM_DATA_DIR: dataDir } } });
  await turn(gateway);
  await gateway.settled();
  expect(existsSync(dataDir)).toBe(false);
  expect(await gateway.command("mem_status")).toContain("no worker runs");
});

describe("workerPort", () => {
  test("names a worker elsewhere", async () => {
    const elsewhere = await fakeWorker({
      dataDir: tempDir(),
      over: "port",
      does: "answer",
      answer: "CONTEXT",
    });
    const gateway = gatewayDouble({
      settings: { workerPort: elsewhere.port },
      deps: { environment: { MEM_DATA_DIR: tempDir() } },
    });
    expect(await turn(gateway)).toEqual({ appendSystemContext: "CONTEXT" });
    await gateway.settled();
    expect(elsewhere.requests).toHaveLength(5);
  });

  test("that the data directory announces too is believed only with its proof", async () => {
    const dataDir = tempDir();
    const { port } = await fakeWorker({ dataDir, over: "port", does: "answer", answer: "CONTEXT" });
    const gateway = gatewayDouble({
      settings: { workerPort: port },
      deps: { environment: { MEM_DATA_DIR: dataDir } },
    });
    expect(await turn(gateway)).toBeUndefined();
  });
});

test("broken events of every kind are survived", async () => {
  const { gateway } = await gatewayWith({ over: "socket", does: "answer" });
  const broken = [undefined, null, 1, "x", [], {}, { messages: 1, message: [], params: "", prompt: {} }];
  for (const name of gateway.events()) {
    for (const event of broken) {
      for (const context of broken) await gateway.raw(name, event, context);
    }
  }
  await gateway.settled();
  expect(await gateway.command("mem_status")).toContain("0 dropped");
});

test("thousands of sessions, runs and tool calls leave the last ones only", async () => {
  const { gateway } = await gatewayWith({ over: "socket", does: "answer" });
  for (let n = 0; n < volume(3_000, 1_100); n++) {
    const ctx = { sessionKey: `agent:main:${n}`, runId: `run-${n}`, toolCallId: `call-${n}` };
    gateway.emit("before_tool_call", { event: { toolCallId: `call-${n}` }, ctx });
    gateway.emit("before_agent_start", { version: "openclaw-2026.4.29", event: { runId: `run-${n}` }, ctx });
  }
  expect(await gateway.command("mem_status")).toContain("1000 sessions");
  await gateway.settled();
});

test("copies of the plugin that a gateway loads share their state", async () => {
  const dataDir = tempDir();
  await fakeWorker({ dataDir, over: "socket", does: "answer" });
  const [first, second] = ["full", "discovery"].map((registrationMode) =>
    gatewayDouble({
      settings: { dataDir },
      registrationMode,
      register: (gateway) => plugin.register(gateway),
    }),
  );
  second?.emit("tool_result_persist");
  await expect.poll(() => first?.command("mem_status")).toContain("1 sent, 0 waiting");
});
