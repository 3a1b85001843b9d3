import { describe, expect, test } from "vitest";
import type { ClaimedMessage, PendingMessage } from "../../src/core/records/messages.ts";
import { coalesce, coalesced } from "../../src/generate/coalesce.ts";
import type { GenerationBatch } from "../../src/generate/provider.ts";

let ids = 0;

function use(
  tool_name: string,
  tool_input: PendingMessage["tool_input"],
  response: PendingMessage["tool_response"] = "",
  other: Partial<PendingMessage> = {},
): ClaimedMessage {
  ids += 1;
  const message: PendingMessage = { type: "observation", tool_name, ...other };
  if (tool_input !== undefined) message.tool_input = tool_input;
  message.tool_response = response;
  return { id: ids, session_id: 1, message, created_at_epoch: ids, attempts: 0, failures: 0 };
}

function read(path: string, content: string, other: Partial<PendingMessage> = {}): ClaimedMessage {
  return use("Read", { file_path: path }, { type: "text", file: { filePath: path, content } }, other);
}

function bash(command: string, stdout: string): ClaimedMessage {
  return use("Bash", { command }, { stdout, stderr: "", interrupted: false, isImage: false });
}

function sizes(messages: ClaimedMessage[]): number[] {
  return coalesce(messages).map((group) => group.ids.length);
}

describe("coalescing", () => {
  test("repeated reads of one file are one", () => {
    const messages = [read("/a.ts", "one"), bash("npm test", "1 failed"), read("/a.ts", "one")];
    const [group] = coalesce(messages);
    expect(group?.ids).toEqual([messages[0]?.id, messages[2]?.id]);
    expect(group?.shown).toMatchObject({
      id: messages[0]?.id,
      message: { tool_input: { file_path: "/a.ts", times: 2 }, tool_response: { file: { content: "one" } } },
    });
  });

  test.each([
    ["reads of two parts of a file", () => [read("/a.ts", "one"), read("/a.ts", "two")]],
    ["reads of two files with one content", () => [read("/a.ts", "one"), read("/b.ts", "one")]],
    ["a command that ends otherwise", () => [bash("npm test", "1 failed"), bash("npm test", "2 passed")]],
    ["two commands with one result", () => [bash("npm test", "ok"), bash("npm run lint", "ok")]],
    [
      "uses of a main agent and a sub-agent",
      () => [read("/a.ts", "one"), read("/a.ts", "one", { agent_id: "x" })],
    ],
    [
      "uses of two prompts",
      () => [read("/a.ts", "one", { prompt_number: 1 }), read("/a.ts", "one", { prompt_number: 2 })],
    ],
    ["two edits that are alike", () => [use("Edit", { file_path: "/a" }), use("Edit", { file_path: "/a" })]],
    [
      "tools whose answer has no text but says something",
      () => [use("mcp__x__get", { id: 1 }, { count: 3 }), use("mcp__x__get", { id: 2 }, { count: 4 })],
    ],
    [
      "failures without a word",
      () => [
        use("Bash", { command: "a" }, "", { tool_failed: true }),
        use("Bash", { command: "b" }, "", { tool_failed: true }),
      ],
    ],
    ["a listing that changes something", () => [bash("ls a | xargs rm", ""), bash("ls b > c", "x")]],
    [
      "summaries",
      () => [1, 2].map(() => ({ ...use("", undefined), message: { type: "summarize" as const } })),
    ],
  ])("%s stay apart", (_what, messages) => {
    expect(sizes(messages())).toEqual([1, 1]);
  });

  test("shows a repeated command once, unless a file changed in between", () => {
    const [group, ...more] = coalesce([
      bash("npm test", "1 failed"),
      bash("pwd", "/x"),
      bash("npm test", "1 failed"),
    ]);
    expect(more).toHaveLength(1);
    expect(group?.shown.message.tool_input).toEqual({ command: "npm test", times: 2 });
    const edit = use("Edit", { file_path: "/a.ts", old_string: "1", new_string: "2" }, "done");
    expect(sizes([bash("npm test", "1 failed"), edit, bash("npm test", "1 failed")])).toEqual([1, 1, 1]);
  });

  test("each message is in exactly one group, in order", () => {
    const messages = Array.from({ length: 60 }, (_, n) => {
      if (n % 11 === 10) return use("Edit", { file_path: `/${n % 4}` }, "ok");
      return n % 2 === 0 ? read(`/${n % 4}`, "x") : bash(`ls ${n % 3}`, "x");
    });
    const groups = coalesce(messages);
    expect(groups.flatMap((group) => group.ids).sort((a, b) => a - b)).toEqual(messages.map(({ id }) => id));
    expect(groups.map(({ shown, ids: [first] }) => shown.id === first)).not.toContain(false);
    expect(groups.length).toBeLessThan(messages.length);
  });

  test("what is said of one message is said of all that it stands for", async () => {
    const batch: GenerationBatch = {
      session: { id: 1, claude_session_id: "s", project: "p", user_prompt: "" },
      messages: [read("/a.ts", "one"), bash("npm test", "ok"), read("/a.ts", "one")],
      recentTitles: [],
    };
    const [first, second, third] = batch.messages.map(({ id }) => id);
    const seen: number[][] = [];
    const { observations } = await coalesced(batch, async ({ messages }) => {
      seen.push(messages.map(({ id }) => id));
      return {
        observations: [[first ?? 0, second ?? 0], [second ?? 0]].map((sources) => ({ ...draft, sources })),
      };
    });
    expect(seen).toEqual([[first, second]]);
    expect(observations.map(({ sources }) => sources)).toEqual([[first, third, second], [second]]);
  });
});

const draft = {
  obs_type: "discovery",
  title: "t",
  subtitle: null,
  summary: "s",
  narrative: null,
  facts: [],
  concepts: [],
  files_read: [],
  files_modified: [],
  provenance: "file" as const,
};
