// Events that hosts have alike: prompts that no user wrote, fields that are missing, files that a tool wrote.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readResult } from "../../src/core/tools/tool-result.ts";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import { hostOf } from "../../src/hosts/registry.ts";
import type { JsonObject } from "../../src/text/json.ts";
import { recordedPayload } from "./recorded.ts";

const ids = {
  session_id: "s1",
  sessionID: "s1",
  conversation_id: "s1",
  claudeSessionId: "s1",
  cwd: "/home/user/demo",
};

describe.each([
  ["claude-code", "UserPromptSubmit", "PostToolUse"],
  ["codex", "UserPromptSubmit", "PostToolUse"],
  ["gemini-cli", "BeforeAgent", "AfterTool"],
  ["copilot-cli", "UserPromptSubmit", "PostToolUse"],
  ["cursor", "beforeSubmitPrompt", "postToolUse"],
  ["opencode", "UserPromptSubmit", "PostToolUse"],
  ["openclaw", "init", "observations"],
  ["qwen-code", "UserPromptSubmit", "PostToolUse"],
])("on %s", (host, event, used) => {
  const decoded = (prompt: string) => hostOf(host, {})?.decode(event, { ...ids, prompt });

  test.each([
    ["a prompt without its text", event, ids, "missing_field"],
    ["a tool use without a name", used, { ...ids, tool_input: {} }, "missing_field"],
    ["an unknown name", "BrandNew", ids, "unknown_event"],
    ["no session", event, { prompt: "hello" }, undefined],
  ])("an event with %s is kept, and says so", (_what, name, payload, misread) => {
    const expected = { kind: "other", name, ...(misread === undefined ? {} : { misread }) };
    expect(hostOf(host, {})?.decode(name, payload)).toMatchObject(expected);
  });

  test("a compaction summary and a report are not prompts", () => {
    const summary =
      "This session is being continued from a previous conversation that ran out of context.\nAlways push.";
    for (const prompt of [summary, "<task-notification>\nAlways push.\n</task-notification>"])
      expect(decoded(prompt)).toMatchObject({ kind: "other", sessionId: "s1" });
  });

  test("a request is one, also behind what the host adds, and so is an image", () => {
    expect(decoded("fix it")).toMatchObject({ kind: "prompt", text: "fix it" });
    expect(decoded("<system-reminder>never</system-reminder>\nfix it")).toMatchObject({ kind: "prompt" });
    expect(decoded(" ")).toMatchObject({ kind: "prompt", text: "[image]" });
  });
});

test.each<[string, string, string, object, string[] | undefined]>([
  ["claude-code", "PostToolUse", "Edit", { file_path: "/w/a.ts" }, ["/w/a.ts"]],
  ["claude-code", "PostToolUse", "NotebookEdit", { notebook_path: "/w/a.ipynb" }, ["/w/a.ipynb"]],
  ["claude-code", "PostToolUse", "Read", { file_path: "/w/a.ts" }, undefined],
  ["claude-code", "PostToolUse", "Bash", { command: "rm a.ts" }, undefined],
  ["gemini-cli", "AfterTool", "write_file", { file_path: "/w/a.ts", content: "x" }, ["/w/a.ts"]],
  ["gemini-cli", "AfterTool", "replace", { file_path: "/w/a.ts", old_string: "a" }, ["/w/a.ts"]],
  ["gemini-cli", "AfterTool", "read_file", { file_path: "/w/a.ts" }, undefined],
  ["gemini-cli", "AfterTool", "run_shell_command", { command: "rm a.ts" }, undefined],
  ["copilot-cli", "postToolUse", "create", { path: "/w/a.ts", file_text: "x" }, ["/w/a.ts"]],
  ["copilot-cli", "postToolUse", "edit", { path: "/w/a.ts", old_str: "a" }, ["/w/a.ts"]],
  ["copilot-cli", "postToolUse", "str_replace_editor", { command: "view", path: "/w/a.ts" }, undefined],
  ["copilot-cli", "postToolUse", "str_replace_editor", { command: "create", path: "/w/a.ts" }, ["/w/a.ts"]],
  ["copilot-cli", "postToolUse", "view", { path: "/w/a.ts" }, undefined],
  ["qwen-code", "PostToolUse", "write_file", { file_path: "a.ts" }, ["/home/user/demo/a.ts"]],
  ["cursor", "postToolUse", "Write", { file_path: "/w/a.ts", content: "x" }, ["/w/a.ts"]],
  ["cursor", "postToolUse", "StrReplace", { path: "/w/a.ts" }, ["/w/a.ts"]],
  ["cursor", "postToolUse", "Delete", { path: "/w/a.ts" }, ["/w/a.ts"]],
  ["cursor", "postToolUse", "Read", { file_path: "/w/a.ts" }, undefined],
])("%s: %s of %s names the file that it wrote", (host, event, tool_name, tool_input, wrote) => {
  const used = { tool_name, tool_input, toolName: tool_name, toolArgs: tool_input };
  const decoded = hostOf(host, {})?.decode(event, { ...ids, ...used } as JsonObject);
  expect(decoded).toMatchObject({ kind: "tool_use" });
  expect(decoded?.kind === "tool_use" && decoded.wrote).toEqual(wrote);
});

