// Gemini CLI's recorded payloads as our events, and our answers in its envelope.
import { describe, expect, test } from "vitest";
import { geminiCli, geminiCliIntegration } from "../../src/hosts/gemini-cli.ts";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import { recordedPayload } from "./recorded.ts";
import { somePlace } from "./some-place.ts";

const recorded = (file: string) => recordedPayload("gemini-cli", file);
const decoded = (file: string): HostEvent => geminiCli.decode("as-registered", recorded(file));

describe("a recorded payload", () => {
  const note = "/home/user/demo/note.txt";
  const kinds: [string, Partial<HostEvent>][] = [
    ["SessionStart.startup", { kind: "session_start", source: "startup", cwd: "/home/user/demo" }],
    ["SessionStart.resume", { kind: "session_start", source: "resume" }],
    ["SessionStart.clear", { kind: "session_start", source: "clear" }],
    [
      "BeforeAgent",
      {
        kind: "prompt",
        text: "[[shell: echo hi-from-gemini]][[read: /home/user/demo/note.txt]][[final: GEM_ONE]]",
        eventKey: null,
        promptKey: null,
      },
    ],
    ["BeforeTool.read_file", { kind: "other", name: "BeforeTool" }],
    ["AfterTool.read_file", { kind: "tool_use", toolName: "read_file", toolInput: { file_path: note } }],
    ["AfterTool.run_shell_command", { kind: "tool_use", toolName: "run_shell_command", failed: false }],
    ["AfterAgent", { kind: "turn_end", lastAssistantMessage: "GEM_ONE" }],
    ["PreCompress.auto", { kind: "other", name: "PreCompress" }],
    ["PreCompress.manual", { kind: "before_compact" }],
    ["SessionEnd.exit", { kind: "session_end", reason: "exit" }],
    ["SessionEnd.clear", { kind: "session_end", reason: "clear" }],
  ];
  test.each(kinds)("%s is what it says it is", (file, expected) => {
    expect(decoded(file)).toMatchObject(expected);
  });
});

describe("a tool use", () => {
  const used = (fields: object) => geminiCli.decode("AfterTool", { session_id: "s", ...fields });

  test("is about the files that it names or prints, in its directory", () => {
    const about = (tool_name: string, tool_input: object) => used({ cwd: "/w", tool_name, tool_input });
    expect(about("read_file", { file_path: "src/a.ts" })).toMatchObject({
      about: { paths: ["/w/src/a.ts"] },
    });
    expect(about("run_shell_command", { command: "cat a.ts" })).toMatchObject({
      about: { command: "cat a.ts", paths: ["/w/a.ts"] },
    });
    expect(about("google_web_search", { query: "a" })).toMatchObject({ about: { command: null, paths: [] } });
  });

  test("with an error failed, and wrote nothing", () => {
    const failed = used({
      tool_name: "write_file",
      tool_input: { file_path: "/w/a.ts" },
      tool_response: { llmContent: "no such folder", error: { message: "no such folder" } },
    });
    expect(failed).toMatchObject({ failed: true });
    expect(failed).not.toHaveProperty("wrote");
  });

  test("of an MCP server has the name that other hosts give it", () => {
    const mcp_context = { server_name: "mem", tool_name: "search" };
    expect(used({ tool_name: "mcp_mem_search", mcp_context })).toMatchObject({
      toolName: "mcp__mem__search",
    });
  });
});

describe("an answer", () => {
  const context = "what was learned";
  const rendered = (file: string, notice: string | null = null) =>
    geminiCli.render(decoded(file), { context, notice });

  test.each([
    ["SessionStart.startup", "SessionStart"],
    ["SessionStart.clear", "SessionStart"],
    ["BeforeAgent", "BeforeAgent"],
    ["AfterTool.read_file", "AfterTool"],
  ])("to %s is nested under the name of the event", (file, hookEventName) => {
    expect(JSON.parse(rendered(file))).toEqual({
      hookSpecificOutput: { hookEventName, additionalContext: context },
    });
  });

  test("to a resumed session brings a notice but no context", () => {
    expect(JSON.parse(rendered("SessionStart.resume", "update mem"))).toEqual({
      systemMessage: "update mem",
    });
    expect(rendered("SessionStart.resume")).toBe("");
  });
});

describe("the integration", () => {
  const [file] = geminiCliIntegration.files(somePlace("gemini-cli", ".gemini"));

  test("puts hooks and the MCP server into one file, with timeouts in milliseconds", () => {
    expect(file).toMatchObject({ path: "/home/user/.gemini/settings.json", syntax: "json5" });
    const hooks = file?.syntax === "json5" ? file.hooks : [];
    expect(hooks).toHaveLength(6);
    // Without a name it shows the command on the screen.
    expect(JSON.stringify(hooks).match(/"name":"mem"/g)).toHaveLength(6);
    expect(JSON.stringify(hooks)).not.toContain('"timeout":60,');
    expect(hooks?.find(({ path }) => path.includes("PreCompress"))).toMatchObject({
      value: { matcher: "manual" },
    });
    expect(file?.syntax === "json5" && file.mcp).toMatchObject([{ path: ["mcpServers"], key: "mem" }]);
  });

  test("knows settings that turn hooks off", () => {
    expect(geminiCliIntegration.hooksOff?.({})).toBeNull();
    expect(geminiCliIntegration.hooksOff?.({ hooksConfig: { enabled: false } })).not.toBeNull();
  });
});
