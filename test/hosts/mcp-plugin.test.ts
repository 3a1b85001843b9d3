// The plugin of Claude Code: what it brings starts recall.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

const plugin = fileURLToPath(new URL("../../hooks/claude-code", import.meta.url));

/** Runs what the plugin's file registers, as a host does that has copied the plugin elsewhere. */
async function serve(home: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const { mem } = JSON.parse(readFileSync(join(plugin, ".mcp.json"), "utf8")).mcpServers;
  const copied = join(home, "cache");
  mkdirSync(copied, { recursive: true });
  copyFileSync(join(plugin, "mem-mcp.sh"), join(copied, "mem-mcp.sh"));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the plugin's folder in here
  const args = mem.args.map((word: string) => word.replace("${CLAUDE_PLUGIN_ROOT}", copied));
  const child = spawn(mem.command, args, {
    env: { HOME: home, PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await closed)[0], stdout, stderr };
}

test("the plugin's server is that of the package that mem has written down", async () => {
  const home = tempDir();
  const main = join(home, "package", "bin", "mem.js");
  mkdirSync(dirname(main), { recursive: true });
  writeFileSync(main, "console.log(JSON.stringify(process.argv.slice(2)))");
  mkdirSync(join(home, ".mem"));
  const runtime = `${process.execPath}\n${join(home, "package", "dist", "hook.cjs")}\n`;
  writeFileSync(join(home, ".mem", "hook-runtime"), runtime);
  expect(await serve(home)).toEqual({ code: 0, stdout: '["mcp"]\n', stderr: "" });
});

test("without the package the plugin's server ends and says why", async () => {
  const { code, stdout, stderr } = await serve(tempDir());
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("agent-mem package is not installed");
});
