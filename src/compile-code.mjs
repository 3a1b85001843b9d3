// Run by the build in an empty data directory: runs the code of the worker, the hook or the command line once, so that V8 has
// compiled what a start needs, and writes V8's code cache.
// Usage: compile-code.mjs worker|hook|cli <code> <data directory>; prints the file it wrote.
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";

const [what, file, dataDir] = process.argv.slice(2);
// The name that src/core/compiled-code.ts reads.
const { platform, arch, version, execPath } = process;
const compiled = file.replace(/\.cjs$/, `-${platform}-${arch}-${version}-${statSync(execPath).size}.v8`);
const script = new Script(readFileSync(file, "latin1"), { filename: file });
const module = { exports: {} };
const load = (part) => import(new URL(part, pathToFileURL(file)).href);
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), load);

if (what === "worker") while (!(await answers())) await sleep(20);
else if (what === "hook") await spoolOne(module.exports);
else await searchOnce(module.exports);
writeFileSync(`${compiled}.${process.pid}.new`, script.createCachedData());
renameSync(`${compiled}.${process.pid}.new`, compiled);
process.stdout.write(compiled);
// Emitted, not sent: on Windows a sent signal kills the process immediately.
if (what === "worker") process.emit("SIGTERM", "SIGTERM");

// Starts a worker as the first command does, and stops it.
async function searchOnce({ main }) {
  const stream = { write: () => true, on: () => undefined };
  for (const words of [
    ["search", "--json", "word"],
    ["worker", "stop"],
  ]) {
    await main(words, { stdout: stream, stderr: stream });
    if (process.exitCode) throw new Error(`mem ${words.join(" ")} ended with ${process.exitCode}`);
  }
}

async function spoolOne({ fallBack }) {
  const tool_input = { command: "<private>x</private> token=x" };
  const payload = Buffer.from(JSON.stringify({ tool_name: "Bash", tool_input }));
  await fallBack({ host: "claude-code", event: "post-tool-use", failed: "unreachable", payload, dataDir });
}

function answers() {
  const port = announcedPort();
  if (port === undefined) return false;
  return new Promise((resolve) => {
    const health = get({ host: "127.0.0.1", port, path: "/api/health", agent: false }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode === 200));
    });
    health.once("error", () => resolve(false));
  });
}

function announcedPort() {
  try {
    return JSON.parse(readFileSync(join(dataDir, "worker.json"), "utf8")).port;
  } catch {
    return undefined;
  }
}
