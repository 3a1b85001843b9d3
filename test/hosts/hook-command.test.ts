// The commands that hosts are given, and the plugin that is made of the same recipe.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { version } from "../../src/core/version.ts";
import { claudeCodeIntegration, renderPluginHooks } from "../../src/hosts/claude-code.ts";
import { hookCommand, isHookCommand, type Launcher, launcherOf } from "../../src/hosts/hook-command.ts";
import { hostAt } from "../../src/hosts/host-places.ts";
import { agentNamed } from "../../src/hosts/registry.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const hooks = fileURLToPath(new URL("../../hooks/", import.meta.url));
const launchers: [string, Launcher, string | null][] = [
  ["a folder", { folder: "/opt/agent-mem/hooks" }, null],
  ["a folder with spaces, quotes and a dollar", { folder: `/opt/it's "$HOME" here/hooks` }, null],
  ["another data directory", { folder: "/opt/hooks" }, "/srv/it's mine"],
  ["Node", { node: "C:\\Program Files\\nodejs\\node.exe", bundle: "C:\\mem\\dist\\hook.cjs" }, null],
];

test.each(launchers)("a command made for %s is known again as ours", (_what, launcher, dataDir) => {
  for (const { event } of claudeCodeIntegration.hooks) {
    const command = hookCommand({ host: "claude-code", event, launcher, dataDir });
    expect(isHookCommand("claude-code", command)).toBe(true);
    expect(isHookCommand("codex", command)).toBe(false);
  }
});

test.each(launchers.slice(0, 3))(
  "a command for any login shell, made for %s, is words only and known as ours",
  (_what, launcher, dataDir) => {
    const request = { host: "codex", event: "PostToolUse", launcher, dataDir };
    const command = hookCommand({ ...request, loginShell: true });
    expect(command.replaceAll(/'[^']*'|\\'/g, "")).toMatch(/^[a-z/ -]*$/);
    expect(isHookCommand("codex", command)).toBe(true);
    expect(isHookCommand("claude-code", command)).toBe(false);
    expect(launcherOf(command)).toBe(launcherOf(hookCommand(request)));
    expect(spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
  },
);

test("Codex gets commands for any login shell", () => {
  const machine = {
    paths: dataPaths(tempDir()),
    environment: {},
    home: "/home/user",
    platform: "linux",
  } as const;
  const { hookCommand: command } = hostAt(machine, agentNamed("codex")).place;
  expect(command("Stop")).toMatch(/^\/usr\/bin\/env '[^']*' \/bin\/sh -c /);
});

test.each(["prettier --write", "sh ~/mem-hook.sh", "set -- claude-code stop; echo", ""])(
  "%j is not ours",
  (command) => {
    expect(isHookCommand("claude-code", command)).toBe(false);
  },
);

test.each(["plain", `it's "$HOME" \`here\``])(
  "the launcher in the folder %j gets host, event and folder",
  (name) => {
    const folder = join(tempDir(), name);
    mkdirSync(folder);
    writeFileSync(join(folder, "mem-hook.sh"), 'printf "%s|%s|%s|%s" "$1" "$2" "$3" "$MEM_DATA_DIR"\n');
    const request = { host: "claude-code", event: "PostToolUse", launcher: { folder }, dataDir: folder };
    for (const loginShell of [false, true]) {
      const command = hookCommand({ ...request, loginShell });
      const { stdout } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
      expect(stdout).toBe(`claude-code|post-tool-use|${folder}|${folder}`);
    }
  },
);

// A shell that cannot open its script ends with 2, and 2 blocks the user's prompt.
test("a command whose launcher was deleted ends with 0 and says nothing", () => {
  const launcher = { folder: join(tempDir(), "gone") };
  const command = hookCommand({ host: "claude-code", event: "Stop", launcher, dataDir: null });
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("hooks/hooks/hooks.json is rendered from the recipe", async () => {
  await expect(renderPluginHooks()).toMatchFileSnapshot(join(hooks, "hooks/hooks.json"));
});

test("the plugin has the package's version, and the marketplace lists its path", () => {
  const plugin = JSON.parse(readFileSync(join(hooks, ".claude-plugin/plugin.json"), "utf8"));
  const { plugins } = JSON.parse(readFileSync(join(hooks, ".claude-plugin/marketplace.json"), "utf8"));
  expect(plugin.version).toBe(version());
  expect(plugins).toEqual([expect.objectContaining({ name: plugin.name, source: "./" })]);
});

test("the plugin's commands run in the folder that the host puts in", () => {
  const folder = join(tempDir(), "copied plugin");
  mkdirSync(folder);
  copyFileSync(join(hooks, "mem-hook.sh"), join(folder, "mem-hook.sh"));
  for (const groups of Object.values<{ hooks: { command: string }[] }[]>(
    JSON.parse(renderPluginHooks()).hooks,
  )) {
    const command = groups[0]?.hooks[0]?.command ?? "";
    const env = { PATH: process.env.PATH, CLAUDE_PLUGIN_ROOT: folder, HOME: join(folder, "home") };
    const { status, stdout } = spawnSync("/bin/sh", ["-c", command], { input: "", env, encoding: "utf8" });
    expect({ command, status, stdout }).toEqual({ command, status: 0, stdout: "" });
  }
});

test("no command is asynchronous, and SessionEnd is given little time", () => {
  expect(renderPluginHooks()).not.toContain("async");
  const end = claudeCodeIntegration.hooks.find(({ event }) => event === "SessionEnd");
  expect(end?.timeout).toBeLessThanOrEqual(3);
});
