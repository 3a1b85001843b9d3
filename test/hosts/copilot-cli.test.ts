// Copilot CLI's recorded payloads in both spellings as our events, and our answers in its envelope.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { copilotCli, copilotCliIntegration } from "../../src/hosts/copilot-cli.ts";
import type { Launcher } from "../../src/hosts/hook-command.ts";
import { hostOf } from "../../src/hosts/registry.ts";
import { recordedFiles, recordedPayload } from "./recorded.ts";
import { somePlace } from "./some-place.ts";

describe("a tool use", () => {
  const used = (fields: object) => copilotCli.decode("postToolUse", { sessionId: "s", ...fields });

  test.each(["failure", "denied", "rejected"])(
    "with the result %s failed, and wrote nothing",
    (resultType) => {
      const event = used({ toolName: "create", toolArgs: { path: "/w/a.ts" }, toolResult: { resultType } });
      expect(event).toMatchObject({ failed: true });
      expect(event).not.toHaveProperty("wrote");
    },
  );

  test("of our MCP server has the name that other hosts give it", () => {
    expect(used({ toolName: "mem-search", toolArgs: { query: "x" } })).toMatchObject({
      toolName: "mcp__mem__search",
    });
    expect(used({ toolName: "git-search" })).toMatchObject({ toolName: "git-search" });
  });

  test("of a sub-agent names it", () => {
    const event = used({ toolName: "bash", agentId: "a-1", agentType: "explore" });
    expect(event).toMatchObject({ agentId: "a-1", agentType: "explore" });
  });

  test("with arguments as a text is read like one with an object", () => {
    expect(used({ toolName: "bash", toolArgs: '{"command":"ls"}' })).toMatchObject({
      toolInput: { command: "ls" },
    });
  });

  test("that failed has its error as the response", () => {
    const event = copilotCli.decode("PostToolUseFailure", {
      session_id: "s",
      tool_name: "Bash",
      error: "no",
    });
    expect(event).toMatchObject({ failed: true, toolResponse: { error: "no" } });
  });
});

describe("the last message in a transcript", () => {
  const second = (at: number) => `2026-01-01T00:00:0${at}.000Z`;
  const line = (type: string, at: number, data: object, more: object = {}) =>
    JSON.stringify({ type, data, timestamp: second(at), ...more });
  const lastOf = (lines: string[], at: number | null = 5) =>
    copilotCli.transcripts?.lastMessage?.(lines.join("\n"), at === null ? null : Date.parse(second(at)));
  const asked = line("user.message", 1, { content: "go" });
  const said = line("assistant.message", 2, { content: "done" });
  const stopped = line("hook.start", 5, { hookType: "agentStop" });

  test("is the agent's newest one with a text", () => {
    const empty = line("assistant.message", 3, { content: "", toolRequests: [] });
    expect(lastOf(["half a line}", asked, said, empty, "not json", stopped, ""])).toBe("done");
  });

  test("is not one of a sub-agent, whose prompt ends no turn either", () => {
    const ofAgent = (type: string) => line(type, 3, { content: "sub" }, { agentId: "a-1" });
    expect(lastOf([asked, said, ofAgent("user.message"), ofAgent("assistant.message"), stopped])).toBe(
      "done",
    );
  });

  test("is none of an earlier turn, and none of a later one", () => {
    const later = line("assistant.message", 9, { content: "later" });
    expect(lastOf([said, asked, stopped])).toBe("");
    expect(lastOf([asked, stopped, later])).toBe("");
    expect(lastOf([asked, said, stopped, later])).toBe("done");
  });

  test("is not known before the host has written that far", () => {
    expect(lastOf([asked, said])).toBeNull();
    expect(lastOf([])).toBeNull();
    expect(lastOf([asked, said], null)).toBe("done");
  });

  test("of any text is looked for without an error", () => {
    expect(lastOf(["[]", "{}", '{"type":1,"data":[],"timestamp":[]}', "\u0000"])).toBeNull();
  });
});

describe("a payload that a hook of Claude Code brings", () => {
  test.each(["PostToolUse.Bash", "SessionStart.new", "Stop"])("is Copilot's: %s", (file) => {
    expect(hostOf("claude-code", recordedPayload("copilot-cli-pascalcase", file))?.name).toBe("copilot-cli");
  });

  test.each(["claude-code", "codex", "gemini-cli"])("is not one of %s", (host) => {
    for (const file of recordedFiles(host))
      expect(hostOf(host, recordedPayload(host, file))?.name).toBe(host);
  });
});

describe("the integration", () => {
  const filesWith = (launcher?: Launcher) =>
    copilotCliIntegration.files(somePlace("copilot-cli", ".copilot", launcher));

  test.each<[string, Launcher | undefined, string]>([
    ["a POSIX shell", undefined, '"bash": "set -- copilot-cli stop '],
    ["Windows", { node: "C:\\node.exe", bundle: "C:\\mem\\hook.cjs" }, '"powershell": "& '],
  ])("is a file of ours with hooks for %s, in PascalCase", (_name, launcher, command) => {
    const [hooks] = filesWith(launcher);
    expect(hooks).toMatchObject({ path: "/home/user/.copilot/hooks/mem.json", syntax: "own" });
    if (hooks?.syntax !== "own") return;
    const names = copilotCliIntegration.hooks.map(({ event }) => event);
    expect(Object.keys(JSON.parse(hooks.text).hooks)).toEqual([...names, "PermissionRequest"]);
    expect(hooks.text).toContain(command);
    expect(hooks.isOurs(hooks.text)).toBe(true);
  });

  test.each([
    ["mem/remember", {}, '{"behavior":"allow"}\n'],
    ["mem/review", { toolName: "bash" }, '{"behavior":"allow"}\n'],
    ["mem/search", {}, ""],
    ["git/remember", { toolName: "mem/remember", command: '"toolName":"mem/remember",' }, ""],
  ])("allows the writing tools of mem alone: %s with %j", (toolName, toolInput, answer) => {
    const [file] = filesWith();
    const [hook] = JSON.parse(file?.syntax === "own" ? file.text : "").hooks.PermissionRequest;
    const asked = {
      ...recordedPayload("copilot-cli-pascalcase", "PermissionRequest.bash"),
      toolName,
      toolInput,
    };
    expect(execFileSync("/bin/sh", ["-c", hook.bash], { input: JSON.stringify(asked) }).toString()).toBe(
      answer,
    );
    expect(new RegExp(`^(?:${hook.matcher})$`).test(toolName)).toBe(answer !== "");
  });

  test("takes no other file for ours", () => {
    const [hooks] = filesWith();
    const other = { version: 1, hooks: { Stop: [{ type: "command", bash: "true" }] } };
    for (const text of ["", "{}", "[]", "no json", JSON.stringify(other), '{"hooks":{"Stop":"x"}}']) {
      expect(hooks?.syntax === "own" && hooks.isOurs(text)).toBe(false);
    }
  });

  test("registers the MCP server with all its tools", () => {
    const [, servers] = filesWith();
    expect(servers).toMatchObject({
      path: "/home/user/.copilot/mcp-config.json",
      mcp: [{ path: ["mcpServers"], key: "mem", value: { type: "local", tools: ["*"], command: "/bin/sh" } }],
    });
  });
});
