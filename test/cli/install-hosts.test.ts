// `mem install`, `repair`, `doctor` and `uninstall` where a host or its user has changed something meanwhile.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { calledMem, callMem, type Mem, memsOfOneWorker } from "./mem.ts";

const homeWithWorker = memsOfOneWorker();

function fileOf(mem: Mem, ...names: string[]): string {
  return join(mem.home.env.HOME ?? "", ...names);
}

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function sendHook(mem: Mem, name: string, payload: object): Promise<void> {
  const { worker } = JSON.parse((await mem("status", "--json")).stdout);
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", headers, body: JSON.stringify(payload) };
  await fetch(`http://127.0.0.1:${worker.port}/api/hooks/${name}`, sent);
}

async function checkOf(mem: Mem, name: string, words: string[] = ["doctor"]) {
  const { items } = JSON.parse((await mem(...words, "--json")).stdout);
  return items.find((check: { name: string }) => check.name === name);
}

const laterFiles: [string, string, string[], string[]][] = [
  [
    "opencode",
    "OpenCode",
    [".config", "opencode", "opencode.json"],
    [".config", "opencode", "opencode.jsonc"],
  ],
  ["claude-code", "Claude Code", [".claude.json"], [".claude", ".claude.json"]],
];

test.each(laterFiles)(
  "uninstall %s removes the entry in the file that it used before",
  async (host, title, ...at) => {
    const mem = homeWithWorker();
    const [before, later] = at.map((names) => fileOf(mem, ...names));
    write(before ?? "", '{ "mine": 1 }');
    await mem("install", host);
    expect(readFileSync(before ?? "", "utf8")).toContain("mem-mcp.sh");
    write(later ?? "", '{ "other": 2 }');
    expect(await checkOf(mem, "MCP server")).toMatchObject({ state: "warn", next: "mem repair" });
    expect((await mem("repair")).stdout).toContain(title);
    expect(readFileSync(before ?? "", "utf8")).toBe('{ "mine": 1 }');
    expect(readFileSync(later ?? "", "utf8")).toContain("mem-mcp.sh");
    rmSync(later ?? "");
    await mem("install", host);
    write(later ?? "", '{ "other": 2 }');
    expect((await mem("uninstall", host)).code).toBe(0);
    expect(readFileSync(before ?? "", "utf8")).toBe('{ "mine": 1 }');
    expect(readFileSync(later ?? "", "utf8")).toBe('{ "other": 2 }');
    const { launcher, installs } = dataPaths(mem.home.dataDir);
    expect(JSON.parse(readFileSync(installs, "utf8")).installs).toEqual([]);
    expect(existsSync(launcher)).toBe(false);
  },
);

test("the launchers stay while a host without a record starts them", async () => {
  const mem = homeWithWorker();
  const { launcher, installs } = dataPaths(mem.home.dataDir);
  await mem("install", "claude-code");
  rmSync(installs);
  await mem("install", "cursor");
  await mem("uninstall", "cursor");
  expect(existsSync(join(launcher, "mem-hook.sh"))).toBe(true);
  await mem("uninstall");
  expect(existsSync(launcher)).toBe(false);
});

test("a folder that only the host's environment names is found by its record", async () => {
  const mem = homeWithWorker();
  const folder = join(tempDir(), "codex");
  const withFolder = { ...mem.home, env: { ...mem.home.env, CODEX_HOME: folder } };
  await callMem(withFolder, ["install", "codex"]);
  expect((await checkOf(mem, "Codex CLI")).message).toContain(join(folder, "hooks.json"));
  const hooks = readFileSync(join(folder, "hooks.json"), "utf8");
  writeFileSync(
    join(folder, "hooks.json"),
    hooks.replaceAll(dataPaths(mem.home.dataDir).launcher, "/old/bin"),
  );
  expect((await mem("repair")).stdout).toContain(join(folder, "hooks.json"));
  expect(readFileSync(join(folder, "hooks.json"), "utf8")).toBe(hooks);
  await mem("uninstall");
  expect(existsSync(folder)).toBe(false);
});

