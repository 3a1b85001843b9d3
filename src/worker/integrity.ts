// Checks the database in a process of its own, at start and once a day.
import { type ChildProcess, fork } from "node:child_process";
import { failOpen } from "../errors.ts";
import { packageFile } from "../paths.ts";

export interface IntegrityCheck {
  start(): void;
  /** Ends a check that runs, without waiting for it. */
  stop(): void;
}

interface IntegrityDeps {
  databasePath: string;
  /** Called with what SQLite found, once for every check that found something. */
  onDamage(findings: string[]): void;
  /** What checks: it gets the path as its argument, and sends the list of findings. */
  script?: string;
}

// The first answers go before it: starting a process takes 5 ms of theirs.
const firstAfterMs = 200;
const dailyMs = 24 * 3_600_000;

export function createIntegrityCheck(deps: IntegrityDeps): IntegrityCheck {
  let checking: ChildProcess | undefined;
  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function check(): Promise<void> {
    await failOpen("checking the database", async () => {
      checking = startCheck(deps);
      const findings = await findingsOf(checking);
      if (findings.length > 0 && !stopped) deps.onDamage(findings);
    });
  }

  return {
    start() {
      first = setTimeout(() => void check(), firstAfterMs);
      first.unref();
      timer = setInterval(() => void check(), dailyMs);
      timer.unref();
    },
    stop() {
      stopped = true;
      clearTimeout(first);
      clearInterval(timer);
      checking?.kill("SIGKILL");
    },
  };
}

// A process, not a thread: a thread inside SQLite cannot be ended, and the end of the worker would wait for it, which is
// longer than promised when the file has several GB. A damaged file that crashes SQLite does not end the worker either.
function startCheck({ databasePath, script }: IntegrityDeps): ChildProcess {
  const child = fork(script ?? packageFile("dist", "check-process.cjs"), [databasePath], {
    env: {},
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function findingsOf(child: ChildProcess): Promise<string[]> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(Array.isArray(message) ? message.map(String) : []));
    child.once("error", reject);
    child.once("exit", () => resolve([]));
  });
}
