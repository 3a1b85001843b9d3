// The MCP server put into a host's configuration and taken out again.
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { claudeCodeRecipe } from "../../src/hosts/claude-code.ts";
import {
  hasMcpServer,
  type McpServer,
  mcpFileOf,
  mcpServerOf,
  planMcpServer,
  planNoMcpServer,
} from "../../src/hosts/mcp-server.ts";
import type { InstallRecord } from "../../src/hosts/registration.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const file = "/home/user/.claude.json";
const server: McpServer = {
  type: "stdio",
  command: "/opt/node",
  args: ["/opt/mem/bin/mem.js", "mcp"],
  env: {},
};

function register(before: string | null, earlier?: InstallRecord, entry = server) {
  return planMcpServer({ host: "claude-code", file, before, server: entry, earlier });
}

function remove(before: string | null, earlier?: InstallRecord | null) {
  return planNoMcpServer({ host: "claude-code", file, before, earlier: earlier ?? undefined }).after;
}

function read(text: string | null) {
  return JSON.parse(text?.trim() || "{}");
}

const files: [string, string | null][] = [
  ["that does not exist", null],
  ["that is empty of settings", "{}"],
  ["that is empty", ""],
  ["on one line", '{"numStartups":3,"mcpServers":{"git":{"command":"git-mcp"}}}'],
  ["of tabs without a line feed at its end", '{\n\t"numStartups": 3\n}'],
  ["with carriage returns", '{\r\n  "numStartups": 3,\r\n  "mcpServers": {}\r\n}\r\n'],
  [
    "with numbers as they are",
    '{\n  "a": 1.0, "mcpServers": {\n    "x": {"env": {"A": "\\u00e9"}}\n  }\n}\n',
  ],
];

describe.each(files)("a configuration %s", (_what, before) => {
  test("has the server beside what it had, and is byte for byte the same after removing", () => {
    const { after, record } = register(before);
    const { mcpServers, ...rest } = read(after);
    const { mcpServers: had = {}, ...hadRest } = read(before);
    expect(rest).toEqual(hadRest);
    expect(mcpServers).toEqual({ ...had, mem: server });
    expect(hasMcpServer(file, before)).toBe(false);
    expect(hasMcpServer(file, after)).toBe(true);
    expect(remove(after, record)).toBe(before);
  });

  test("is not changed by registering once more, and takes a moved server in its place", () => {
    const first = register(before);
    expect(register(first.after, first.record ?? undefined)).toEqual(first);
    const moved = { ...server, args: ["/elsewhere/bin/mem.js", "mcp"] };
    const second = register(first.after, first.record ?? undefined, moved);
    expect(read(second.after).mcpServers.mem).toEqual(moved);
    expect(remove(second.after, second.record)).toBe(before);
  });

  test("loses the server and nothing else when the host has written to it since", () => {
    const { after, record } = register(before);
    const rewritten = JSON.stringify({ ...read(after), numStartups: 4 }, null, 2);
    expect(read(remove(rewritten, record))).toEqual({ ...read(before), numStartups: 4 });
  });
});

test("without a record the server is known by what it starts", () => {
  const text = '{"mcpServers":{"mem":{"command":"node","args":["/old/bin/mem.js","mcp"]},"x":{}}}';
  expect(remove(text)).toBe('{"mcpServers":{"x":{}}}');
  expect(read(register(text).after).mcpServers).toEqual({ x: {}, mem: server });
});

test("another server of our name is left alone, and named", () => {
  const text = '{"mcpServers":{"mem":{"command":"memcached-mcp","args":[]}}}';
  expect(() => register(text)).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(remove(text)).toBe(text);
  expect(hasMcpServer(file, text)).toBe(false);
});

test.each(["{", '{"mcpServers": []}', "[]", "nonsense"])("%j is left as it is", (text) => {
  expect(() => register(text)).toThrow(expect.objectContaining({ code: "host_settings_unreadable" }));
});

test("the file is in the home directory or in the host's configured folder", () => {
  const home = homedir();
  expect(mcpFileOf(claudeCodeRecipe, join(home, ".claude", "settings.json"))).toBe(
    join(home, ".claude.json"),
  );
  const folder = tempDir();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".claude.json"), "{}");
  expect(mcpFileOf(claudeCodeRecipe, join(folder, "settings.json"))).toBe(join(folder, ".claude.json"));
});

test("the server gets MEM_DATA_DIR unless it is the default", () => {
  expect(mcpServerOf(dataPaths("/somewhere/else")).env).toEqual({ MEM_DATA_DIR: "/somewhere/else" });
  expect(mcpServerOf(dataPaths(join(homedir(), ".mem"))).env).toEqual({});
});
