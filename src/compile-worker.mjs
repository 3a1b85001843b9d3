// Run by the build in an empty data directory: starts the worker, waits for the first reply, and writes V8's code cache.
// Usage: compile-worker.mjs <code> <data directory>; prints the file it wrote.
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";

const [file, dataDir] = process.argv.slice(2);
// The name that src/worker/compiled-start.ts reads. The tag is read before the worker can set a flag.
const { platform, arch, version, execPath } = process;
const node = [platform, arch, version, statSync(execPath).size, cachedDataVersionTag()];
const compiled = file.replace(/\.cjs$/, `-${node.join("-")}.v8`);
const script = new Script(readFileSync(file, "latin1"), { filename: file });
script.runInThisContext()({}, createRequire(file), { exports: {} }, file, dirname(file));

while (!(await answers())) await sleep(20);
writeFileSync(`${compiled}.${process.pid}.new`, script.createCachedData());
renameSync(`${compiled}.${process.pid}.new`, compiled);
process.stdout.write(compiled);
// Emitted, not sent: on Windows a sent signal kills the process immediately.
process.emit("SIGTERM", "SIGTERM");

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
