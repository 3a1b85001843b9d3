// Starts recall over the Model Context Protocol for the plugin, on standard input and output: with the Node and the
// package that mem has written down, else the package around this folder, else the `mem` of the path. In Node, since a
// host on Windows starts servers without a POSIX shell.
import { spawn } from "node:child_process";
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const onWindows = process.platform === "win32";
const { runtime, bundle } = writtenDown(dataDir());
const around = fileURLToPath(new URL("..", import.meta.url));
const main = [bundle && dirname(dirname(bundle)), around]
  .filter((folder) => folder !== undefined)
  .map((folder) => join(folder, "bin", "mem.js"))
  .find((path) => existsSync(path));
const command = commandOnPath();

if (main !== undefined && (runtime === undefined || isThisNode(runtime))) {
  process.argv = [process.execPath, main, "mcp"];
  await import(pathToFileURL(main).href);
} else if (main !== undefined) handOver(runtime, [main, "mcp"]);
// Windows starts what npm has linked there, a script of its shell, with that shell alone.
else if (command !== undefined) handOver(onWindows ? `"${command}"` : command, ["mcp"]);
else {
  process.stderr.write("mem: the agent-mem package is not installed, so there is no recall.\n");
  process.exitCode = 1;
}

// What a relative path means depends on the project that the host works in: nothing is read from there.
function dataDir() {
  const given = process.env.MEM_DATA_DIR || join(process.env.HOME || homedir(), ".mem");
  const path = /^~[\\/]/.test(given) ? join(process.env.HOME || homedir(), given.slice(2)) : given;
  return isAbsolute(path) ? path : undefined;
}

/** The Node that mem was last started with, and its bundle of hooks; nothing where other users could have written it. */
function writtenDown(dir) {
  try {
    const path = join(dir, "hook-runtime");
    if (![statSync(dir), lstatSync(path)].every(isOurs)) return {};
    const [node, hooks] = readFileSync(path, "utf8").split(/\r?\n/);
    return { runtime: node && existsSync(node) ? node : undefined, bundle: hooks || undefined };
  } catch {
    return {};
  }
}

function isOurs({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

function isThisNode(path) {
  return realpathSync(path) === realpathSync(process.execPath);
}

function commandOnPath() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders
    .map((folder) => join(folder, onWindows ? "mem.cmd" : "mem"))
    .find((path) => existsSync(path));
}

// The host speaks to the other process itself; this one only passes on how it ends.
function handOver(program, words) {
  const child = spawn(program, words, { stdio: "inherit", shell: onWindows && program.endsWith('"') });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`mem: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code) => process.exit(code ?? 1));
}
