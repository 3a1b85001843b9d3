import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createCliContext } from "../../src/cli/context.ts";
import { createIo } from "../../src/cli/io.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { copyWithoutBinaries, packageCopy, sqliteParts } from "../helpers/package-copy.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { calledMem, memAtHome } from "./mem.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("mem alone prints help on stdout and ends with 0", async () => {
  const { code, stdout, stderr } = await memAtHome()();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Usage: mem");
});

test("mem --version prints the version of package.json", async () => {
  const { version }: { version: string } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  expect(await memAtHome()("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("a misspelled command is an error of usage that names the right one", async () => {
  const { code, stdout, stderr } = await memAtHome()("serch", "x");
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  expect(stderr).toContain("Did you mean search?");
});

const program = buildProgram(createCliContext(createIo({ color: false, errColor: false }), {}));

test.each(namesBelow(program))("the help of mem %s fits 80 columns and has two examples", async (command) => {
  const { code, stdout } = await calledMem()(...command.split(" "), "--help");
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: mem ${command} `);
  const examples = stdout.split("Examples:\n")[1]?.trimEnd().split("\n") ?? [];
  expect(examples).toHaveLength(2);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("a command line builds the command that it names, and no others", () => {
  const context = createCliContext(createIo({ color: false, errColor: false }), {});
  const whole = program.commands.map((command) => command.name());
  const alone = whole.filter((name) => {
    const names = buildProgram(context, { first: name }).commands.map((command) => command.name());
    return names.includes(name) && names.length <= 4;
  });
  expect(whole.filter((name) => !alone.includes(name))).toEqual([
    "exit-codes",
    "completion",
    "completion-values",
  ]);
});

test("the help of mem itself fits 80 columns, in a pipe too", async () => {
  const { stdout } = await memAtHome()("--help");
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test.each([
  [["serch"], "mem --help"],
  [["nope", "--help"], "mem --help"],
  [["help", "nope"], "mem --help"],
  [["help", "search", "timeline"], "mem search --help"],
  [["queue", "frob"], "mem queue --help"],
  [["queue", "frob", "--help"], "mem queue --help"],
  [["queue", "drop", "one"], "mem queue drop --help"],
  [["queue", "drop"], "mem queue drop --help"],
  [["worker", "logs", "--lines", "x"], "mem worker logs --help"],
])("what is wrong with mem %j is explained by %s", async (words, help) => {
  const { code, stderr } = await calledMem()(...words);
  expect(code).toBe(64);
  expect(stderr).toContain(`See \`${help}\`.`);
});

test("a wrong value is named without a prefix of the parser", async () => {
  const mem = calledMem();
  expect((await mem("pin", "S1")).stderr).toMatch(/^Invalid id 'S1'\. It is a summary/);
  expect((await mem("search", "--limit", "0")).stderr).toMatch(/^Invalid value '0' of --limit\. It must be/);
});

test("a command that needs the worker starts it", async () => {
  const mem = memAtHome();
  expect(await mem("queue")).toEqual({ code: 0, stdout: "", stderr: "The queue is empty.\n" });
  expect((await mem("worker", "status")).code).toBe(0);
});

test("a worker that cannot start ends the command with 69 and a next command", async () => {
  const mem = memAtHome();
  mkdirSync(dataPaths(mem.home.dataDir).database, { recursive: true });
  const { code, stdout, stderr } = await mem("search", "x", "--json");
  expect({ code, stdout }).toEqual({ code: 69, stdout: "" });
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: "worker_not_ready", hint: "See `mem worker logs`." },
  });
});

test.each([
  [["serch", "--json"], "mem --help", "Did you mean search?"],
  [["queue", "frob", "--json"], "mem queue --help", "Unknown command 'frob'"],
  [["search", "--limit", "0", "--json"], "mem search --help", "from 1 to 100"],
  [["config", "get", "--json"], "mem settings get --help", "Missing required argument"],
])("with --json the usage error of mem %j is JSON on stderr", async (words, help, problem) => {
  const { code, stdout, stderr } = await calledMem()(...words);
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({ code: "usage", hint: expect.stringContaining(`See \`${help}\`.`) });
  expect(`${error.message} ${error.hint}`).toContain(problem);
});

test.each([
  [
    ["logs", "--help"],
    ["worker", "logs", "--help"],
  ],
  [["version"], ["--version"]],
  [["config"], ["settings", "list"]],
  [
    ["config", "get", "mode"],
    ["settings", "get", "mode"],
  ],
  [
    ["help", "queue", "retry"],
    ["queue", "retry", "--help"],
  ],
  [["help", "exit-codes"], ["exit-codes"]],
  [["mode"], ["mode", "list"]],
])("mem %j is short for mem %j", async (short, full) => {
  const mem = calledMem();
  expect(await mem(...short)).toEqual(await mem(...full));
});

