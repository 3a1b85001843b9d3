// The built worker for a bench: a private data directory, a clean environment, requests, memory, its end.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const workerBundle = join(root, "dist", "worker.cjs");

/** A home of the bench's own. The environment is clean: nothing but what a process needs to start. */
export function benchHome() {
  const directory = mkdtempSync(join(tmpdir(), "mem-bench-"));
  const dataDir = join(directory, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    SHLVL: "1",
    LANG: "C.UTF-8",
    MEM_DATA_DIR: dataDir,
    MEM_WORKER_PORT: "0",
    MEM_PROVIDER: "local",
  };
  return { dataDir, env, remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }) };
}

const owned = new Set();
process.on("exit", () => {
  for (const child of owned) child.kill("SIGKILL");
});

/** A child that ends with the bench, however that ends. */
export function own(child) {
  owned.add(child);
  child.once("exit", () => owned.delete(child));
  return child;
}

/** Starts the worker of `bundle`; resolves with the time until its first 200 on /api/health. */
export async function startWorker(home, { env = {}, bundle = workerBundle } = {}) {
  rmSync(join(home.dataDir, "worker.json"), { force: true });
  const started = performance.now();
  const child = own(
    spawn(process.execPath, [bundle], {
      env: { ...home.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    }),
  );
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  let file;
  for (;;) {
    file = readJson(join(home.dataDir, "worker.json"));
    if (file?.pid === child.pid && (await answers(file.port))) break;
    if (child.exitCode !== null || performance.now() - started > 60_000) {
      throw new Error(`the worker did not start: ${errors}`);
    }
    await sleep(1);
  }
  const readyMs = performance.now() - started;
  const end = (signal) => {
    child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid,
    port: file.port,
    socket: file.socket,
    readyMs,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** One request over a kept connection; status and text. */
export function ask(port, path, { method = "GET", body } = {}) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      text === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const sent = httpRequest({ host: "127.0.0.1", port, path, method, agent, headers }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

/** Resident memory in MiB: all of it, what is the process's own, and what is mapped from files. */
export function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const mib = (name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? Number.NaN) / 1024;
  return { rss: mib("Rss"), anonymous: mib("Anonymous"), file: mib("Rss") - mib("Anonymous") };
}

async function answers(port) {
  try {
    return (await ask(port, "/api/health")).status === 200;
  } catch {
    return false;
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