test("repair and doctor say alike what the user took back, and how to allow it", async () => {
  const mem = homeWithWorker();
  await mem("install", "openclaw", "--yes");
  const file = fileOf(mem, ".openclaw", "openclaw.json");
  const text = readFileSync(file, "utf8").replace('"enabled": true', '"enabled": false');
  writeFileSync(file, text);
  const repaired = (await mem("repair")).stdout.replaceAll("\n", " ");
  expect(repaired).toContain("~/.openclaw/openclaw.json turns the plugin off");
  expect(repaired).toContain("`mem install openclaw`");
  expect(repaired).not.toContain("Nothing to repair");
  expect(await checkOf(mem, "OpenClaw")).toMatchObject({
    state: "fail",
    message: "~/.openclaw/openclaw.json turns the plugin off.",
    next: "mem install openclaw",
  });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test.each(["claude-code", "gemini-cli", "copilot-cli"])(
  "install says what %s no longer asks",
  async (host) => {
    const { stdout } = await homeWithWorker()("install", host);
    expect(stdout.replace(/\s+/g, " ")).toContain("its agent calls the tools of mem without asking");
  },
);

test("failed hosts end the output, with the place of the mistake in words", async () => {
  const mem = homeWithWorker();
  write(fileOf(mem, ".gemini", "settings.json"), '{\n  "a": 1,\n  "b": oops\n}\n');
  write(fileOf(mem, ".codex", "hooks.json"), "{ 'a': 1 }");
  const { code, stdout, stderr } = await mem("install", "claude-code", "codex", "gemini-cli");
  expect(code).toBe(65);
  expect(stdout).toContain("Claude Code: installed.");
  expect(stderr).toBe(
    "Codex CLI was not installed: ~/.codex/hooks.json cannot be read as settings: JSON has no comments or trailing commas, as in line 1, column 3.\n" +
      "Gemini CLI was not installed: ~/.gemini/settings.json cannot be read as settings: invalid character 'o' in line 3, column 8.\n" +
      "The file was not changed. Fix it, then run the command again.\n",
  );
  expect(await checkOf(mem, "Gemini CLI")).toMatchObject({ state: "fail", next: "Fix the file" });
});

test("a host whose MCP servers cannot be read gets the hooks, and commands fail alike", async () => {
  const mem = homeWithWorker();
  const file = write(fileOf(mem, ".cursor", "mcp.json"), "{ bad json");
  const broken = "~/.cursor/mcp.json cannot be read as settings";
  const asked = await mem("install");
  expect(asked.code).toBe(64);
  expect(asked.stderr).toContain(`left as it is: ${broken}`);
  const printed = await mem("install", "cursor", "--print");
  expect(printed).toMatchObject({ code: 65, stderr: expect.stringContaining(broken) });
  const { code, stdout, stderr } = await mem("install", "cursor", "--yes");
  expect(code).toBe(65);
  expect(stdout).toContain("Cursor: installed, without the MCP server.");
  expect(stdout).not.toContain("Turn on the MCP server");
  expect(stderr.match(/cannot be read/g)).toHaveLength(1);
  for (const words of [["repair"], ["mcp", "enable"], ["mcp", "status"]])
    expect(await mem(...words)).toMatchObject({ code: 65, stderr: expect.stringContaining(broken) });
  expect(await checkOf(mem, "MCP server")).toMatchObject({
    state: "fail",
    message: expect.stringContaining(broken),
  });
  expect(readFileSync(file, "utf8")).toBe("{ bad json");
});

test("doctor counts the hooks in a whole file, and warns where trust is unknown", async () => {
  const mem = homeWithWorker();
  const installed = await mem("install", "copilot-cli", "codex", "--json");
  const { items } = JSON.parse(installed.stdout);
  expect(items[0].files[0]).toMatchObject({ hooks: 7 });
  expect((await checkOf(mem, "GitHub Copilot CLI")).message).toContain("7 hooks in ");
  const codex = await checkOf(mem, "Codex CLI");
  expect(codex).toMatchObject({ state: "warn", next: expect.stringContaining("/hooks") });
  expect(codex.message).not.toContain("ENOENT");
  await mem("worker", "stop");
  const unasked = await checkOf(mem, "Codex CLI");
  expect(unasked).toMatchObject({ state: "warn", next: "mem worker start" });
  expect(unasked.message).toContain("trust and last event not known while the worker is stopped");
});

test("what only the user can do is shown again until an event shows that it is done", async () => {
  const mem = calledMem();
  const next = "Next: Start a new Copilot session";
  expect((await mem("install", "copilot-cli")).stdout).toContain(next);
  expect((await mem("install", "copilot-cli")).stdout).toContain(next);
  const started = { hook_event_name: "SessionStart", session_id: "s", cwd: tempDir() };
  await sendHook(mem, "copilot-cli/session-start", started);
  expect((await mem("install", "copilot-cli")).stdout).not.toContain("Next:");
  expect((await mem("install", "codex")).stdout).toContain("/hooks");
  expect((await mem("install", "codex")).stdout).toContain("/hooks");
});

test("events that cannot be read are shown with what helps, until a repair", async () => {
  const mem = calledMem();
  await mem("install", "cursor");
  await sendHook(mem, "cursor/stop", {});
  const status = await mem("status");
  expect(status.stdout).toContain("1 not read this week");
  expect(status.stderr).toContain("`mem repair`");
  expect(await checkOf(mem, "Events")).toMatchObject({ state: "warn" });
  await mem("repair");
  expect((await mem("status")).stdout).not.toContain("not read");
  expect(await checkOf(mem, "Events")).toMatchObject({ state: "ok" });
});

test("uninstall takes --yes, and says once that the memory stays", async () => {
  const mem = homeWithWorker();
  await mem("install", "claude-code", "cursor");
  const { code, stdout } = await mem("uninstall", "--yes");
  expect(code).toBe(0);
  expect(stdout.match(/memory stays/g)).toHaveLength(1);
  expect(stdout).toContain("Removed mem from Cursor:\n  removed ~/.cursor/mcp.json\n");
});

test("a read-only settings file stays as it is, with the command that helps", async () => {
  const mem = homeWithWorker();
  const file = write(fileOf(mem, ".claude", "settings.json"), "{}\n");
  chmodSync(file, 0o444);
  const refused = await mem("install", "claude-code");
  expect(refused.code).toBe(65);
  expect(refused.stderr).toContain("~/.claude/settings.json is read-only");
  expect(refused.stderr).toContain(`chmod u+w '${file}'`);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["{}\n", 0o444]);
  chmodSync(file, 0o644);
  await mem("install", "claude-code");
  chmodSync(file, 0o444);
  expect((await mem("uninstall")).stderr).toContain("is read-only");
  expect(readFileSync(file, "utf8")).toContain("mem-hook.sh");
});

test("with the default data directory no empty environment is registered", async () => {
  const home = tempDir();
  const mem = calledMem({ HOME: home, MEM_DATA_DIR: join(home, ".mem") });
  const { stdout } = await mem("install", "codex", "opencode", "--print");
  expect(stdout.match(/mem-mcp\.sh/g)).toHaveLength(2);
  expect(stdout).not.toMatch(/\benv/);
});
