// Hooks as `mem install` registers them: the command lines in the files of each host, started as the host starts them.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../worker.mjs";

const mem = join(root, "bin", "mem.js");

/** Registers the hosts in the home and stops the worker that this starts. */
export function installHosts(home, hosts) {
  for (const folder of [".codex", ".cursor", ".openclaw"])
    mkdirSync(join(homeOf(home), folder), { recursive: true });
  run(home, ["install", ...hosts, "--yes"]);
  run(home, ["worker", "stop"]);
}

function run({ env }, words) {
  execFileSync(process.execPath, [mem, ...words], { env, stdio: ["ignore", "ignore", "pipe"] });
}

function homeOf({ env }) {
  return env.HOME;
}

// The file with the hooks below the home, and the shell that runs them.
const files = {
  "claude-code": { file: ".claude/settings.json", shell: ["/bin/sh", "-c"] },
  codex: { file: ".codex/hooks.json", shell: ["/bin/bash", "-lc"] },
  "gemini-cli": { file: ".gemini/settings.json", shell: ["/bin/bash", "-c"] },
  "copilot-cli": { file: ".copilot/hooks/mem.json", shell: ["/bin/bash", "-c"] },
  cursor: { file: ".cursor/hooks.json", shell: ["/bin/sh", "-c"] },
};

/** The hosts that start hooks as commands. */
export const commandHosts = Object.keys(files);

/** The hooks in the host's file: an event each, with the words that start it and their environment. */
export function registeredHooks(home, host) {
  const { file, shell } = files[host];
  const hooks = hooksIn(readJson(join(homeOf(home), file)));
  return hooks.map(({ event, command }) => ({ event, words: [...shell, command], env: home.env }));
}

/** Words that start the host's shell for a command that does nothing, and a shell that reads no profile for the same. */
export function emptyShells(host) {
  const { shell } = files[host];
  return { shell: [...shell, ":"], plainShell: [shell[0], "-c", ":"] };
}

// Groups of handlers, or handlers: whatever has a command or a bash line of ours.
function hooksIn({ hooks }) {
  return Object.entries(hooks).flatMap(([event, listed]) =>
    listed
      .flatMap((entry) => entry.hooks ?? [entry])
      .map(({ command, bash }) => ({ event, command: command ?? bash }))
      .filter(({ command }) => command.includes("mem-hook.sh")),
  );
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
