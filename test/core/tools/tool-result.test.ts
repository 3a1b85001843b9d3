// Every host's response comes to the same text, exit code and verdict.
import { expect, it } from "vitest";
import { readResult } from "../../../src/core/tools/tool-result.ts";
import type { Json } from "../../../src/text/json.ts";

const rows: [host: string, response: Json, text: string, exitCode: number | null, failed: boolean][] = [
  ["Claude Code", { stdout: "hi", stderr: "", interrupted: false }, "hi", null, false],
  ["Claude Code with both streams", { stdout: "out", stderr: "warn" }, "out\nwarn", null, false],
  ["Claude Code, failed", { error: "Exit code 3\noops" }, "oops", 3, true],
  [
    "Claude Code, refused",
    "<tool_use_error>File has not been read yet</tool_use_error>",
    "File has not been read yet",
    null,
    true,
  ],
  ["Claude Code, interrupted", { stdout: "a", interrupted: true }, "a", null, true],
  [
    "Claude Code with a reminder",
    { stdout: "a\n<system-reminder>never mind</system-reminder>" },
    "a",
    null,
    false,
  ],
  ["Codex", "hi-from-codex\n", "hi-from-codex", null, false],
  ["Codex exec", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno", "no", 1, true],
  [
    "Codex unified exec",
    "Chunk ID: a\nWall time: 2 seconds\nProcess exited with code 0\nOriginal token count: 4\nOutput:\nyes",
    "yes",
    0,
    false,
  ],
  [
    "Gemini",
    {
      llmContent: "<untrusted_context>\nOutput: hi\nProcess Group PGID: 11605\n</untrusted_context>",
      returnDisplay: "hi",
    },
    "hi",
    null,
    false,
  ],
  ["Gemini, failed", { llmContent: "Output: no\nExit Code: 2" }, "no", 2, true],
  [
    "Copilot",
    { resultType: "success", textResultForLlm: "hi\n<shellId: 0 completed with exit code 0>" },
    "hi",
    0,
    false,
  ],
  ["Copilot, PascalCase", { result_type: "failure", text_result_for_llm: "no" }, "no", null, true],
  ["OpenCode", { title: "x", metadata: { output: "hi\n", exit: 0 }, output: "hi\n" }, "hi", 0, false],
  [
    "OpenClaw",
    {
      content: [{ type: "text", text: "hi" }],
      details: { status: "completed", exitCode: 0 },
      isError: false,
    },
    "hi",
    0,
    false,
  ],
  [
    "MCP",
    [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    "a\nb",
    null,
    false,
  ],
  ["MCP, failed", { content: [{ type: "text", text: "no" }], isError: true }, "no", null, true],
  ["Cursor", '{"output":"hi","exitCode":0}', "hi", 0, false],
  ["a WebFetch, whose code is no exit code", { code: 200, result: "page" }, "page", null, false],
  ["nothing", null, "", null, false],
];

it.each(rows)("reads a response of %s", (_, response, text, exitCode, failed) => {
  expect(readResult(response, false)).toMatchObject({ text, exitCode, failed });
});

it("trusts the host that a tool failed, whatever the response", () => {
  expect(readResult({ stdout: "fine" }, true).failed).toBe(true);
});

it("keeps head and tail of a long text and marks it as cut", () => {
  const text = Array.from({ length: 5_000 }, (_, n) => `line ${n}`).join("\n");
  const result = readResult({ stdout: text }, false);
  expect(result.cut).toBe(true);
  expect(result.text.length).toBeLessThan(13_000);
  expect(result.text).toMatch(/^line 0\n/);
  expect(result.text).toMatch(/\nline 4999$/);
});

it("strips colors and control characters, keeps the letters of all languages", () => {
  const { text } = readResult("\u001b[31mrot\u001b[0m\u0007 \u202eabc\u200b Grüße 你好 👍\r\nnext", false);
  expect(text).toBe("rot abc Grüße 你好 👍\nnext");
});
