// Claude Code's recorded payloads as our events, and our answers in its envelope.
import { describe, expect, test } from "vitest";
import { claudeCode } from "../../src/hosts/claude-code.ts";
import { spoolablePayload } from "../../src/hosts/hook/spoolable-payload.ts";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import { recordedFiles, recordedPayload } from "./recorded.ts";

const versions = ["claude-code", "claude-code-2.1.197"];
const recorded = (file: string, version = "claude-code") => recordedPayload(version, file);

function decoded(file: string, version?: string): HostEvent {
  return claudeCode.decode("as-registered", recorded(file, version));
}

describe("a recorded payload", () => {
  const all = versions.flatMap((version) => recordedFiles(version).map((file) => [version, file] as const));
  test.each(all)(
    "of %s, %s, keeps its session and is not lost as other without a reason",
    (version, file) => {
      const event = decoded(file, version);
      expect(event.sessionId).toBe(recorded(file, version).session_id);
      const unused = /task-notification|SubagentStop/.test(file);
      expect(event.kind === "other").toBe(unused);
    },
  );
});

describe("an event", () => {
  test("takes its name from the payload, even if the launcher names another one", () => {
    expect(claudeCode.decode("post-tool-use", recorded("Stop")).kind).toBe("turn_end");
  });

  test.each(["session-end", "SessionEnd"])(
    "without a name in its payload is what the launcher says: %s",
    (name) => {
      const { hook_event_name: _, ...payload } = recorded("SessionEnd.other");
      expect(claudeCode.decode(name, payload).kind).toBe("session_end");
    },
  );

  test("has the same key when it is delivered twice, and no two of a turn share one", () => {
    const files = ["UserPromptSubmit", "PostToolUse.Bash", "PostToolUse.Read", "Stop"];
    const keys = files.map((file) => decoded(file).eventKey);
    expect(keys).toEqual(files.map((file) => decoded(file).eventKey));
    expect(new Set(keys).size).toBe(files.length);
    expect(keys).not.toContain(null);
  });

  test.each([
    "UserPromptSubmit",
    "PostToolUse.Bash",
    "PostToolUse.Bash.in-subagent",
    "PostToolUseFailure.Bash",
    "Stop",
  ])("%s says which prompt it belongs to", (file) => {
    expect(decoded(file).promptKey).toBe(recorded(file).prompt_id);
    expect(decoded(file).promptKey).toEqual(expect.any(String));
  });

  test.each([
    ["private parts", "done <private>CANARY</private>"],
    ["a secret", `the token is ghp_${"a1B2".repeat(9)}`],
    ["more than the spool keeps", `HEAD${"long ".repeat(40_000)}<private>CANARY</private>TAIL`],
  ])("has the same key live and from the spool, with %s in it", (_name, lastMessage) => {
    const live = { ...recorded("Stop"), last_assistant_message: lastMessage };
    const spooled = spoolablePayload(JSON.stringify(live)) ?? {};
    expect(spooled.last_assistant_message).not.toBe(lastMessage);
    expect(claudeCode.decode("stop", spooled).eventKey).toBe(claudeCode.decode("stop", live).eventKey);
  });

  test("of a tool that failed names no file that it wrote", () => {
    const used = { session_id: "s", tool_name: "Edit", tool_input: { file_path: "/w/a.ts" } };
    expect(claudeCode.decode("PostToolUseFailure", used)).not.toHaveProperty("wrote");
  });

  test.each([
    ["a tool that works on no file", "PreToolUse", { tool_name: "Glob" }],
    ["a known name that memory does not need", "Notification", { message: "hi" }],
  ])("with %s is kept, and was not misread", (_what, name, fields) => {
    const event = claudeCode.decode(name, { session_id: "s", ...fields });
    expect(event).toMatchObject({ kind: "other", name });
    expect(event).not.toHaveProperty("misread");
  });
});

describe("an answer", () => {
  const context = "what was learned";
  const rendered = (file: string, answer: { context: string | null; notice: string | null }) =>
    claudeCode.render(decoded(file), answer);

  test("to Setup is the notice as plain text for standard error, and injects nothing", () => {
    expect(rendered("Setup.init", { context, notice: "update mem" })).toBe("update mem\n");
    expect(rendered("Setup.init", { context, notice: null })).toBe("");
    expect(rendered("Setup.init", { context, notice: "" })).toBe("");
  });

  test("is one line of JSON, so that the host reads it in one piece", () => {
    expect(rendered("SessionStart.startup", { context: "two\nlines", notice: null })).not.toContain("\n");
  });
});
