// Gemini CLI's recorded payloads as our events, and our answers in its envelope.
import { describe, expect, test } from "vitest";
import { geminiCli, geminiCliIntegration } from "../../src/hosts/gemini-cli.ts";
import { somePlace } from "./some-place.ts";

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
