// What the OpenClaw plugin sends, as our events.
import { expect, test } from "vitest";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import { openclaw } from "../../src/hosts/openclaw.ts";
import type { JsonObject } from "../../src/text/json.ts";

const base = {
  claudeSessionId: "openclaw-agent:main:probe-1795218842092",
  cwd: "/home/user/demo",
  runId: "r1",
};

const bodies: [string, JsonObject, Partial<HostEvent>][] = [
  ["session-start", {}, { kind: "setup" }],
  ["init", { ...base, prompt: "Hi" }, { kind: "prompt", text: "Hi", eventKey: "r1", promptKey: "r1" }],
  ["init", { ...base, prompt: "Hi", project: "demo" }, { kind: "prompt", project: "demo" }],
  ["init", { ...base }, { kind: "other", name: "init", misread: "missing_field" }],
  ["init", { prompt: "Hi" }, { kind: "other", name: "init" }],
  ["context", { ...base }, { kind: "context", cwd: "/home/user/demo" }],
  [
    "observations",
    {
      ...base,
      tool_name: "exec",
      tool_input: { command: "ls" },
      tool_response: { output: "a" },
      tool_use_id: "c1",
    },
    { kind: "tool_use", toolName: "exec", eventKey: "c1", promptKey: "r1", failed: false },
  ],
  ["observations", { ...base, tool_name: "exec", tool_failed: true }, { kind: "tool_use", failed: true }],
  ["observations", { ...base }, { kind: "other", name: "observations" }],
  [
    "observations",
    { ...base, tool_name: "read", subagentId: "agent:main:subagent:1" },
    { kind: "tool_use", agentId: "agent:main:subagent:1" },
  ],
  [
    "summarize",
    { ...base, last_assistant_message: "Done" },
    { kind: "turn_end", lastAssistantMessage: "Done", eventKey: "stop:r1" },
  ],
  ["complete", { ...base, reason: "new" }, { kind: "session_end", reason: "new" }],
  ["something-new", { ...base }, { kind: "other", misread: "unknown_event" }],
];

test.each(bodies)("%s is what it says it is", (name, body, expected) => {
  expect(openclaw.decode(name, body)).toMatchObject(expected);
});

test("only a request for context, and a start with a notice, get an answer", () => {
  const answer = { context: "CONTEXT", notice: "NOTICE" };
  const answers = bodies.map(([name, body]) => openclaw.render(openclaw.decode(name, body), answer));
  expect(answers.filter((text) => text !== "")).toEqual(["NOTICE", "CONTEXT"]);
});
