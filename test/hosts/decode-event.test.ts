// Prompts that a host, a hook or another agent wrote are no prompts of the user, on any host.
import { describe, expect, test } from "vitest";
import { hostOf } from "../../src/hosts/registry.ts";

const ids = {
  session_id: "s1",
  sessionID: "s1",
  conversation_id: "s1",
  claudeSessionId: "s1",
  cwd: "/home/user/demo",
};

describe.each([
  ["claude-code", "UserPromptSubmit"],
  ["codex", "UserPromptSubmit"],
  ["gemini-cli", "BeforeAgent"],
  ["copilot-cli", "UserPromptSubmit"],
  ["cursor", "beforeSubmitPrompt"],
  ["opencode", "UserPromptSubmit"],
  ["openclaw", "init"],
])("on %s", (host, event) => {
  const decoded = (prompt: string) => hostOf(host, {})?.decode(event, { ...ids, prompt });

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
