// The address that the worker binds to, checked before a command relies on it.
import type { LoadedSettings } from "../settings/load.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { tryBind } from "./bind-trial.ts";
import { machineAddresses } from "./tv-address.ts";

/** A sentence, and the next step. */
interface HostProblem {
  message: string;
  next: string;
}

/** Why the worker cannot start at MEM_WORKER_HOST; null when it can. */
export async function hostProblem(settings: LoadedSettings): Promise<HostProblem | null> {
  const host = settings.get("MEM_WORKER_HOST");
  if ((await tryBind(host, 0)).is === "bound") return null;
  const isOfShell = settings.source("MEM_WORKER_HOST") === "environment";
  const orClose = settings.get("MEM_TV_TOKEN").isSet ? " (or: mem tv disable)" : "";
  return {
    message: `MEM_WORKER_HOST is ${shownHost(host)}, which this machine cannot bind, so the worker cannot start.`,
    next: isOfShell
      ? "Correct or unset MEM_WORKER_HOST where your shell sets it, then `mem worker restart`."
      : `mem settings set MEM_WORKER_HOST 127.0.0.1 && mem worker restart${orClose}`,
  };
}

/** What other devices need of a host to reach the worker there; null when it has it. */
export async function unreachableHost(host: string): Promise<string | null> {
  const trial = host === "" ? null : await tryBind(host, 0);
  if (trial?.is !== "bound") return `This machine has no address ${shownHost(host) || '""'}.`;
  return isLoopbackHost(trial.address) ? `Other devices cannot reach ${shownHost(host)}.` : null;
}

/** The addresses of this machine as a hint. */
export function ownAddresses(): string | null {
  const own = machineAddresses("::").join(", ");
  return own === "" ? null : `Addresses of this machine: ${own}.`;
}

function shownHost(host: string): string {
  return terminalLine(host).slice(0, 80);
}
