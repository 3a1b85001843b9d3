// Runs mem's hook in a separate process, to start the worker or to replace a hung one.
import { spawn } from "node:child_process";
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { exposureOf } from "../../core/directory.ts";
import { failOpenSync } from "../../core/errors.ts";
import { dataPaths } from "../../core/paths.ts";
import type { Failure } from "../hook/connection.ts";

/** Hands an event with the reason of its failed delivery to the hook. False if the hook cannot be run now. */
export type RunHook = (call: { event: string; failed: Failure }, payload: Buffer) => boolean;

/** One process at a time. It gets the host's environment, and outlives the host. */
export function createHookProcess({
  host,
  dataDir,
  environment,
}: {
  host: string;
  dataDir: string | null;
  environment: NodeJS.ProcessEnv;
}): RunHook {
  const { NODE_OPTIONS: _options, ...given } = environment;
  let isRunning = false;
  return ({ event, failed }, payload) => {
    const runtime = dataDir === null || isRunning ? null : hookRuntime(dataDir);
    if (dataDir === null || runtime === null) return false;
    const started = failOpenSync("run a hook", () => {
      const args = [runtime.bundle, host, event, `--failed=${failed}`];
      const child = spawn(runtime.node, args, {
        env: { ...given, MEM_DATA_DIR: dataDir },
        stdio: ["pipe", "ignore", "ignore"],
        detached: true,
        windowsHide: true,
      });
      isRunning = true;
      child.once("exit", ended).once("error", ended);
      child.stdin.once("error", ended);
      child.stdin.end(payload);
      child.unref();
      return true;
    });
    return started === true;
  };

  function ended(): void {
    isRunning = false;
  }
}

interface HookRuntime {
  node: string;
  bundle: string;
}

// The Node that runs the worker, and the hook's bundle, as the worker wrote them. A file of other users is not read.
function hookRuntime(dataDir: string): HookRuntime | null {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
  const text = failOpenSync("read hook-runtime", () => {
    const descriptor = openSync(dataPaths(dataDir).hookRuntime, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return exposureOf(fstatSync(descriptor)) === null ? readFileSync(descriptor, "utf8") : undefined;
    } finally {
      closeSync(descriptor);
    }
  });
  const [node = "", bundle = ""] = (text ?? "").split("\n");
  return existsSync(node) && existsSync(bundle) ? { node, bundle } : null;
}
