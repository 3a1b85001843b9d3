// Checks the database in a process of its own: its pages at start, its tables and indexes a minute later, both once a day.
import { type ChildProcess, fork } from "node:child_process";
import { failOpen, toMemError } from "../core/errors.ts";
import { packageFile } from "../core/paths.ts";
import type { TableFindings } from "../store/sqlite/damage-check.ts";
import { isJsonObject } from "../text/json.ts";

export interface IntegrityCheck {
  start(): void;
  /** Ends a check that runs, without waiting for it. */
  stop(): void;
}

interface IntegrityDeps {
  databasePath: string;
  /** Called with what SQLite found, once for every check that found something. */
  onDamage(findings: string[]): void;
  /** Builds indexes again that do not agree with their table. */
  reindex(indexes: string[]): Promise<void>;
  /** What checks: it gets the path and what to check as its arguments, and sends what it found. */
  script?: string;
  /** When the tables are checked first: what the worker was started for goes before. */
  tablesAfterMs?: number;
}

// The first answers go before it: starting a process takes 5 ms of theirs.
const firstAfterMs = 200;
const dailyMs = 24 * 3_600_000;

export function createIntegrityCheck(deps: IntegrityDeps): IntegrityCheck {
  const { databasePath, onDamage, script, tablesAfterMs = 60_000 } = deps;
  const timers: NodeJS.Timeout[] = [];
  const rebuilt = new Set<string>();
  let checking: ChildProcess | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function check(what: "file" | "tables"): Promise<void> {
    if (stopped) return;
    checking = startCheck(databasePath, what, script);
    const { damage, indexes } = await findingsOf(checking);
    if (stopped) return;
    // One that is wrong again after it was built from its table was not the cause.
    if (damage.length > 0 || indexes.some((index) => rebuilt.has(index))) onDamage([...damage, ...indexes]);
    else if (indexes.length > 0) await rebuild(indexes);
  }

  async function rebuild(indexes: string[]): Promise<void> {
    for (const index of indexes) rebuilt.add(index);
    try {
      await deps.reindex(indexes);
    } catch (cause) {
      if (!isPassing(cause)) return onDamage([...indexes, String(cause)]);
      for (const index of indexes) rebuilt.delete(index);
      throw cause;
    }
  }

  function checkSoon(what: "file" | "tables"): void {
    running = running.then(() => failOpen("checking the database", () => check(what)));
  }

  return {
    start() {
      timers.push(
        setTimeout(() => checkSoon("file"), firstAfterMs),
        setTimeout(() => checkSoon("tables"), tablesAfterMs),
        setInterval(() => checkSoon("file"), dailyMs),
        setInterval(() => checkSoon("tables"), dailyMs),
      );
      for (const timer of timers) timer.unref();
    },
    stop() {
      stopped = true;
      // Clears an interval too.
      for (const timer of timers) clearTimeout(timer);
      checking?.kill("SIGKILL");
    },
  };
}

// Of the disk or of another process: the next check tries again.
function isPassing(cause: unknown): boolean {
  const { code } = toMemError(cause);
  return code === "storage_full" || code === "storage_failed" || code === "storage_busy";
}

// A process, not a thread: a thread inside SQLite cannot be ended, and the end of the worker would wait for it, which is
// longer than promised when the file has several GB. A damaged file that crashes SQLite does not end the worker either.
function startCheck(databasePath: string, what: string, script?: string): ChildProcess {
  const child = fork(script ?? packageFile("dist", "check-process.cjs"), [databasePath, what], {
    env: {},
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function findingsOf(child: ChildProcess): Promise<TableFindings> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => {
      const { damage, indexes } = isJsonObject(message) ? message : {};
      resolve({ damage: texts(damage), indexes: texts(indexes) });
    });
    child.once("error", reject);
    child.once("exit", () => resolve({ damage: [], indexes: [] }));
  });
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
