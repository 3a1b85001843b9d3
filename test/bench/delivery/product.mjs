// The product as a Claude Code user has it: a worker, the hooks that `mem install claude-code` registered, the events.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { timeProcess } from "../measure.mjs";
import { ask, benchHome, root, startWorker } from "../worker.mjs";

/**
 * Starts the product in a separate home and data directory. `folder` is the package that runs, `env` is added to its
 * environment.
 */
export async function startProduct({ folder = root, env = {} } = {}) {
  const home = benchHome();
  const environment = { ...home.env, ...env };
  const userHome = realpathSync(environment.HOME);
  let worker;
  const stop = async () => {
    await worker?.stop();
    home.remove();
  };
  try {
    mkdirSync(join(userHome, ".claude"));
    const mem = (...words) =>
      timeProcess(process.execPath, [join(folder, "bin", "mem.js"), ...words], { env: environment });
    mem("install", "claude-code");
    // The installation started one without `env`.
    mem("worker", "stop");
    const { hooks } = JSON.parse(readFileSync(join(userHome, ".claude", "settings.json"), "utf8"));
    worker = await startWorker(home, { env, bundle: join(folder, "dist", "worker.cjs") });
    return { home: userHome, dataDir: home.dataDir, environment, hooks, port: worker.port, folder, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** Imports the transcripts of Claude Code; the bench reads its connections meanwhile. */
export async function importPast({ environment, folder }) {
  const words = [join(folder, "bin", "mem.js"), "import", "claude-code", "--json"];
  const child = spawn(process.execPath, words, { env: environment, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`mem import ended with ${code}`);
}

/** Posts an event as the registered launcher does, without a process for each. No hook of it: nothing is sent. */
export async function post({ hooks, port }, payload) {
  if (commandsFor(hooks, payload).length === 0) return;
  const event = payload.hook_event_name.replace(/(?!^)([A-Z])/g, "-$1").toLowerCase();
  const { status, text } = await ask(port, `/api/hooks/claude-code/${event}`, {
    method: "POST",
    body: payload,
  });
  if (status !== 200) throw new Error(`${event} was answered with ${status}: ${text}`);
}

/** Runs the registered commands as the host does; the context that they inject. */
export function runHooks({ hooks, environment }, payload) {
  const env = { ...environment, CLAUDE_PROJECT_DIR: payload.cwd, CLAUDECODE: "1" };
  return commandsFor(hooks, payload)
    .map((command) => {
      const input = JSON.stringify(payload);
      const { stdout } = timeProcess("/bin/sh", ["-c", command], { env, input, cwd: payload.cwd });
      return stdout.trim() === "" ? "" : (JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? "");
    })
    .join("");
}

/** Commands of the hooks whose matcher takes the event: by tool, or by the source of a session start. */
function commandsFor(hooks, payload) {
  const subject = payload.tool_name ?? payload.source ?? payload.reason ?? "";
  return (hooks[payload.hook_event_name] ?? [])
    .filter(({ matcher = "" }) => ["", "*"].includes(matcher) || new RegExp(`^(?:${matcher})$`).test(subject))
    .flatMap((group) => group.hooks.map(({ command }) => command));
}

const stalledMs = 120_000;
const pollMs = 150;

/** Waits until the queue is empty and the vectors are written. Throws when a message was dead-lettered, or nothing moves. */
export async function drained({ port }) {
  let last = { left: Number.POSITIVE_INFINITY, at: performance.now() };
  for (let idle = 0; idle < 3; await sleep(pollMs)) {
    const { queueDepth, isProcessing } = await get(port, "/api/processing-status");
    const { queue, vectors, paused } = await get(port, "/api/health");
    if (queue.dead > 0) throw new Error(`${queue.dead} messages were dead-lettered: mem queue`);
    const left = queueDepth + (vectors?.state === "embedding" ? vectors.total - vectors.done : 0);
    idle = left === 0 && !isProcessing ? idle + 1 : 0;
    if (left !== last.left) last = { left, at: performance.now() };
    if (performance.now() - last.at > stalledMs)
      throw new Error(`the worker has ${left} left and does not go on: ${JSON.stringify(paused)}`);
  }
}

async function get(port, path) {
  const { status, text } = await ask(port, path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return JSON.parse(text);
}