test("a pipe gets no color, FORCE_COLOR turns it on, NO_COLOR wins over both", async () => {
  const escapeByte = String.fromCharCode(27);
  expect((await memAtHome()("doctor")).stdout).not.toContain(escapeByte);
  expect((await calledMem({ FORCE_COLOR: "1" })("doctor")).stdout).toContain(escapeByte);
  expect((await calledMem({ FORCE_COLOR: "1", NO_COLOR: "1" })("doctor")).stdout).not.toContain(escapeByte);
});

test.runIf(existsSync("/dev/full")).each([
  ["settings list", /^The output cannot be written \(ENOSPC.*\)\.\n.*\n$/],
  ["settings list --json", /^\{"error":\{"code":"output_failed",.*\}\}\n$/],
  ["--help", /^The output cannot be written/],
])("mem %s to a device that is full is one sentence and code 74", async (words, sentence) => {
  const { home } = memAtHome();
  const script = `"$0" "$1" ${words} >/dev/full`;
  const child = spawn("/bin/sh", ["-c", script, process.execPath, `${root}bin/mem.js`], {
    env: home.env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(74);
  expect(stderr).toMatch(sentence);
});

test("a clone where nothing was installed asks for that, and a hook there is silent", () => {
  const run = runIn(packageCopy("bin", "package.json"));
  const { status, stdout, stderr } = run("status");
  expect({ status, stdout }).toEqual({ status: 69, stdout: "" });
  expect(stderr).toMatch(/^mem is not built yet: run `npm install` in \/.*\n$/);
  expect(run("hook", "stop", "--host", "claude-code")).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

test.each([[], ["--foreground"]])(
  "a worker without its packages asks for npm install, with %j",
  (...options) => {
    const run = runIn(packageCopy("bin", "dist", "package.json", ...sqliteParts.slice(3)));
    const { status, stderr } = run("worker", "start", ...options);
    expect(status).toBe(69);
    expect(stderr).toMatch(/^A package that the worker needs is missing\.\nRun `npm install` in \/.*\n$/);
  },
);

test("without a binary of SQLite, commands name the platform and the next step", () => {
  const run = runIn(copyWithoutBinaries());
  const binary = `${process.platform}-${process.arch}`;
  for (const words of [
    ["worker", "start"],
    ["worker", "start", "--foreground"],
    ["restore", "memory.db"],
  ]) {
    const { status, stderr } = run(...words);
    expect(status).toBe(69);
    const [first, next, ...rest] = stderr
      .trim()
      .replace(/^mem: /, "")
      .split("\n");
    expect(first).toBe(`SQLite (better-sqlite3) has no binary for ${binary}.`);
    expect(next).toMatch(/`npm run (build-release|old-node) --prefix \/.*`.* C\+\+ compiler\.$/);
    expect(rest).toEqual([]);
  }
});

function runIn(clone: string) {
  const { home } = memAtHome();
  const bin = join(clone, "bin", "mem.js");
  return (...words: string[]) =>
    spawnSync(process.execPath, [bin, ...words], { env: home.env, encoding: "utf8", input: "{}" });
}

test("names an unusable data directory and ends with the code for configuration", async () => {
  const { code, stderr } = await calledMem({ MEM_DATA_DIR: "relative/path" })("settings", "list");
  expect(code).toBe(78);
  expect(stderr).toContain("MEM_DATA_DIR cannot be used");
});

test.runIf(existsSync("/proc/self"))("fails immediately if the data directory cannot be made", async () => {
  const { code, stderr } = await calledMem({ MEM_DATA_DIR: "/proc/nope" })("worker", "start");
  expect(code).toBe(78);
  expect(stderr).toContain("/proc/nope cannot be made (ENOENT");
});

test("names a data directory whose path cannot be followed, whatever the command", async () => {
  const root = tempDir();
  writeFileSync(join(root, "file"), "");
  symlinkSync("loop", join(root, "loop"));
  const commands = ["search x", "worker start", "worker stop", "export", "mode list", "server status"];
  for (const [name, why] of [
    ["file", "ENOTDIR"],
    ["loop", "ELOOP"],
  ] as const) {
    const dataDir = join(root, name, "data");
    const env = { MEM_DATA_DIR: dataDir };
    for (const run of [
      ...commands.map((command) => calledMem(env)(...command.split(" "))),
      memAtHome(env)("worker", "start", "--foreground"),
    ]) {
      const { code, stderr } = await run;
      expect(code).toBe(78);
      expect(stderr).toContain(`${dataDir} cannot be used (${why}`);
      expect(stderr).toContain("Set MEM_DATA_DIR to a directory that you own.");
    }
  }
});

function namesBelow(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((child) => {
    const names = [...path, child.name()];
    return [names.join(" "), ...namesBelow(child, names)];
  });
}