const decodedPayloads: Record<string, Record<string, object>> = JSON.parse(
  readFileSync(new URL("../fixtures/host-events/decoded.json", import.meta.url), "utf8"),
);
const hostIn = (folder: string) => hostOf(folder.replace("-pascalcase", ""), {});

// A payload of Copilot in camelCase does not name its event: the launcher does.
function decodedFrom(folder: string, file: string): HostEvent {
  const event = hostIn(folder)?.decode(file.split(".")[0] ?? "", recordedPayload(folder, file));
  if (event === undefined) throw new Error(`no host ${folder}`);
  return event;
}

describe.each(Object.entries(decodedPayloads))("a payload that %s recorded", (folder, files) => {
  test.each(Object.entries(files))("%s is what it says it is", (file, expected) => {
    expect(decodedFrom(folder, file)).toMatchObject(expected);
  });
});

const context = "what was\nlearned";
const nested = (hookEventName: string) => ({
  systemMessage: "update mem",
  hookSpecificOutput: { hookEventName, additionalContext: context },
});

test.each<[string, string, object | null]>([
  ["claude-code", "SessionStart.startup", nested("SessionStart")],
  ["claude-code", "SessionStart.compact", nested("SessionStart")],
  ["claude-code", "SessionStart.resume", { systemMessage: "update mem" }],
  ["claude-code", "UserPromptSubmit", nested("UserPromptSubmit")],
  ["claude-code", "PreToolUse.Read", nested("PreToolUse")],
  ["claude-code", "PostToolUse.Bash", null],
  ["codex", "SessionStart.startup", nested("SessionStart")],
  ["codex", "SessionStart.compact", nested("SessionStart")],
  ["codex", "UserPromptSubmit", nested("UserPromptSubmit")],
  ["codex", "PreToolUse.Bash", nested("PreToolUse")],
  ["codex", "PostToolUse.Bash", null],
  ["gemini-cli", "SessionStart.resume", { systemMessage: "update mem" }],
  ["gemini-cli", "BeforeAgent", nested("BeforeAgent")],
  ["gemini-cli", "AfterTool.read_file", nested("AfterTool")],
  ["copilot-cli", "userPromptSubmitted", { additionalContext: context }],
  ["copilot-cli", "postToolUse.view", { additionalContext: context }],
  ["copilot-cli-pascalcase", "UserPromptSubmit", { additionalContext: context }],
  ["copilot-cli-pascalcase", "PostToolUse.Read", { additionalContext: context }],
])("an answer of %s to %s is one line in the host's envelope, or nothing", (folder, file, expected) => {
  const render = (text: string) =>
    hostIn(folder)?.render(decodedFrom(folder, file), { context: text, notice: "update mem" }) ?? "";
  const output = render(context);
  expect(output === "" ? null : JSON.parse(output)).toEqual(expected);
  expect(output).not.toContain("\n");
  // Above 10,000 characters Claude Code gives the model a file name, and Codex cuts.
  const most = folder === "claude-code" || folder === "codex" ? 10_000 : 61_000;
  expect(render("word ".repeat(20_000)).length).toBeLessThan(most);
});

describe("Qwen Code", () => {
  const ofQwen = (hook_event_name: string, fields: object) =>
    hostOf("qwen-code", {})?.decode(hook_event_name, { ...ids, prompt_id: "p########0", ...fields });

  test("has a prompt once: it comes again without text after each tool", () => {
    const prompt = { kind: "prompt", eventKey: "p########0" };
    expect(ofQwen("UserPromptSubmit", { prompt: "Look." })).toMatchObject(prompt);
    expect(ofQwen("UserPromptSubmit", { prompt: "" })).toMatchObject({ kind: "other" });
    expect(ofQwen("UserPromptSubmit", { prompt: "Count.", agent_id: "a" })).toMatchObject({ kind: "other" });
  });

  test("tells the exit code of a failed command in its error, and takes context there", () => {
    const error = "Command: exit 3\nDirectory: (root)\nOutput: bad\nError: (none)\nExit Code: 3";
    const command = { tool_name: "run_shell_command", tool_input: { command: "exit 3" } };
    const event = ofQwen("PostToolUseFailure", { ...command, tool_use_id: "toolu_1", error });
    if (event?.kind !== "tool_use") throw new Error("no tool use");
    expect(event).toMatchObject({ failed: true, eventKey: "toolu_1", about: { command: "exit 3" } });
    expect(readResult(event.toolResponse, true)).toMatchObject({ text: "bad", exitCode: 3 });
    const output = hostOf("qwen-code", {})?.render(event, { context: "known", notice: null }) ?? "";
    expect(JSON.parse(output).hookSpecificOutput.hookEventName).toBe("PostToolUseFailure");
  });
});
