// The recorded host CLI of test/fixtures/host-cli in a HOME of the test's own, and what it left behind there.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ModelRequest } from "../../src/generate/model-client.ts";
import { tempDir } from "./temp-dir.ts";

/** The executable that stands where `claude` would. */
export const hostCli = fileURLToPath(new URL("../fixtures/host-cli/claude", import.meta.url));

/** One run as the recorded CLI saw it. */
export interface HostCliRunSeen {
  pid: number;
  args: string[];
  given: Record<string, string | true>;
  env: Record<string, string>;
  cwd: string;
  input: string;
  play: string;
  grandchild?: number;
}

export interface HostCliHome {
  /** The folder that a client gets. */
  directory: string;
  environment: Record<string, string>;
  /** What was run so far. */
  runs(): HostCliRunSeen[];
  /** The first run that fits, as soon as there is one. */
  run(fits?: (run: HostCliRunSeen) => boolean): Promise<HostCliRunSeen>;
  /** Processes that carry this HOME, living ones only. Empty where there is no /proc: then `runs` has to do. */
  processes(): number[];
}

/** A HOME and a data folder that are gone when the running test ends. */
export function hostCliHome(extra: Record<string, string> = {}): HostCliHome {
  const root = tempDir();
  const home = join(root, "home");
  mkdirSync(home);
  const folder = join(home, "runs");

  function runs(): HostCliRunSeen[] {
    if (!existsSync(folder)) return [];
    return readdirSync(folder).flatMap((name) => readRun(join(folder, name)));
  }
  return {
    directory: join(root, "data", "subscription"),
    environment: { PATH: process.env.PATH ?? "", HOME: home, ...extra },
    runs,
    async run(fits = () => true) {
      for (let step = 0; step < 2_000; step += 1) {
        const found = runs().find(fits);
        if (found !== undefined) return found;
        await sleep(10);
      }
      throw new Error("the host CLI was not run");
    },
    processes: () => processesWith(`HOME=${home}`),
  };
}

/** A request that makes the recorded CLI do `play`. */
export function playing(play: string): ModelRequest {
  return {
    system: "You write memories.",
    prompt: `play:${play} and then this`,
    maxOutputTokens: 4_096,
    schema: { type: "object", properties: { nothing: { type: "boolean" } }, required: ["nothing"] },
    about: { sessionId: 1, project: "demo", messages: 1 },
  };
}

/** True while `pid` does something; a zombie that waits for its parent does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^\d+ \(.*\) Z/s.test(read(`/proc/${pid}/stat`));
}

function processesWith(variable: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(variable)).map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

// One that is being written is not there yet.
function readRun(path: string): HostCliRunSeen[] {
  try {
    return [JSON.parse(readFileSync(path, "utf8"))];
  } catch {
    return [];
  }
}
