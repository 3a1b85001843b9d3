// The plugin of Claude Code: what it brings starts recall.
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { endOf, type MemRun } from "../cli/mem.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const plugin = fileURLToPath(new URL("../../hooks", import.meta.url));

let home: string;
let path: string;

// Nothing but Node is on the path: no shell, as where Windows starts a server.
beforeEach(() => {
  home = tempDir();
  path = join(home, "path");
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, "node"));
});

/** Runs what the plugin's file registers, as a host does that has copied the plugin elsewhere. */
function serve(input = ""): Promise<MemRun> {
  const { mem } = JSON.parse(readFileSync(join(plugin, ".mcp.json"), "utf8")).mcpServers;
  const copied = join(home, "cache");
  mkdirSync(copied, { recursive: true });
  copyFileSync(join(plugin, "mem-mcp.mjs"), join(copied, "mem-mcp.mjs"));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the plugin's folder in here
  const args = mem.args.map((word: string) => word.replace("${CLAUDE_PLUGIN_ROOT}", copied));
  const child = spawn(mem.command, args, { env: { HOME: home, PATH: path } });
  child.stdin.end(input);
  return endOf(child);
}

/** A package in the home that says how it was started and what it was sent, and mem's note of it. */
function install(runtime: string): void {
  const main = join(home, "package", "bin", "mem.js");
  mkdirSync(dirname(main), { recursive: true });
  writeFileSync(
    main,
    'console.log(process.argv.slice(2).join(), process.env.BY ?? "", require("fs").readFileSync(0, "utf8"))',
  );
  mkdirSync(join(home, ".mem"));
  const lines = [runtime, join(home, "package", "dist", "hook.cjs"), ""];
  writeFileSync(join(home, ".mem", "hook-runtime"), lines.join("\n"));
}

function script(file: string, line: string): void {
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}

test("the plugin's server is that of the package that mem has written down", async () => {
  install(process.execPath);
  expect(await serve("asked")).toEqual({ code: 0, stdout: "mcp  asked\n", stderr: "" });
});

test("the plugin's server runs with the recorded Node and has its exit code", async () => {
  const other = join(home, "other-node");
  script(other, `BY=other '${process.execPath}' "$@"; exit 7`);
  install(other);
  expect(await serve("asked")).toEqual({ code: 7, stdout: "mcp other asked\n", stderr: "" });
});

test("without the note the plugin's server is the command of the path", async () => {
  script(join(path, "mem"), 'echo "started: $*"');
  expect(await serve()).toEqual({ code: 0, stdout: "started: mcp\n", stderr: "" });
});

test("without the package the plugin's server ends and says why", async () => {
  const { code, stdout, stderr } = await serve();
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("agent-mem package is not installed");
});
