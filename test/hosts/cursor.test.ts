// Cursor's documented payloads as our events, and our answers in its envelope. Never recorded: it needs an account.
import { describe, expect, test } from "vitest";
import { cursor, cursorIntegration } from "../../src/hosts/cursor.ts";
import { hostOf } from "../../src/hosts/registry.ts";
import type { JsonObject } from "../../src/text/json.ts";
import { somePlace } from "./some-place.ts";

const common = {
  conversation_id: "c-1",
  generation_id: "g-1",
  model: "some-model",
  cursor_version: "2026.08.11",
  workspace_roots: ["/home/user/demo"],
  user_email: "user@example.com",
  transcript_path: null,
};

const shell = {
  tool_name: "Shell",
  tool_input: { command: "npm test", working_directory: "/home/user/demo" },
  tool_use_id: "t-1",
  cwd: "/home/user/demo",
  duration: 5,
};

const decoded = (hook_event_name: string, fields: JsonObject = {}) =>
  cursor.decode("as-registered", { ...common, hook_event_name, ...fields });

describe("a payload", () => {
  test.each<[string, JsonObject, object]>([
    [
      "sessionStart",
      { session_id: "c-1" },
      { kind: "session_start", source: "startup", cwd: "/home/user/demo" },
    ],
    [
      "beforeSubmitPrompt",
      { prompt: "go", attachments: [] },
      { kind: "prompt", text: "go", eventKey: "g-1" },
    ],
    [
      "postToolUse",
      { ...shell, tool_output: '{"exitCode":0,"stdout":"ok"}' },
      { kind: "tool_use", toolName: "Shell", eventKey: "t-1", toolResponse: { exitCode: 0, stdout: "ok" } },
    ],
    [
      "postToolUse",
      { ...shell, tool_output: "plain" },
      { kind: "tool_use", toolResponse: "plain", failed: false },
    ],
    [
      "postToolUseFailure",
      { ...shell, error_message: "exit 1", failure_type: "error", is_interrupt: false },
      { kind: "tool_use", failed: true, toolResponse: { error: "exit 1", failure_type: "error" } },
    ],
    ["afterAgentResponse", { text: "done" }, { kind: "agent_message", text: "done" }],
    ["stop", { status: "completed", loop_count: 0 }, { kind: "turn_end", eventKey: "stop:g-1" }],
    ["preCompact", { trigger: "auto" }, { kind: "before_compact" }],
    ["sessionEnd", { reason: "completed" }, { kind: "session_end", reason: "completed" }],
    // Each reports what postToolUse reports.
    ["afterShellExecution", { command: "npm test", output: "ok" }, { kind: "other" }],
    ["afterMCPExecution", { tool_name: "search", result_json: "{}" }, { kind: "other" }],
    ["afterFileEdit", { file_path: "/w/a.ts", edits: [] }, { kind: "other" }],
    ["subagentStop", { subagent_type: "explore", status: "completed" }, { kind: "other" }],
  ])("of %s %j is what it says it is", (name, fields, expected) => {
    expect(decoded(name, fields)).toMatchObject({ sessionId: "c-1", promptKey: "g-1", ...expected });
    expect(decoded(name, fields)).not.toHaveProperty("misread");
  });

  test("has its directory from the workspace when its own is empty", () => {
    expect(decoded("postToolUse", { ...shell, cwd: "" }).cwd).toBe("/home/user/demo");
    expect(decoded("postToolUse", { ...shell, cwd: "/elsewhere" }).cwd).toBe("/elsewhere");
  });

  test("of our MCP tool has the name that other hosts give it; of another server its own", () => {
    const named = (tool_output: string) =>
      decoded("postToolUse", { ...shell, tool_name: "MCP:search", tool_output });
    expect(named("<mem-context-1a>\nfound\n</mem-context-1a>")).toMatchObject({
      toolName: "mcp__mem__search",
    });
    expect(named("found")).toMatchObject({ toolName: "MCP:search" });
  });
});

describe("a payload that Claude Code's hook brings", () => {
  test("is Cursor's when it names a version of Cursor", () => {
    expect(hostOf("claude-code", { ...common, hook_event_name: "stop" })?.name).toBe("cursor");
    expect(hostOf("claude-code", { session_id: "s", hook_event_name: "Stop" })?.name).toBe("claude-code");
    expect(hostOf("cursor", { conversation_id: "c-1" })?.name).toBe("cursor");
    expect(hostOf("unknown", { session_id: "s" })).toBeUndefined();
  });

  test("has the same session and key as from Cursor's own hook", () => {
    const { sessionId, eventKey } = decoded("postToolUse", shell);
    const twin = cursor.decode("post-tool-use", { ...common, hook_event_name: "postToolUse", ...shell });
    expect([twin.sessionId, twin.eventKey]).toEqual([sessionId, eventKey]);
  });
});

describe("an answer", () => {
  const context = "what was learned";

  test.each<[string, JsonObject]>([
    ["sessionStart", {}],
    ["beforeSubmitPrompt", { prompt: "go" }],
    ["postToolUse", shell],
    ["postToolUseFailure", shell],
  ])("to %s is only the additional context", (name, fields) => {
    const text = cursor.render(decoded(name, fields), { context, notice: "update mem" });
    expect(JSON.parse(text)).toEqual({ additional_context: context });
    expect(cursor.render(decoded(name, fields), { context: null, notice: "update mem" })).toBe("");
  });

  test.each(["stop", "afterAgentResponse", "preToolUse", "beforeShellExecution", "preCompact", "sessionEnd"])(
    "to %s is nothing, whatever there is to say",
    (name) =>
      expect(cursor.render(decoded(name, { text: "done" }), { context, notice: "update mem" })).toBe(""),
  );

  test("stays below the length that arrives whole", () => {
    const answer = { context: "word ".repeat(5_000), notice: null };
    const { additional_context } = JSON.parse(cursor.render(decoded("sessionStart"), answer));
    expect(additional_context.length).toBeLessThanOrEqual(9_800);
  });
});

describe("the integration", () => {
  const [hooks, servers] = cursorIntegration.files(somePlace("cursor", ".cursor"));

  test("is a flat list of commands per event, beside the version that the file needs", () => {
    const [version, ...entries] = (hooks?.syntax === "json5" ? hooks.hooks : undefined) ?? [];
    expect(version).toMatchObject({ path: [], key: "version", value: 1, shared: true });
    expect(entries.map(({ path }) => path)).toEqual(
      cursorIntegration.hooks.map(({ event }) => ["hooks", event]),
    );
    for (const { value, isOurs } of entries) expect(isOurs(value)).toBe(true);
    expect(entries[0]?.isOurs({ command: "true" })).toBe(false);
    expect(servers).toMatchObject({ path: "/home/user/.cursor/mcp.json", mcp: [{ key: "mem" }] });
  });
});
