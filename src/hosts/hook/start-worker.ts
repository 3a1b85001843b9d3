// Starts a worker that outlives the hook, and delivers the session start as soon as it listens.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../core/clock.ts";
import { makeDataDirectory, makePrivateDirectory } from "../../core/directory.ts";
import { dataPaths, packageFile } from "../../core/paths.ts";
import { deadlineMs } from "./deadlines.ts";
import { deliver } from "./deliver.ts";
import type { HookCall } from "./hook-call.ts";

const lookEveryMs = 15;
// Never through a planted link.
const { O_CREAT, O_NOFOLLOW = 0, O_TRUNC, O_WRONLY } = constants;
const emptied = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;

/** The reply of the started worker; undefined if it did not listen in time or could not reply. */
export async function deliverAfterStart(
  call: HookCall,
  payload: Buffer,
  dataDir: string,
): Promise<string | undefined> {
  const worker = startWorker(dataDir);
  let ended = false;
  // Code 0: another worker owns the directory and is about to listen.
  worker.once("exit", (code) => {
    ended = code !== 0;
  });
  worker.once("error", () => {
    ended = true;
  });
  const deadline = systemClock.monotonicMs() + deadlineMs(call.event, process.env);
  while (!ended && systemClock.monotonicMs() < deadline) {
    await delay(lookEveryMs);
    const delivery = await deliver(call, payload, dataDir);
    if ("answer" in delivery) return delivery.answer;
    if (!stillStarting.has(delivery.failed)) return undefined;
  }
  return undefined;
}

// Until it listens, worker.json has the previous address, which another program may have taken.
const stillStarting: ReadonlySet<string> = new Set(["absent", "unreachable", "stranger"]);

/** Starts a worker that outlives the hook. */
export function startWorker(dataDir: string): ChildProcess {
  const { root, logs } = dataPaths(dataDir);
  makeDataDirectory(root);
  makePrivateDirectory(logs);
  // Errors before the log is open.
  const startLog = openSync(join(logs, "worker-start.log"), emptied, 0o600);
  try {
    const worker = spawn(process.execPath, [packageFile("dist", "worker.cjs")], {
      cwd: root,
      env: workerEnvironment(process.env, root),
      detached: true,
      stdio: ["ignore", "ignore", startLog],
      windowsHide: true,
    });
    worker.unref();
    return worker;
  } finally {
    closeSync(startLog);
  }
}

// Variables of one session, which the worker must not pass on: a host that it runs would join that session.
const sessionVariables = [
  /^(CLAUDECODE|AI_AGENT|PWD|OLDPWD)$/,
  /^CLAUDE_(PID|ENV_FILE|PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA)$/,
  // All except switches that users set; one is a session token.
  /^CLAUDE_CODE_(?!USE_|SKIP_|DISABLE_|ENABLE_|MAX_|SHELL)/,
];

function workerEnvironment(environment: NodeJS.ProcessEnv, dataDir: string): NodeJS.ProcessEnv {
  const { MEM_HOOK_CA_CERTS: certificates, ...given } = environment;
  const kept = Object.entries(given).filter(([name]) => !sessionVariables.some((one) => one.test(name)));
  return {
    ...Object.fromEntries(kept),
    MEM_DATA_DIR: dataDir,
    ...(certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {}),
  };
}
