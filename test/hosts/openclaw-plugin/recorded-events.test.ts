// Every recorded event of the gateway, and exactly what the plugin posts of it.
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { userText } from "../../../src/hosts/openclaw-plugin/event-bodies.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { fakeWorker } from "../hook/fake-worker.ts";
import { gatewayDouble } from "./gateway-double.ts";

const versions = ["openclaw", "openclaw-2026.4.29"];
const now = 1_795_218_842_092;
const clock = { now: () => now, monotonicMs: () => 0 };
const session = { claudeSessionId: `openclaw-agent:main:probe-${now}`, cwd: "/home/user/demo" };
const runId = "00000000-0000-4000-8000-000000000042";
const observations = {
  ...session,
  tool_name: "exec",
  tool_failed: false,
  tool_use_id: "call_b8kglj6p95e",
  tool_input: {},
  tool_response: { output: "via-gateway", exitCode: 0, status: "completed" },
};

type Post = [event: string, body: object];
const posts: Record<string, Post[]> = {
  "openclaw/agent_end": [
    ["summarize", { ...session, last_assistant_message: "CLAW_GW", runId }],
    ["complete", { ...session, reason: "turn" }],
  ],
  "openclaw/before_prompt_build": [
    ["context", session],
    ["init", { ...session, prompt: "[[shell: echo via-gateway]][[final: CLAW_GW]]", runId }],
  ],
  "openclaw/gateway_start": [["session-start", {}]],
  "openclaw/tool_result_persist": [["observations", observations]],
  "openclaw/tool_result_persist.exec": [["observations", observations]],
  "openclaw-2026.4.29/before_agent_start": [
    ["init", { ...session, prompt: "[[shell: echo chat]][[final: CLAW_CHAT]]", runId: "k2" }],
  ],
  "openclaw-2026.4.29/gateway_start": [["session-start", {}]],
};

const files = versions.flatMap((version) =>
  readdirSync(new URL(`../../fixtures/host-events/${version}`, import.meta.url)).map(
    (file) => [version, file.replace(/\.json$/, "")] as const,
  ),
);

async function recordedGateway() {
  const dataDir = tempDir();
  const worker = await fakeWorker({ dataDir, over: "socket", does: "answer" });
  return { worker, gateway: gatewayDouble({ deps: { environment: { MEM_DATA_DIR: dataDir }, clock } }) };
}

test.each(files)("of %s, %s is posted as it should be, and changes nothing", async (version, file) => {
  const { worker, gateway } = await recordedGateway();
  const name = file.replace(/\..*/, "");
  expect(await gateway.emit(name, { version, file })).toBeUndefined();
  await gateway.settled();
  const posted = worker.requests.map(
    ({ path, body }): Post => [path.split("/").at(-1) ?? "", JSON.parse(body)],
  );
  const sorted = posted.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  const expected = posts[`${version}/${file}`] ?? [];
  expect(sorted.map(([event]) => event)).toEqual(expected.map(([event]) => event).toSorted());
  expect(sorted).toEqual(expected.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  expect(worker.requests.every(({ path }) => path.startsWith("/api/hooks/openclaw/"))).toBe(true);
});

test("arguments of a tool call come from the event before or after it", async () => {
  for (const name of ["before_tool_call", "after_tool_call"]) {
    const { worker, gateway } = await recordedGateway();
    expect(gateway.emit(name)).toBeUndefined();
    gateway.emit("tool_result_persist");
    await gateway.settled();
    expect(worker.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { ...observations, tool_input: { command: "echo via-gateway" }, runId },
    ]);
  }
});

test("a tool behind the gateway's catalog has its own name and arguments", async () => {
  const { worker, gateway } = await recordedGateway();
  for (const id of ["issues__create", "memory_search"]) {
    const params = { id, args: { title: "Login" } };
    gateway.emit("before_tool_call", { event: { toolName: "tool_call", params } });
    gateway.emit("tool_result_persist", { event: { toolName: "tool_call" } });
  }
  await gateway.settled();
  expect(worker.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { ...observations, tool_name: "issues__create", tool_input: { title: "Login" }, runId },
  ]);
});

describe("the text of a user", () => {
  const sender = 'Sender (untrusted metadata):\n```json\n{\n  "label": "cli"\n}\n```\n\n';
  const conversation = 'Conversation info (untrusted metadata):\n```json\n{ "id": "1" }\n```\n\n';
  const internal = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\n\n";
  test.each([
    ["plain", "Fix it", "Fix it"],
    ["with a sender and a time", `${sender}[Fri 2026-11-20 23:54 UTC] Fix it`, "Fix it"],
    ["with two blocks", `${conversation}${sender}Fix it\n\nand that`, "Fix it\n\nand that"],
    ["with the mark of later versions", "Sender: ⟦openclaw:ctx⟧\n```json\n{}\n```\nFix it", "Fix it"],
    ["with lines up to an empty one", "History: ⟦openclaw:ctx⟧\nann: hello\nbob: hi\n\nFix it", "Fix it"],
    ["in the envelope of a channel", "[Telegram Ann +2m Fri 2026-11-20 23:54 UTC] Fix it", "Fix it"],
    ["with the gateway's own context", `${internal}Fix it`, "Fix it"],
    ["of nothing but the gateway's own context", internal, ""],
    ["that quotes a log", "[2026-11-20 23:54:01] ERROR x", "[2026-11-20 23:54:01] ERROR x"],
    [
      "that speaks of metadata",
      "What is (untrusted metadata): good for?",
      "What is (untrusted metadata): good for?",
    ],
    ["with a block behind it", `Fix it\n\n${sender}`, `Fix it\n\n${sender}`.trim()],
  ])("%s", (_name, prompt, text) => {
    expect(userText(prompt)).toBe(text);
  });
});
