// What doctor says of the MCP server and of context files in folders.
import { expect, test } from "vitest";
import { checkFolderFiles, checkMcp } from "../../../src/cli/checks/hooks.ts";

test("says whether the MCP server is registered, and how to do it", () => {
  const state = { host: "claude-code", file: "/x/.claude.json", plugin: null, outdated: false };
  expect(checkMcp([]).message).toContain("not registered");
  expect(checkMcp([{ ...state, enabled: true }]).message).toBe("registered in /x/.claude.json");
  expect(checkMcp([{ ...state, enabled: true, plugin: "agent-mem@here" }]).message).toBe(
    "from the plugin agent-mem@here",
  );
  expect(checkMcp([{ ...state, enabled: false }]).message).toContain("mem mcp enable");
  expect(checkMcp([{ ...state, enabled: true, outdated: true }])).toMatchObject({
    state: "warn",
    next: "mem repair",
  });
});

test("warns of context files that stayed when they were switched off", () => {
  const file = { path: "/x/CLAUDE.md", project: "x", written_at_epoch: 1, is: "there" as const };
  expect(checkFolderFiles(false, [file])).toMatchObject({ state: "warn", next: "mem folders remove" });
  expect(checkFolderFiles(true, [file])).toBeNull();
  expect(checkFolderFiles(false, [{ ...file, is: "gone" }])).toBeNull();
});
