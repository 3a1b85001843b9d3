// A Node that cannot load SQLite: too old, or without a binary. It says so, and breaks nothing that works with another Node.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { checkRuntime } from "../../src/cli/checks/files.ts";
import { dataPaths, packageFile } from "../../src/core/paths.ts";
import {
  copyWithoutBinaries,
  installedCopy,
  oldNode,
  packageCopy,
  shipped,
  sqliteParts,
} from "../helpers/package-copy.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { hookHome, runHook, spooled } from "../hosts/hook/run-hook.ts";
import { calledMem, type Mem } from "./mem.ts";

const payload = JSON.stringify({
  session_id: "s",
  cwd: "/tmp",
  hook_event_name: "SessionStart",
  source: "startup",
});
const sentence = "mem needs Node 22.14 or newer (Node-API 10), but this is Node 20.19.0 (Node-API 9).";
const hint = "Use a newer Node (https://nodejs.org), then run `mem repair`.";

test("with a Node that is too old, every command says so and ends with 69", () => {
  const [copy, { env }] = [installedCopy(), hookHome()];
  const old = oldNode();
  for (const words of [["status"], ["search", "x"], ["doctor", "--json"], ["worker", "start"], ["mcp"], []]) {
    const command = [join(copy, "bin", "mem.js"), ...words];
    const { status, stdout, stderr } = spawnSync(old, command, { env, encoding: "utf8" });
    expect({ words, status, stdout, stderr }).toEqual({
      words,
      status: 69,
      stdout: "",
      stderr: `${sentence}\n${hint}\n`,
    });
  }
  const worker = [join(copy, "dist", "worker.cjs")];
  const { status, stderr } = spawnSync(old, worker, { env, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 69, stderr: `mem: ${sentence}\n  ${hint}\n` });
});

test("in a clone, the message names the command that compiles SQLite for that Node", () => {
  const copy = installedCopy();
  mkdirSync(join(copy, "src"));
  const command = [join(copy, "bin", "mem.js"), "status"];
  const { stderr } = spawnSync(oldNode(), command, { env: hookHome().env, encoding: "utf8" });
  expect(stderr).toContain(`\`npm run old-node --prefix ${copy}\``);
});

test("a hook keeps its event with a Node that is too old, and says so once a session", async () => {
  const [copy, home] = [installedCopy(), hookHome()];
  mkdirSync(home.dataDir, { mode: 0o700 });
  const { hookRuntime, workerFile } = dataPaths(home.dataDir);
  writeFileSync(hookRuntime, `${oldNode()}\n${join(copy, "dist", "hook.cjs")}\n`, { mode: 0o600 });
  const hook = (event: string) => ["/bin/sh", join(copy, "hooks", "mem-hook.sh"), "claude-code", event];
  const start = await runHook(hook("session-start"), home, payload);
  expect(start).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(start.stdout)).toEqual({ systemMessage: `${sentence} ${hint}` });
  expect(await runHook(hook("post-tool-use"), home, payload)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "",
  });
  expect(spooled(home)).toHaveLength(2);
  expect(existsSync(workerFile)).toBe(false);
});

test("doctor fails when the Node of the hooks cannot load SQLite, and repair helps", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  const bundle = join(installedCopy(), "dist", "hook.cjs");
  const { hookRuntime } = dataPaths(mem.home.dataDir);
  writeFileSync(hookRuntime, `${oldNode()}\n${bundle}\n`, { mode: 0o600 });
  expect(await sqliteOf(mem)).toEqual({
    name: "SQLite",
    state: "fail",
    message: expect.stringMatching(
      /^Hooks start \S+, which cannot load it: Node 20\.19\.0 is too old: 22\.14 or /,
    ),
    next: "mem repair",
  });
  await mem("repair");
  expect(readFileSync(hookRuntime, "utf8").split("\n")[0]).toBe(process.execPath);
  expect(await sqliteOf(mem)).toMatchObject({ state: "ok" });
});

test("where SQLite has no binary, nothing ends the worker that another package runs", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  const broken = memOf(copyWithoutBinaries(), mem);
  const restart = await broken("worker", "restart");
  expect(restart.code).toBe(69);
  expect(restart.stderr).toContain("SQLite cannot be loaded here (no binary for");
  // Its next step would be a restart.
  await mem("settings", "set", "MEM_MODE", "chill");
  const doctor = await broken("doctor");
  expect(doctor.stdout).toContain("Changed since the worker started: MEM_MODE.");
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/fail {2}SQLite +It cannot be loaded here: no binary for \w+-\w+\./);
  expect(doctor.stdout).not.toMatch(/mem worker (re)?start/);
  expect((await mem("worker", "status")).code).toBe(0);
});

