// The outbox of a plugin that only sends events.
import type { Clock } from "../../core/clock.ts";
import { reportFailOpenTo } from "../../core/errors.ts";
import { hookDataDir } from "../hook/hook-call.ts";
import { createHookProcess } from "./hook-process.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createWorkerLink } from "./worker-link.ts";

interface PluginOutboxDeps {
  host: string;
  environment: NodeJS.ProcessEnv;
  clock: Clock;
  /** Writes to the host's log. */
  log(level: "warn" | "debug", message: string): void;
}

/** Null where mem itself runs the host to write records. */
export function createPluginOutbox({ host, environment, clock, log }: PluginOutboxDeps): Outbox | null {
  if ((environment.MEM_GENERATING ?? "") !== "") return null;
  reportFailOpenTo((what, cause) => log("debug", `could not ${what}: ${String(cause)}`));
  const dataDir = hookDataDir(environment);
  const link = createWorkerLink({ host, dataDir, port: null, clock });
  const runHook = createHookProcess({ host, dataDir, environment });
  const warn = (message: string) => log("warn", message);
  return createOutbox({ host, link, dataDir, runHook, environment, clock, warn });
}
