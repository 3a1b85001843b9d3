import { expect, test } from "vitest";
import { isOwnTool } from "../../src/capture/own-tools.ts";
import { mcpServerName } from "../../src/hosts/mcp-server.ts";
import { tools } from "../../src/mcp/tools.ts";

test("every tool of our server is our own, however a host came by the server", () => {
  for (const { name } of tools) {
    expect(isOwnTool(`mcp__${mcpServerName}__${name}`), name).toBe(true);
    expect(isOwnTool(`mcp__plugin_agent-mem_${mcpServerName}__${name}`), name).toBe(true);
  }
});

test.each(["search", "mcp__memory__search", "mcp__git__mem__search", "mcp__mem__write", "mcp__memsearch"])(
  "%s is not",
  (name) => {
    expect(isOwnTool(name)).toBe(false);
  },
);
