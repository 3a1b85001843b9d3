// `mem mcp enable|disable|status` and the worker's switch, over the same file.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { calledMem, type Mem, memsOfOneWorker, servedMem } from "./mem.ts";

const homeWithWorker = memsOfOneWorker();

function configOf(mem: Mem): string {
  return join(mem.home.env.HOME ?? "", ".claude.json");
}

function serversIn(file: string): Record<string, { command: string; args: string[]; env: object }> {
  return JSON.parse(readFileSync(file, "utf8")).mcpServers ?? {};
}

async function ask(mem: Mem, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const port = readWorkerAddress(mem.home.dataDir)?.port;
  const headers = { "content-type": "application/json" };
  const post = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${port}/api/mcp/${path}`, post);
  return { status: answer.status, body: await answer.json() };
}

test("install registers the MCP server for the same memory, uninstall removes it", async () => {
  const mem = homeWithWorker();
  const text = '{\n  "numStartups": 7, "projects": {"/a": {"history": []}}\n}';
  writeFileSync(configOf(mem), text, { mode: 0o600 });
  const installed = await mem("install", "claude-code");
  expect(installed.stdout).toContain("the MCP server mem registered in ~/.claude.json");
  const { mem: server } = serversIn(configOf(mem));
  expect(server).toMatchObject({ command: "/bin/sh", env: { MEM_DATA_DIR: mem.home.dataDir } });
  expect(existsSync(server?.args[0] ?? "")).toBe(true);
  expect(statSync(configOf(mem)).mode & 0o777).toBe(0o600);
  const again = await mem("install", "claude-code", "--json");
  expect(JSON.parse(again.stdout).items).toMatchObject([
    { changed: false, files: [{ hooks: 9 }, { mcp: true }] },
  ]);
  const removed = await mem("uninstall", "claude-code");
  expect(removed.stdout).toContain("restored ~/.claude.json\n");
  expect(readFileSync(configOf(mem), "utf8")).toBe(text);
});

test("what the host wrote meanwhile stays when the server goes", async () => {
  const mem = homeWithWorker();
  await mem("install", "claude-code");
  const config = JSON.parse(readFileSync(configOf(mem), "utf8"));
  config.mcpServers.git = { command: "git-mcp" };
  writeFileSync(configOf(mem), JSON.stringify({ ...config, numStartups: 1 }));
  await mem("uninstall", "claude-code");
  expect(JSON.parse(readFileSync(configOf(mem), "utf8"))).toEqual({
    mcpServers: { git: { command: "git-mcp" } },
    numStartups: 1,
  });
});

test("installs the hooks although the configuration refuses the server, and fails", async () => {
  for (const text of ['{"mcpServers":{"mem":{"command":"other"}}}', "{ broken"]) {
    const mem = homeWithWorker();
    writeFileSync(configOf(mem), text);
    const { code, stdout, stderr } = await mem("install", "claude-code");
    expect(code).toBe(65);
    expect(stdout).toContain("installed, without the MCP server.");
    expect(stdout).toContain("9 hooks registered");
    expect(stderr).toMatch(/has another mem in mcpServers|was not changed/);
    expect(readFileSync(configOf(mem), "utf8")).toBe(text);
  }
});

test("--no-mcp leaves the server out, and --print shows it", async () => {
  const mem = homeWithWorker();
  expect((await mem("install", "claude-code", "--print")).stdout).toContain("# ~/.claude.json\n");
  expect((await mem("install", "claude-code", "--print", "--no-mcp")).stdout).not.toContain("mcpServers");
  await mem("install", "claude-code", "--no-mcp");
  expect(existsSync(configOf(mem))).toBe(false);
});

test("writes the server to the host's configured folder", async () => {
  const folder = tempDir();
  const mem = homeWithWorker({ CLAUDE_CONFIG_DIR: folder });
  await mem("install", "claude-code");
  expect(Object.keys(serversIn(join(folder, ".claude.json")))).toEqual(["mem"]);
  expect(existsSync(configOf(mem))).toBe(false);
  await mem("uninstall", "claude-code");
  expect(existsSync(join(folder, ".claude.json"))).toBe(false);
});

test("the command line and the worker switch it for the installed hosts alike", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  expect((await ask(mem, "status")).body).toEqual({ enabled: false });
  await mem("install", "claude-code");
  expect((await ask(mem, "status")).body).toEqual({ enabled: true });
  expect((await ask(mem, "toggle", { enabled: false })).body).toEqual({ success: true, enabled: false });
  expect(existsSync(configOf(mem))).toBe(false);
  expect((await mem("mcp", "status")).stdout).toBe("claude-code: off (~/.claude.json)\n");
  expect((await mem("mcp", "enable")).stdout.replaceAll("\n", " ")).toContain(
    "Start a new claude-code session to use it.",
  );
  expect((await ask(mem, "status")).body).toEqual({ enabled: true });
  expect((await mem("mcp", "disable")).code).toBe(0);
  expect((await ask(mem, "toggle", { enabled: true })).body).toEqual({ success: true, enabled: true });
  expect(Object.keys(serversIn(configOf(mem)))).toEqual(["mem"]);
  expect((await mem("mcp", "enable")).stdout).toContain("already has the MCP server");
  expect(JSON.parse((await mem("mcp", "status", "--json")).stdout)).toMatchObject({ enabled: true });
});

test("a switch without an installed host is kept, and install follows it", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  for (const enabled of [true, false]) {
    expect(await ask(mem, "toggle", { enabled })).toEqual({ status: 200, body: { success: true, enabled } });
    expect((await ask(mem, "status")).body).toEqual({ enabled });
    expect(JSON.parse((await mem("mcp", "status", "--json")).stdout)).toEqual({ enabled, items: [] });
    await mem("worker", "restart");
    expect((await ask(mem, "status")).body).toEqual({ enabled });
    await mem("install", "claude-code", "--print");
    const { stderr } = await mem("install", "claude-code");
    expect((await ask(mem, "status")).body).toEqual({ enabled });
    expect(existsSync(configOf(mem))).toBe(enabled);
    expect(stderr.includes("mem mcp enable claude-code")).toBe(!enabled);
    await mem("uninstall", "claude-code");
    expect((await ask(mem, "status")).body).toEqual({ enabled: false });
  }
  await mem("install", "claude-code");
  expect((await ask(mem, "status")).body).toEqual({ enabled: true });
});

test("`mem mcp disable` takes back a switch that waits for a host", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  await ask(mem, "toggle", { enabled: true });
  await mem("mcp", "disable");
  expect((await ask(mem, "status")).body).toEqual({ enabled: false });
});

test("enable without an installed host names install; a named host needs no hooks", async () => {
  const mem = homeWithWorker();
  const none = await mem("mcp", "enable");
  expect(none.code).toBe(65);
  expect(none.stderr).toContain("mem install");
  expect((await mem("mcp", "status")).stdout).toContain("not installed in any host agent");
  expect((await mem("mcp", "enable", "claude-code")).code).toBe(0);
  expect((await mem("mcp", "status", "claude-code")).stdout).toContain("claude-code: on");
  expect((await mem("mcp", "disable", "claude-code")).code).toBe(0);
  expect(existsSync(configOf(mem))).toBe(false);
  expect((await mem("mcp", "enable", "vim")).code).toBe(64);
});

test("a server of the plugin is not registered twice, and not reported as removed", async () => {
  const mem = calledMem();
  const folder = join(mem.home.env.HOME ?? "", ".claude");
  mkdirSync(folder);
  writeFileSync(join(folder, "settings.json"), '{"enabledPlugins":{"agent-mem@here":true}}');
  expect((await mem("mcp", "status")).stdout).toBe("claude-code: on (from the plugin agent-mem@here)\n");
  const enabled = await mem("mcp", "enable");
  expect([enabled.code, enabled.stdout]).toEqual([
    0,
    expect.stringContaining("already provides the MCP server"),
  ]);
  expect(existsSync(configOf(mem))).toBe(false);
  const disabled = await mem("mcp", "disable", "claude-code");
  expect(disabled.stdout.replaceAll("\n", " ")).toContain("claude plugin disable agent-mem@here");
  expect(JSON.parse((await mem("mcp", "disable", "--json")).stdout)).toMatchObject({ enabled: true });
  await mem("install", "claude-code");
  expect(existsSync(configOf(mem))).toBe(false);
  await mem("worker", "start");
  expect((await ask(mem, "status")).body).toEqual({ enabled: true });
  expect((await ask(mem, "toggle", { enabled: false })).status).toBe(409);
});
