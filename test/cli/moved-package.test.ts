// A package that was moved after `mem install`: the registered hooks and the MCP server start nothing until `mem repair`.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageFile } from "../../src/core/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { workerHome } from "../helpers/worker-process.ts";
import { endOf, type MemRun } from "./mem.ts";

// A PATH with Node alone: without the `mem` that the launchers would fall back to.
function pathWithNode(): string {
  const folder = join(tempDir(), "path");
  mkdirSync(folder, { recursive: true });
  symlinkSync(process.execPath, join(folder, basename(process.execPath)));
  return `${folder}:/usr/bin:/bin`;
}

function copiedPackage(): string {
  const folder = join(tempDir(), "clone");
  for (const part of ["bin", "dist", "hooks", "templates", "package.json"])
    cpSync(packageFile(part), join(folder, part), { recursive: true });
  symlinkSync(packageFile("node_modules"), join(folder, "node_modules"));
  return folder;
}

const home = () => workerHome({ PATH: pathWithNode() }, tempDir());

function run(clone: string, env: NodeJS.ProcessEnv, ...words: string[]): Promise<MemRun> {
  const main = join(clone, "bin", "mem.js");
  return endOf(spawn(process.execPath, [main, ...words], { env, stdio: ["ignore", "pipe", "pipe"] }));
}

test("doctor and status say that the hooks start a moved package, until repair", async () => {
  const clone = copiedPackage();
  const { env } = home();
  expect((await run(clone, env, "install", "claude-code", "--yes")).code).toBe(0);
  // Also when the test fails before it stops the worker itself.
  let present = clone;
  onTestFinished(async () => void (await run(present, env, "worker", "stop")));
  present = `${clone}2`;
  renameSync(clone, present);
  const lost = /The hooks start\s+\S*\/clone\/dist\/hook\.cjs,\s+which\s+is\s+gone\./;
  const running = await run(present, env, "doctor");
  expect(running.stdout).toMatch(/ok {4}Worker /);
  expect(running).toMatchObject({ code: 1, stdout: expect.stringMatching(lost) });
  await run(present, env, "worker", "stop");
  const stopped = await run(present, env, "doctor", "--json");
  expect(stopped.code).toBe(1);
  expect(JSON.parse(stopped.stdout).items.filter(({ state }: { state: string }) => state === "fail")).toEqual(
    [
      { name: "Claude Code", state: "fail", message: expect.stringMatching(lost), next: "mem repair" },
      {
        name: "MCP server",
        state: "fail",
        message: expect.stringMatching(/^It starts \S*\/clone\/dist\/hook\.cjs, which is gone\.$/),
        next: "mem repair",
      },
    ],
  );
  const status = await run(present, env, "status");
  expect(status.stderr).toMatch(/which\s+is\s+gone\.\s+Run\s+`mem\s+repair`\./);
  expect((await run(present, env, "repair")).code).toBe(0);
  expect((await run(present, env, "doctor")).code).toBe(0);
});
