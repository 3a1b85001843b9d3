// The first minute: from nothing to the first useful memory with the packed package, its sizes, and the start of a command.
// npm asks its registry, and the installed package needs Node 22.14 or newer, so this runs by name only.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { boundFigure, interleave, ratioFigure, timeProcess } from "./measure.mjs";
import { benchHome, root } from "./worker.mjs";

const mb = 1_000_000;

export async function run({ say }) {
  const home = benchHome();
  const prefix = join(home.dataDir, "..", "prefix");
  const env = { ...home.env, PATH: `${join(prefix, "bin")}:${home.env.PATH}` };
  const mem = (...words) => timeProcess(join(prefix, "bin", "mem"), words, { env });
  try {
    const packed = pack(home, say);
    const installed = install(packed.path, prefix, env, say);
    const first = await firstMemory(home, env, mem, say);
    const search = await interleave(
      {
        search: () => mem("search", "pnpm", "--json").ms,
        node: () => timeProcess(process.execPath, ["-e", "0"], { env }).ms,
      },
      { rounds: 30 },
    );
    return [
      one("seconds from nothing to the first useful memory", "s", (installed.ms + first.ms) / 1000, "<= 15", {
        note: `${first.commands} commands; npm ${(installed.ms / 1000).toFixed(1)} s; then ${(first.ms / 1000).toFixed(1)} s`,
      }),
      one("commands from nothing to the first useful memory", "commands", first.commands, "<= 2"),
      one("packed package", "MB", packed.size / mb, "<= 5"),
      one("installed size", "MB", installed.bytes / mb, "<= 45"),
      one("installed files", "files", installed.files, "<= 700"),
      one("installed packages", "packages", installed.packages, "<= 3"),
      ratioFigure({
        name: "mem search --json / node -e 0",
        unit: "ms",
        ours: { label: "installed command, running worker", ...search.search },
        floor: { label: "node -e 0", ...search.node },
        target: "<= 3",
      }),
    ];
  } finally {
    spawnSync(join(prefix, "bin", "mem"), ["worker", "stop"], { env });
    home.remove();
  }
}

function one(name, unit, value, target, more = {}) {
  return boundFigure({ name, unit, value, n: 1, target, ...more });
}

function pack(home, say) {
  const folder = join(home.dataDir, "..", "packed");
  mkdirSync(folder);
  const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [{ filename, size, entryCount }] = JSON.parse(timeProcess("npm", words, { cwd: root }).stdout);
  say(`npm pack: ${(size / mb).toFixed(1)} MB, ${entryCount} files`);
  return { path: join(folder, filename), size };
}

// npm's cache is the user's: a copy of it, so that a second run does not profit from the first.
function install(tarball, prefix, env, say) {
  const cache = join(prefix, "..", "npm-cache");
  const { stdout } = timeProcess("npm", ["config", "get", "cache"], {});
  cpSync(join(stdout.trim(), "_cacache"), join(cache, "_cacache"), { recursive: true, force: true });
  const words = ["install", "--global", "--prefix", prefix, "--cache", cache, "--prefer-offline", tarball];
  const { ms } = timeProcess("npm", words, { env: { ...env, ...npmSettings() } });
  const modules = join(prefix, "lib", "node_modules", "agent-mem", "node_modules");
  const files = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  const packages = files.filter(
    ({ name, parentPath }) => name === "package.json" && isPackage(parentPath),
  ).length;
  say(`npm install --global: ${(ms / 1000).toFixed(1)} s, ${packages} packages in ${modules}`);
  return { ms, bytes, files: files.length, packages };
}

function isPackage(folder) {
  return /node_modules\/(@[^/]+\/)?[^/]+$/.test(folder);
}

// The home of the bench has no .npmrc: registry and headers of the user's.
function npmSettings() {
  const file = spawnSync("npm", ["config", "get", "userconfig"], { encoding: "utf8" }).stdout.trim();
  return { NPM_CONFIG_USERCONFIG: file };
}

// The user installs the hooks; one session says a rule; the next session's start must have it.
async function firstMemory(home, env, mem, say) {
  mkdirSync(join(home.env.HOME, ".claude"));
  const cwd = join(home.env.HOME, "shop");
  mkdirSync(cwd);
  const started = performance.now();
  mem("install", "claude-code", "--yes");
  const { hooks } = JSON.parse(readFileSync(join(home.env.HOME, ".claude", "settings.json"), "utf8"));
  const fire = (event, session, fields = {}) => {
    const payload = { hook_event_name: event, session_id: session, cwd, transcript_path: "", ...fields };
    const command = hooks[event][0].hooks[0].command;
    return timeProcess("/bin/sh", ["-c", command], { env, cwd, input: JSON.stringify(payload) }).stdout;
  };
  fire("SessionStart", "one", { source: "startup" });
  fire("UserPromptSubmit", "one", { prompt: "Always use pnpm, never npm, in this project." });
  fire("Stop", "one", { last_assistant_message: "Understood." });
  for (let session = 2; ; session += 1) {
    if (fire("SessionStart", `session ${session}`, { source: "startup" }).includes("pnpm")) break;
    if (session > 200) throw new Error("the rule did not reach the next session");
    await sleep(50);
  }
  const ms = performance.now() - started;
  say(`mem install claude-code, one session, the next one has its rule: ${(ms / 1000).toFixed(2)} s`);
  return { ms, commands: 2 };
}
