// `mem install` and `mem uninstall` as processes with a private HOME.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { version } from "../../src/core/version.ts";
import { hostNames } from "../../src/hosts/registry.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { volume } from "../helpers/volume.ts";
import { calledMem, callMem, type Mem, memsOfOneWorker } from "./mem.ts";

const homeWithWorker = memsOfOneWorker();

function settingsOf(mem: Mem): string {
  return join(mem.home.env.HOME ?? "", ".claude", "settings.json");
}

function writeSettings(mem: Mem, text: string): string {
  const file = settingsOf(mem);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test("install registers the hooks, uninstall restores the settings byte for byte", async () => {
  const mem = calledMem();
  const text = '{\n\t"model":  "opus",\n\t"hooks": {"Stop": [{"hooks": []}]}\n}';
  const file = writeSettings(mem, text);
  const installed = await mem("install", "claude-code");
  expect(installed).toMatchObject({ code: 0, stderr: "" });
  expect(installed.stdout).toContain("9 hooks registered in ");
  const { hooks, model } = JSON.parse(readFileSync(file, "utf8"));
  expect(model).toBe("opus");
  expect(Object.keys(hooks)).toHaveLength(9);
  expect(hooks.Stop).toHaveLength(2);
  expect(hooks.PostToolUse[0].hooks[0].command).toContain(mem.home.dataDir);
  const again = await mem("install", "claude-code", "--json");
  expect(JSON.parse(again.stdout).items).toMatchObject([
    { changed: false, files: [{ path: file, changed: false, hooks: 9 }, { mcp: true }] },
  ]);
  expect((await mem("uninstall", "claude-code")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(text);
  expect((await mem("uninstall", "claude-code")).stdout).toContain("nothing of mem");
});

test("install writes the files of the launcher and of the notice, for the owner alone", async () => {
  const mem = homeWithWorker();
  await mem("install", "claude-code");
  const paths = dataPaths(mem.home.dataDir);
  const [runtime = "", bundle = ""] = readFileSync(paths.hookRuntime, "utf8").split("\n");
  expect(runtime).toBe(process.execPath);
  expect(existsSync(bundle)).toBe(true);
  expect(readFileSync(paths.installVersion, "utf8").trim()).toBe(version());
  for (const file of [paths.hookRuntime, paths.installVersion, paths.installs, settingsOf(mem)]) {
    expect(statSync(file).mode & 0o077).toBe(0);
  }
  await mem("uninstall", "claude-code");
  expect(existsSync(paths.installVersion)).toBe(false);
  expect(existsSync(settingsOf(mem))).toBe(false);
});

test("changes the settings in the host's configured folder", async () => {
  const folder = join(tempDir(), "claude");
  const mem = homeWithWorker({ CLAUDE_CONFIG_DIR: folder });
  await mem("install", "claude-code");
  expect(existsSync(join(folder, "settings.json"))).toBe(true);
  expect(existsSync(settingsOf(mem))).toBe(false);
});

test("changes the configured folder although another one was recorded later", async () => {
  const mem = homeWithWorker();
  const folder = join(tempDir(), "claude");
  await mem("install", "claude-code");
  await callMem({ ...mem.home, env: { ...mem.home.env, CLAUDE_CONFIG_DIR: folder } }, [
    "install",
    "claude-code",
  ]);
  for (const words of [
    ["install", "claude-code"],
    ["mcp", "status", "claude-code"],
  ]) {
    const { items } = JSON.parse((await mem(...words, "--json")).stdout);
    expect(JSON.stringify(items)).not.toContain(folder);
  }
});

test("does not change settings that are not JSON", async () => {
  const mem = homeWithWorker();
  const file = writeSettings(mem, '{"model": "opus", // mine\n}');
  for (const command of ["install", "uninstall"]) {
    const { code, stdout, stderr } = await mem(command, "claude-code");
    expect({ code, stdout }).toEqual({ code: 65, stdout: "" });
    expect(stderr).toContain("was not changed");
  }
  expect(readFileSync(file, "utf8")).toBe('{"model": "opus", // mine\n}');
});

test("--print shows the hooks and changes nothing", async () => {
  const mem = calledMem();
  const { code, stdout } = await mem("install", "claude-code", "--print");
  expect(code).toBe(0);
  expect(existsSync(settingsOf(mem))).toBe(false);
  expect(existsSync(mem.home.dataDir)).toBe(false);
  const asJson = await mem("install", "claude-code", "--print", "--json");
  await mem("install", "claude-code");
  const registered = JSON.parse(readFileSync(settingsOf(mem), "utf8"));
  expect(stdout).toMatch(/^# ~\/\.claude\/settings\.json\n\{\n/);
  expect(stdout).toContain("\n# ~/.claude.json\n");
  expect(JSON.parse(stdout.split("# ")[1]?.split("\n").slice(1).join("\n") ?? "")).toEqual(registered);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ printed: true, items: [{ changed: true }] });
});

test("uninstall --print says what would change and changes nothing", async () => {
  const mem = homeWithWorker();
  expect((await mem("uninstall", "claude-code", "--print")).stdout).toBe(
    "Claude Code: nothing of mem in its settings.\nNothing was changed.\n",
  );
  await mem("install", "claude-code");
  const registered = readFileSync(settingsOf(mem), "utf8");
  const { code, stdout } = await mem("uninstall", "claude-code", "--print");
  expect(code).toBe(0);
  expect(stdout).toBe(
    "Would remove mem from Claude Code:\n" +
      "  remove ~/.claude.json\n" +
      "  remove ~/.claude/settings.json\n" +
      "Nothing was changed.\n",
  );
  expect(readFileSync(settingsOf(mem), "utf8")).toBe(registered);
});

test.each(["", "\n \n"])(
  "a settings file that holds only %j is taken as one without settings",
  async (text) => {
    const mem = homeWithWorker();
    const file = writeSettings(mem, text);
    expect((await mem("doctor")).stdout).toContain("No hooks are registered");
    expect((await mem("install", "claude-code")).code).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toEqual(["hooks", "permissions"]);
    expect((await mem("uninstall", "claude-code")).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("a folder that was made for the settings goes with them, one that was there stays", async () => {
  const made = homeWithWorker();
  await made("install", "claude-code");
  await made("install", "claude-code");
  await made("uninstall", "claude-code");
  expect(existsSync(join(settingsOf(made), ".."))).toBe(false);
  const used = homeWithWorker();
  await used("install", "claude-code");
  writeFileSync(join(settingsOf(used), "..", "history.jsonl"), "");
  await used("uninstall", "claude-code");
  expect(readdirSync(join(settingsOf(used), ".."))).toEqual(["history.jsonl"]);
  const own = homeWithWorker();
  mkdirSync(join(settingsOf(own), ".."));
  await own("install", "claude-code");
  await own("uninstall", "claude-code");
  expect(readdirSync(join(settingsOf(own), ".."))).toEqual([]);
});

test("settings that switch all hooks off are named", async () => {
  const mem = homeWithWorker();
  writeSettings(mem, '{"disableAllHooks": true}');
  expect((await mem("install", "claude-code")).stderr).toContain("disableAllHooks");
});

test("where the plugin brings the hooks, none are registered on top unless forced", async () => {
  const mem = calledMem();
  const text = '{"enabledPlugins":{"other@x":true,"agent-mem@agent-mem":true}}';
  const file = writeSettings(mem, text);
  const refused = await mem("install", "claude-code");
  expect(refused).toMatchObject({ code: 65, stdout: "" });
  expect(refused.stderr).toContain("agent-mem@agent-mem is enabled");
  expect(refused.stderr).toContain("--force");
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(existsSync(mem.home.dataDir)).toBe(false);
  expect((await mem("install", "claude-code", "--print")).code).toBe(0);
  expect((await mem("install", "claude-code", "--force")).code).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")).hooks)).toHaveLength(9);
  expect((await mem("uninstall", "claude-code")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("names an enabled plugin of another memory, which records and adds context too", async () => {
  const mem = homeWithWorker();
  writeSettings(mem, '{"enabledPlugins":{"claude-mem@thedotmack":true}}');
  expect((await mem("install", "claude-code")).stderr).toContain("claude-mem@thedotmack is enabled too");
});

test("a plugin that is switched off does not stand in the way", async () => {
  const mem = homeWithWorker();
  writeSettings(mem, '{"enabledPlugins":{"agent-mem@agent-mem":false}}');
  expect((await mem("install", "claude-code")).code).toBe(0);
});

test("an unknown host is an error that names the known ones", async () => {
  const { code, stderr } = await calledMem()("install", "vim");
  expect(code).toBe(64);
  expect(stderr).toContain("claude-code");
});

test("uninstall repeats the name of an unknown host and lists the known ones", async () => {
  const { code, stderr } = await calledMem()("uninstall", "nope");
  expect(code).toBe(64);
  expect(stderr).toBe(`No host agent named \`nope\`.\nKnown hosts: ${hostNames.join(", ")}.\n`);
});

function filesIn(mem: Mem): string[] {
  const home = mem.home.env.HOME ?? "";
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((file) => !file.startsWith(".mem"))
    .sort();
}

test("without a host install finds the hosts of the machine, and asks before it writes", async () => {
  const mem = calledMem();
  const none = await mem("install");
  expect(none).toMatchObject({ code: 66, stdout: "" });
  expect(none.stderr).toContain("mem install claude-code");
  mkdirSync(join(settingsOf(mem), ".."));
  const before = filesIn(mem);
  const asked = await mem("install");
  expect(asked).toMatchObject({ code: 64, stdout: "" });
  expect(asked.stderr).toContain("~/.claude/settings.json: 9 hooks");
  expect(asked.stderr).toContain("mem install --yes");
  expect(filesIn(mem)).toEqual(before);
  expect((await mem("install", "--yes")).stdout).toContain("9 of 9 hooks checked");
  expect((await mem("install")).stdout).toContain("already installed");
  expect((await mem("uninstall")).code).toBe(0);
  expect(filesIn(mem)).toEqual(before);
  expect((await mem("uninstall")).stdout).toContain("mem is not installed in any host agent");
});

test("every registered hook is run once, and the worker stores nothing of it", async () => {
  const mem = calledMem();
  const { items } = JSON.parse((await mem("install", "claude-code", "--json")).stdout);
  expect(items[0].probes).toHaveLength(9);
  for (const { problem } of items[0].probes) expect(problem).toBeNull();
  const { worker, database } = JSON.parse((await mem("status", "--json")).stdout);
  expect(worker).toBeTypeOf("object");
  expect(database).toMatchObject({ observations: 0, sessions: 0 });
  const spooled = readdirSync(dataPaths(mem.home.dataDir).spool, { recursive: true, encoding: "utf8" });
  expect(spooled.filter((name) => name.endsWith(".jsonl"))).toEqual([]);
});

test("hooks of a package that has moved are replaced, and gone after uninstalling", async () => {
  const mem = homeWithWorker();
  const script = '[ -r "$3/mem-hook.sh" ] || exit 0; . "$3/mem-hook.sh"';
  const old = { type: "command", command: `set -- claude-code stop '/old/hooks'; ${script}`, timeout: 120 };
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [old] }] }, model: "opus" });
  const server = { command: "/old/node", args: ["/old/bin/mem.js", "mcp"] };
  const file = writeSettings(mem, text);
  const config = join(mem.home.env.HOME ?? "", ".claude.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { mem: server } }));
  expect((await mem("install", "claude-code")).code).toBe(0);
  expect(readFileSync(file, "utf8") + readFileSync(config, "utf8")).not.toContain("/old/");
  expect((await mem("uninstall", "claude-code")).code).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ model: "opus" });
  expect(JSON.parse(readFileSync(config, "utf8"))).toEqual({});
});

test("repair renews the launcher, its notes and every hook, and says what it changed", async () => {
  const mem = homeWithWorker();
  await mem("install", "claude-code");
  const paths = dataPaths(mem.home.dataDir);
  const [settings, launcher] = [readFileSync(settingsOf(mem), "utf8"), join(paths.launcher, "mem-hook.sh")];
  expect((await mem("repair")).stdout).toContain("Nothing to repair.");
  writeFileSync(launcher, "exit 1\n");
  writeFileSync(paths.installVersion, "0.0.1\n");
  writeFileSync(paths.hookRuntime, "/gone/node\n/gone/dist/hook.cjs\n");
  writeFileSync(settingsOf(mem), settings.replaceAll(paths.launcher, "/old/hooks"));
  const { code, stdout } = await mem("repair");
  expect(code).toBe(0);
  for (const part of ["mem-hook.sh", ".install-version", "hook-runtime", "~/.claude/settings.json"])
    expect(stdout).toContain(part);
  expect(readFileSync(paths.installVersion, "utf8").trim()).toBe(version());
  expect(readFileSync(paths.hookRuntime, "utf8")).toContain(process.execPath);
  expect(readFileSync(launcher, "utf8")).toContain("mem-hook.sh");
  expect(readFileSync(settingsOf(mem), "utf8")).toBe(settings);
});

test("a broken file of MCP servers does not block the hooks", async () => {
  const mem = homeWithWorker();
  const config = join(mem.home.env.HOME ?? "", ".claude.json");
  await mem("install", "claude-code");
  const settings = readFileSync(settingsOf(mem), "utf8");
  writeFileSync(config, "{ broken");
  writeFileSync(settingsOf(mem), settings.replaceAll(dataPaths(mem.home.dataDir).launcher, "/old/hooks"));
  const repaired = await mem("repair");
  expect(repaired.code).toBe(65);
  expect(repaired.stdout).toContain("~/.claude/settings.json");
  expect(repaired.stderr).toContain(".claude.json");
  expect(readFileSync(settingsOf(mem), "utf8")).toBe(settings);
  const installed = await mem("install", "claude-code", "--no-mcp");
  expect(installed).toMatchObject({ code: 65 });
  expect(installed.stderr).toContain(".claude.json");
});

test("a link to settings in a repository stays a link, and its target is restored", async () => {
  const mem = homeWithWorker();
  const target = join(tempDir(), "claude.json");
  const text = '{\r\n\t"model": "opus"\r\n}';
  writeFileSync(target, text);
  mkdirSync(join(settingsOf(mem), ".."));
  symlinkSync(target, settingsOf(mem));
  await mem("install", "claude-code");
  expect(lstatSync(settingsOf(mem)).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, "utf8")).toContain("mem-hook.sh");
  await mem("uninstall", "claude-code");
  expect(readFileSync(target, "utf8")).toBe(text);
});

test("large settings are restored byte for byte", async () => {
  const mem = homeWithWorker();
  const note = "x\\n".repeat(volume(700_000));
  const text = `{"note": "${note}", "list": [${"[1, {}],".repeat(volume(20_000))} 0]}`;
  const file = writeSettings(mem, text);
  expect((await mem("install", "claude-code")).code).toBe(0);
  expect((await mem("uninstall", "claude-code")).code).toBe(0);
  expect(readFileSync(file, "utf8") === text).toBe(true);
});

test("settings that are nested too deeply are an error, and stay", async () => {
  const mem = homeWithWorker();
  const text = `{"a": ${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  const file = writeSettings(mem, text);
  const { code, stderr } = await mem("install", "claude-code");
  expect(code).toBe(65);
  expect(stderr).toContain("nested too deeply");
  expect(readFileSync(file, "utf8") === text).toBe(true);
});

// A name so long that no temporary file fits beside it: root writes where rights forbid it.
test("a file that cannot be written does not stop the other hosts", async () => {
  const mem = homeWithWorker();
  const [file, target] = [writeSettings(mem, "{}"), join(tempDir(), "x".repeat(252))];
  const hooks = join(mem.home.env.HOME ?? "", ".codex", "hooks.json");
  writeFileSync(target, '{"model": "opus"}');
  rmSync(file);
  symlinkSync(target, file);
  const installed = await mem("install", "claude-code", "codex");
  expect(installed.code).toBe(65);
  expect(installed.stdout).toContain("Codex");
  expect(installed.stdout).not.toContain("Claude Code");
  expect(installed.stderr).toMatch(/cannot be written.*\nThe file was not changed\./);
  expect(existsSync(hooks)).toBe(true);
  rmSync(file);
  writeFileSync(file, '{"model": "opus"}');
  await mem("install", "claude-code");
  renameSync(file, target);
  symlinkSync(target, file);
  const removed = await mem("uninstall");
  expect(removed.code).toBe(65);
  expect(removed.stdout).not.toContain("settings.json");
  expect(existsSync(hooks)).toBe(false);
  expect(readFileSync(target, "utf8")).toContain("mem-hook.sh");
});

test("install and uninstall without a host name the plugin that brings the hooks", async () => {
  const mem = calledMem();
  writeSettings(mem, '{"enabledPlugins":{"agent-mem@agent-mem":true}}');
  expect(await mem("install")).toEqual({
    code: 0,
    stdout: "Claude Code: hooks come from the plugin agent-mem@agent-mem.\n",
    stderr: "",
  });
  expect(JSON.parse((await mem("install", "--json")).stdout)).toMatchObject({ items: [] });
  expect((await mem("uninstall")).stdout).toContain("`claude plugin disable agent-mem@agent-mem`");
});

// Rights do not keep root out; the kernel's own files do.
test("a folder that cannot be written to is an error", async () => {
  const mem = calledMem();
  const folder = join(settingsOf(mem), "..");
  if (process.getuid?.() === 0) symlinkSync("/sys/kernel", folder);
  else mkdirSync(folder, { mode: 0o500 });
  const { code, stderr } = await mem("install", "claude-code");
  expect(code).toBe(65);
  expect(stderr).toContain("cannot be written");
  expect(readdirSync(folder)).not.toContain("settings.json");
});
