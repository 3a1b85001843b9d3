// What doctor says of the MCP server and of context files in folders.
import { expect, test } from "vitest";
import { checkFolderFiles, checkMcp } from "../../../src/cli/checks/hooks.ts";
import { MemError } from "../../../src/core/errors.ts";
import type { McpState } from "../../../src/hosts/installer.ts";

test("says whether the MCP server is registered, and how to do it", () => {
  const check = (...states: McpState[]) => checkMcp({ states, failures: [] });
  const state = { host: "claude-code", file: "/x/.claude.json", plugin: null, outdated: false };
  expect(check().message).toContain("not registered");
  expect(check({ ...state, enabled: true }).message).toBe("registered in /x/.claude.json");
  expect(check({ ...state, enabled: true, plugin: "agent-mem@here" }).message).toBe(
    "from the plugin agent-mem@here",
  );
  expect(check({ ...state, enabled: false }).message).toContain("mem mcp enable");
  expect(check({ ...state, enabled: true, outdated: true })).toMatchObject({
    state: "warn",
    next: "mem repair",
  });
});

test("a file of MCP servers that cannot be read is a failure", () => {
  const failure = new MemError("host_settings_unreadable", {
    message: "Cursor: ~/.cursor/mcp.json is broken.",
  });
  expect(checkMcp({ states: [], failures: [failure] })).toMatchObject({
    state: "fail",
    message: "Cursor: ~/.cursor/mcp.json is broken.",
  });
});

test("warns of context files that stayed when they were switched off", () => {
  const file = { path: "/x/CLAUDE.md", project: "x", written_at_epoch: 1, is: "there" as const };
  expect(checkFolderFiles(false, [file])).toMatchObject({ state: "warn", next: "mem folders remove" });
  expect(checkFolderFiles(true, [file])).toBeNull();
  expect(checkFolderFiles(false, [{ ...file, is: "gone" }])).toBeNull();
});