test("install and repair keep a Node that loads SQLite, and fail where none does", async () => {
  const mem = calledMem();
  const broken = memOf(copyWithoutBinaries(), mem);
  mkdirSync(mem.home.dataDir, { mode: 0o700, recursive: true });
  const { hookRuntime } = dataPaths(mem.home.dataDir);
  const settings = join(mem.home.env.HOME ?? "", ".claude", "settings.json");
  const refused = await broken("install", "claude-code");
  expect(refused).toMatchObject({ code: 69, stderr: expect.stringContaining("so nothing was changed") });
  expect([hookRuntime, settings].filter(existsSync)).toEqual([]);
  const works = `${process.execPath}\n${packageFile("dist", "hook.cjs")}\n`;
  writeFileSync(hookRuntime, works, { mode: 0o600 });
  for (const words of [["install", "claude-code"], ["repair"]]) {
    const { stderr } = await broken(...words);
    expect(stderr).toMatch(/^SQLite cannot be loaded here \(no binary for .*\)\. Hooks still start /);
    expect(readFileSync(hookRuntime, "utf8")).toBe(works);
  }
});

test("doctor names the runtime", () => {
  expect(checkRuntime({ ...process.versions, node: "24.22.3" }).message).toBe("Node 24.22.3");
  expect(checkRuntime({ ...process.versions, bun: "1.4.5" }).message).toBe("Bun 1.4.5");
});

test.skipIf(process.platform === "win32")("in a clone, npm compiles SQLite for an old Node once", () => {
  const clone = packageCopy("src/old-node.mjs");
  mkdirSync(join(clone, "node_modules"));
  const npm = join(tempDir(), "npm");
  const run = (script: string) => {
    writeFileSync(npm, `#!/bin/sh\necho npm "$@"\n${script}\n`);
    chmodSync(npm, 0o755);
    const env = { PATH: `${join(npm, "..")}:${process.env.PATH}`, npm_config_global: "true" };
    return spawnSync(oldNode(), [join(clone, "src", "old-node.mjs")], { env, encoding: "utf8" });
  };
  const folder = join(clone, "node_modules", ".old-node");
  const failed = run("exit 1");
  expect(failed.status).toBe(1);
  expect(failed.stderr).toMatch(
    /^SQLite could not be compiled for Node 20\.19\.0\. Install python3, make and .*\n$/,
  );
  expect(existsSync(folder)).toBe(false);
  const made = `${folder}/node_modules/better-sqlite3`;
  const done = run(`mkdir -p ${made} && echo 'module.exports = class { close() {} }' > ${made}/index.js`);
  expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining("npm install --prefix") });
  expect(run("exit 1")).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

/** The commands of a copy, with the data directory and HOME of `mem`. */
function memOf(copy: string, { home }: Mem) {
  return async (...words: string[]) => {
    const child = spawn(process.execPath, [join(copy, "bin", "mem.js"), ...words], {
      env: home.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once("close", resolve)),
    ]);
    return { code, stdout, stderr };
  };
}

async function sqliteOf(mem: Mem) {
  const { stdout } = await mem("doctor", "--json");
  return JSON.parse(stdout).items.find(({ name }: { name: string }) => name === "SQLite");
}

test("from a folder that yarn dlx removes, nothing that needs it later is started", async () => {
  const folder = join(tempDir(), "dlx-42", "agent-mem");
  mkdirSync(join(folder, ".."));
  renameSync(packageCopy(...shipped, ...sqliteParts), folder);
  const mem = calledMem();
  const passing = memOf(folder, mem);
  for (const words of [
    ["worker", "start"],
    ["search", "x"],
    ["install", "claude-code"],
  ]) {
    const { code, stderr } = await passing(...words);
    expect({ words, code, stderr }).toEqual({
      words,
      code: 69,
      stderr: expect.stringMatching(/^`yarn dlx` removes mem when the command ends.*\nInstall it: /),
    });
  }
  expect(existsSync(dataPaths(mem.home.dataDir).workerFile)).toBe(false);
  expect((await passing("--version")).code).toBe(0);
});
