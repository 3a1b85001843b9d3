// Checks the database in a child process: its pages, its tables and indexes, and whether derived data matches the records.

import { type ChildProcess, fork } from "node:child_process";
import { hourMs } from "../core/clock.ts";
import { failOpen, toMemError } from "../core/errors.ts";
import { packageFile } from "../core/paths.ts";
import { isJsonObject } from "../text/json.ts";

export type IntegrityCheck = ReturnType<typeof createIntegrityCheck>;

interface IntegrityDeps {
  databasePath: string;
  /** True for a database that this start created: its file is checked a day later. */
  isNew?: boolean;
  /** Called with what SQLite found, once for every check that found something. */
  onDamage(findings: string[]): void;
  /** Rebuilds indexes that do not match their table. */
  reindex(indexes: string[]): Promise<void>;
  /** Compares derived data with the records when due; `checked` gets the number of wrong records. */
  records: { isCheckDue(): boolean; checked(found: number): Promise<void> };
  /** Replaces the check: it gets the path and the check's name as arguments and sends its findings. */
  script?: string;
  /** When the tables are checked first, and the records after them. */
  tablesAfterMs?: number;
}

type Check = "file" | "tables" | "records";

// A start of a process takes 5 ms from the worker's first answers.
const fileAfterMs = 200;

export function createIntegrityCheck(deps: IntegrityDeps) {
  const { databasePath, isNew = false, onDamage, records, script, tablesAfterMs = 60_000 } = deps;
  const timers: NodeJS.Timeout[] = [];
  const rebuilt = new Set<string>();
  let checking: ChildProcess | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function check(what: Check): Promise<void> {
    if (stopped || (what === "records" && !records.isCheckDue())) return;
    checking = startCheck(databasePath, what, script);
    const findings = await findingsOf(checking);
    if (stopped || findings === undefined) return;
    if (what === "records") return records.checked(sumOf(findings));
    const [damage, indexes] = [texts(findings.damage), texts(findings.indexes)];
    // An index that is wrong again after its rebuild was not the cause.
    if (damage.length > 0 || indexes.some((index) => rebuilt.has(index))) onDamage([...damage, ...indexes]);
    else if (indexes.length > 0) await rebuild(indexes);
  }

  async function rebuild(indexes: string[]): Promise<void> {
    for (const index of indexes) rebuilt.add(index);
    try {
      await deps.reindex(indexes);
    } catch (cause) {
      if (!isTransient(cause)) return onDamage([...indexes, String(cause)]);
      for (const index of indexes) rebuilt.delete(index);
      throw cause;
    }
  }

  function schedule(what: Check, everyMs: number, firstAfterMs?: number): void {
    const run = () => {
      running = running.then(() => failOpen("checking the database", () => check(what)));
    };
    timers.push(setInterval(run, everyMs).unref());
    if (firstAfterMs !== undefined) timers.push(setTimeout(run, firstAfterMs).unref());
  }

  return {
    start() {
      schedule("file", 24 * hourMs, isNew ? undefined : fileAfterMs);
      schedule("tables", 24 * hourMs, tablesAfterMs);
      // A worker that lives for less than a day checks too: the last check is stored.
      schedule("records", hourMs, tablesAfterMs);
    },
    /** Kills a running check. */
    stop() {
      stopped = true;
      // Clears an interval too.
      for (const timer of timers) clearTimeout(timer);
      checking?.kill("SIGKILL");
    },
  };
}

// Caused by the disk or another process: the next check tries again.
function isTransient(cause: unknown): boolean {
  const { code } = toMemError(cause);
  return code === "storage_full" || code === "storage_failed" || code === "storage_busy";
}

// A process, not a thread: a thread inside SQLite cannot be ended, so the worker's stop would wait for the check of a file
// of several GB. A damaged file that crashes SQLite does not end the worker either.
function startCheck(databasePath: string, what: Check, script?: string): ChildProcess {
  const child = fork(script ?? packageFile("dist", "check-process.cjs"), [databasePath, what], {
    env: {},
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

/** Undefined if the process ends without an answer. */
function findingsOf(child: ChildProcess): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(isJsonObject(message) ? message : undefined));
    child.once("error", reject);
    child.once("exit", () => resolve(undefined));
  });
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function sumOf(counts: Record<string, unknown>): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0);
}
