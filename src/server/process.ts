// Log, signals and console of a server process.
import { dirname } from "node:path";
import { systemClock } from "../core/clock.ts";
import { makePrivateDirectory } from "../core/directory.ts";
import { MemError } from "../core/errors.ts";
import { createLog, createStderrLog, type Log } from "../core/log.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { toStorageError } from "../store/postgres/storage-error.ts";

/** On a terminal the log goes to `file`, else to stderr. */
export function openProcessLog(
  { settings, isTerminal }: { settings: LoadedSettings; isTerminal: boolean },
  file: string,
): { log: Log; close: () => Promise<void> } {
  const level = settings.get("MEM_LOG_LEVEL");
  if (!isTerminal) return createStderrLog(level);
  makePrivateDirectory(dirname(file));
  return createLog(file, level);
}

const stopTimeoutMs = 9_500;
// `timeout` and service managers signal a process and then its group: two signals within this time are one.
const sameSignalMs = 1_000;

/** Runs `end` and exits on the first signal; another signal a second later exits immediately. */
export function endWithSignals(log: Log, end: () => Promise<void>): void {
  let since: number | undefined;
  function stop(reason: string): void {
    const now = systemClock.monotonicMs();
    if (since !== undefined) {
      if (now - since >= sameSignalMs) process.exit(1);
      return;
    }
    since = now;
    log.info({ reason }, "stopping");
    setTimeout(() => process.exit(1), stopTimeoutMs).unref();
    end().then(
      () => process.exit(0),
      (cause: unknown) => {
        log.fatal({ err: cause }, "stopping failed");
        process.exit(1);
      },
    );
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop(signal));
}

const consoleMethods = ["error", "warn", "trace", "info", "log"] as const;

/**
 * Sends what libraries print on the console to the log, until `isEnding`: their output has many lines and whole objects.
 * Returns the function that restores the console.
 */
export function logConsole(log: Pick<Log, "warn">, isEnding: () => boolean): () => void {
  const { console } = globalThis;
  const original = Object.fromEntries(consoleMethods.map((name) => [name, console[name]]));
  const write = (...values: unknown[]): void => {
    if (isEnding()) return;
    const cause = values.find((value) => value instanceof Error);
    const message = values.filter((value) => typeof value === "string").join(" ");
    const err = cause === undefined ? new MemError("internal", { message }) : toStorageError(cause);
    log.warn({ err }, "printed by a library");
  };
  Object.assign(console, Object.fromEntries(consoleMethods.map((name) => [name, write])));
  return () => Object.assign(console, original);
}
