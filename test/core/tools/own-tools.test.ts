import { expect, test } from "vitest";
import { tools } from "../../../src/cli/mcp/tools.ts";
import { isOwnTool, withoutOwnAnswers } from "../../../src/core/tools/own-tools.ts";
import { mcpServerName } from "../../../src/hosts/integration.ts";

test("recognizes the tools of our server under the names of all hosts", () => {
  for (const { name } of tools) {
    expect(isOwnTool(`mcp__${mcpServerName}__${name}`), name).toBe(true);
    expect(isOwnTool(`${mcpServerName}__${name}`), name).toBe(true);
    expect(isOwnTool(`mcp__plugin_agent-mem_${mcpServerName}__${name}`), name).toBe(true);
  }
});

test.each(["search", "mcp__memory__search", "mcp__git__mem__search", "mcp__mem__write", "mcp__memsearch"])(
  "%s is not",
  (name) => {
    expect(isOwnTool(name)).toBe(false);
  },
);

const port = 37_777;
const output = { stdout: "#12 The quota is 50", stderr: "", interrupted: false, exitCode: 0 };
const use = (command: string) => ({ tool_name: "Bash", tool_input: { command }, tool_response: output });

test.each([
  "mem search quota",
  "mem show 12 --json | jq .title",
  "cd /home/user/shop && mem search 'the quota' | head -20",
  "mem timeline 12; mem show S3",
  "MEM_DATA_DIR=/tmp/x timeout 5 /usr/local/bin/mem --json search quota 2>/dev/null",
  "node '/opt/agent mem/bin/mem.js' search quota",
  "npx -y agent-mem search quota | grep -i quota | sort",
  "bash -lc 'mem search quota'",
  "for id in 1 2; do mem show $id; done",
  "echo 12 | xargs mem show",
  'echo "$(mem search quota)"',
  'found=$(mem search quota); echo "$found"',
  "sqlite3 ~/.mem/mem.db 'select title from observations'",
  `curl -s "http://127.0.0.1:${port}/api/search?query=quota" | jq .`,
  `curl -s --unix-socket /home/user/.mem/worker.sock http://x/api/search`,
  `python3 -c "import urllib.request as u; print(u.urlopen('http://localhost:${port}/api/search?query=a').read())"`,
])("a command that only reads our memory is not remembered: %s", (command) => {
  expect(withoutOwnAnswers(use(command), port)).toBeNull();
  const list = { tool_name: "shell", tool_input: { command: ["bash", "-lc", command] }, tool_response: "x" };
  expect(withoutOwnAnswers(list, port)).toBeNull();
});

test("drops a fetch of the worker's own address", () => {
  const url = `http://localhost:${port}/api/search?query=quota`;
  expect(
    withoutOwnAnswers({ tool_name: "WebFetch", tool_input: { url }, tool_response: "x" }, port),
  ).toBeNull();
});

test.each([
  ["git commit -qm 'Raise the quota' && mem search quota", 'git commit -qm "Raise the quota"'],
  ["mem search quota | head; cd api && npm test", "cd api && npm test"],
  ["mem search quota > notes.md", "mem search quota > notes.md"],
  ["mem search quota | tee notes.md", "tee notes.md"],
  ['git commit -m "$(mem show 12)"', 'git commit -m "$(mem show 12)"'],
  ["found=$(mem show 12); git tag v1", "git tag v1"],
  ["mem search '<private>' && deploy hunter2 && mem show '</private>' && npm test", "npm test"],
])("of %s what it did is remembered, without any output", (command, left) => {
  expect(withoutOwnAnswers(use(command), port)).toEqual({
    tool_name: "Bash",
    tool_input: { command: left },
    tool_response: { stdout: "", stderr: "", interrupted: false, exitCode: 0 },
  });
});

test.each([
  "git commit -m 'document mem search'",
  "grep -rn 'mem search' README.md",
  "mem install claude-code",
  "cat mem/search.ts",
  "free -m; cat /proc/meminfo",
  "curl -s http://localhost:3000/api/search?query=quota",
  `curl -s http://localhost:${port}0/api/search`,
  "npm run mem -- search",
  "node mem.js",
])("%s is remembered as it is", (command) => {
  const given = use(command);
  expect(withoutOwnAnswers(given, port)).toBe(given);
});

test("a patch that Codex sends as a command is no command, whatever its lines are", () => {
  const command =
    "*** Begin Patch\n*** Update File: notes.md\n@@\n mem search quota\n+mem show 12\n*** End Patch";
  const given = { ...use(command), tool_name: "apply_patch" };
  expect(withoutOwnAnswers(given, port)).toBe(given);
});
