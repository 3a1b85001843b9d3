// The log: JSON lines in the data directory, rotated, without secrets.
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { inspect } from "node:util";
import { type Logger, type LoggerOptions, pino, stdTimeFunctions } from "pino";
import { createStream, type RotatingFileStream } from "rotating-file-stream";
import { redactSecrets } from "../privacy/secrets.ts";
import { type Clock, isoTime, systemClock } from "./clock.ts";
import { unlessMissing } from "./error-code.ts";
import { createRepeatedErrors, loggedError, type RepeatedErrors } from "./log-errors.ts";

export type Log = Logger;

/** Levels of the contract, and pino's names for them. */
const levels = { DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error", SILENT: "silent" } as const;
export type LogLevel = keyof typeof levels;

/**
 * A log in `file` (0600; five files of 5 MB). If the file cannot be written (a full disk), lines are lost, never the
 * process. `close` resolves when everything is written.
 */
export function createLog(
  file: string,
  level: LogLevel,
  clock: Clock = systemClock,
): { log: Log; close: () => Promise<void> } {
  const lines = createLines(file, clock);
  const repeated = createRepeatedErrors();
  return {
    log: pino(optionsOf(level, repeated), lines),
    close() {
      repeated.flush();
      return lines.close();
    },
  };
}

/** The same log on stderr, for containers and service managers. */
export function createStderrLog(level: LogLevel): { log: Log; close: () => Promise<void> } {
  const destination = pino.destination({ fd: 2, sync: true });
  const repeated = createRepeatedErrors();
  return {
    log: pino(optionsOf(level, repeated), destination),
    async close() {
      repeated.flush();
      destination.flushSync();
    },
  };
}

function optionsOf(level: LogLevel, { logMethod }: RepeatedErrors): LoggerOptions {
  return {
    level: levels[level],
    base: null,
    serializers: { err: loggedError },
    hooks: { logMethod },
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: redactedPaths, censor: "[redacted]" },
  };
}

/**
 * Writes the cause of a crash synchronously: the log is asynchronous and would lose it. Keeps one older file of 1 MB.
 */
export function recordCrash(file: string, cause: unknown, now: number): void {
  if ((unlessMissing(() => statSync(file))?.size ?? 0) > maxCrashBytes) renameSync(file, `${file}.1`);
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const descriptor = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    writeSync(descriptor, `${isoTime(now)} ${redactSecrets(inspect(cause))}\n`);
  } finally {
    closeSync(descriptor);
  }
}

const maxCrashBytes = 1_048_576;
// A full disk stays full for a while: lines are dropped until the next attempt.
const reopenAfterMs = 5_000;

interface Lines {
  write(line: string): void;
  close(): Promise<void>;
}

// A failed stream is destroyed, so the next attempt opens a new one.
function createLines(file: string, clock: Clock): Lines {
  let failedAt = Number.NEGATIVE_INFINITY;
  let stream: RotatingFileStream | undefined = open();

  function open(): RotatingFileStream {
    const opened = createStream(basename(file), {
      path: dirname(file),
      size: "5M",
      maxFiles: 5,
      mode: 0o600,
      teeToStdout: false,
    });
    opened.on("error", () => {
      if (stream === opened) stream = undefined;
      failedAt = clock.monotonicMs();
    });
    if (existsSync(file)) chmodSync(file, 0o600);
    return opened;
  }

  return {
    write(line) {
      if (stream === undefined && clock.monotonicMs() - failedAt < reopenAfterMs) return;
      stream ??= open();
      stream.write(line);
    },
    close: () =>
      new Promise((resolve) => {
        if (stream === undefined) resolve();
        else stream.end(() => resolve());
      }),
  };
}

// Requests are logged by path only; these stay out even if a whole object is logged.
const redactedPaths = [
  "token",
  "secret",
  "*.token",
  "*.secret",
  "headers",
  "*.headers",
  "req.url",
  "*.authorization",
  "*.api_key",
];
