import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dataPaths, packageFile } from "../../src/core/paths.ts";
import { createSearchCommand, shellWord } from "../../src/worker/recall.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mem-search-command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const searchCommand = (environment: NodeJS.ProcessEnv) =>
  createSearchCommand(environment, dataPaths(folder))();

it("is mem where the shell finds it", () => {
  const path = join(folder, "mem");
  writeFileSync(path, "");
  chmodSync(path, 0o755);
  expect(searchCommand({ PATH: folder })).toBe("mem search");
});

it("is Node with the package's command where mem is not linked, every time", () => {
  // A folder with Node alone: the one of this Node may well have mem in it.
  symlinkSync(process.execPath, join(folder, basename(process.execPath)));
  const environment = { PATH: folder };
  const command = searchCommand(environment);
  expect(command).toBe(`node ${shellWord(packageFile("bin", "mem.js"))} search`);
  expect(searchCommand(environment)).toBe(command);
});

it("names Node by its path where that is not on PATH either", () => {
  expect(searchCommand({ PATH: folder })).toBe(
    `${shellWord(process.execPath)} ${shellWord(packageFile("bin", "mem.js"))} search`,
  );
});

it("names the package that hooks start now when this worker's package was moved", () => {
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  mkdirSync(join(before, "bin"), { recursive: true });
  writeFileSync(join(before, "bin", "mem.js"), "");
  const paths = dataPaths(folder);
  const command = createSearchCommand({ PATH: folder }, paths, join(before, "bin", "mem.js"));
  expect(command()).toContain(join(before, "bin", "mem.js"));
  renameSync(before, after);
  writeFileSync(paths.hookRuntime, `${process.execPath}\n${join(after, "dist", "hook.cjs")}\n`);
  expect(command()).toBe(`${shellWord(process.execPath)} ${shellWord(join(after, "bin", "mem.js"))} search`);
});

it.each(["/opt/agent-mem/bin/mem.js", "/home/a user/it's $(id) `x`/mem.js"])(
  "%j is one word of a shell",
  (path) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellWord(path)}`], { encoding: "utf8" })).toBe(path);
  },
);

it("is double-quoted with forward slashes on Windows", () => {
  expect(shellWord("C:\\Users\\a b\\mem.js", "win32")).toBe('"C:/Users/a b/mem.js"');
});
