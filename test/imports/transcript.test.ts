// Events of a transcript with values that no request may have.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ImportedEvent } from "../../src/core/records/imports.ts";
import { transcriptsAt } from "../../src/imports/find-transcripts.ts";
import { nestingExceeds } from "../../src/privacy/nesting.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a tool result that is nested 20,000 levels deep is imported without its depth", async () => {
  const folder = tempDir();
  const line = (type: string, uuid: string, second: number, rest: string) =>
    `{"type":"${type}","sessionId":"deep","cwd":"/home/user/demo","uuid":"${uuid}","timestamp":"2026-08-23T13:00:0${second}.100Z",${rest}}`;
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const use = '{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}';
  const result = '{"type":"tool_result","tool_use_id":"t1","content":"ok"}';
  const lines = [
    line("user", "a", 0, '"message":{"content":"Why does the login fail?"}'),
    line("assistant", "b", 1, `"message":{"id":"m","content":[${use}]}`),
    line("user", "c", 2, `"message":{"content":[${result}]},"toolUseResult":{"deep":${deep}}`),
  ];
  writeFileSync(join(folder, "deep.jsonl"), `${lines.join("\n")}\n`);
  const [source] = transcriptsAt("claude-code", folder, { now: Date.now(), limit: null });
  const events: ImportedEvent[] = [];
  for await (const step of source?.steps(null) ?? []) events.push(...step.events);
  expect(events.map(({ event }) => event)).toEqual(["UserPromptSubmit", "PostToolUse"]);
  expect(nestingExceeds(JSON.stringify(events), 64)).toBe(false);
});
