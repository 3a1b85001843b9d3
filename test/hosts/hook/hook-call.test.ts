// The words that a hook is called with.
import { expect, test } from "vitest";
import { parseHookCall } from "../../../src/hosts/hook/hook-call.ts";

test.each([
  ["claude-code post-tool-use", "claude-code", "post-tool-use", undefined],
  ["hook claude-code PostToolUse", "claude-code", "PostToolUse", undefined],
  ["hook post-tool-use --host claude-code", "claude-code", "post-tool-use", undefined],
  ["hook --host=claude-code stop", "claude-code", "stop", undefined],
  ["claude-code stop --failed=timeout", "claude-code", "stop", "timeout"],
])("`%s` names host and event", (line, host, event, failed) => {
  expect(parseHookCall(line.split(" "))).toEqual({ host, event, failed });
});

test.each([
  "",
  "hook",
  "claude-code",
  "hook stop",
  "hook stop --host",
  "a/b stop",
  "claude-code ../x",
  "a ?b",
])("`%s` names none", (line) => {
  expect(parseHookCall(line.split(" "))).toBeNull();
});
