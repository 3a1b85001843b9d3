// The log: one JSON line an entry in the data directory, rotated, with secrets left out.
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
import { createRepeatedErrors, loggedError, type RepeatedErrors } from "./log-errors.ts";

export type Log = Logger;

/** Levels of the contract, and pino's names for them. */
const levels = { DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error", SILENT: "silent" } as const;
export type LogLevel = keyof typeof levels;

/**
 * A log that writes to `file` (0600; five files of 5 MB). A file that cannot be written (a full disk) costs lines, never
 * the process. `close` resolves when everything is written.
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

/** The same log on stderr, for a process whose output somebody else collects: a container, a service manager. */
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
 * Writes down why the process is about to end, at once: the log is written asynchronously, so a crash would take its
 * own reason with it. One older file of 1 MB is kept.
 */
export function recordCrash(file: string, cause: unknown, now: number): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxCrashBytes) renameSync(file, `${file}.1`);
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const descriptor = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    writeSync(descriptor, `${isoTime(now)} ${redactSecrets(inspect(cause))}\n`);
  } finally {
    closeSync(descriptor);
  }
}

const maxCrashBytes = 1_048_576;
// A disk that is full stays so for a while; until then lines are dropped without asking it again.
const reopenAfterMs = 5_000;

interface Lines {
  write(line: string): void;
  close(): Promise<void>;
}

// A stream that failed once is destroyed, so the next attempt is a new one.
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

// Requests are logged by path alone; these stay out even if an object that carries them is logged whole.
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
