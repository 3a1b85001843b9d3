// Small files of the data directory that only their owner may read: read and replaced without following links.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { systemClock } from "../core/clock.ts";
import { type ErrorCode, failOpenSync, MemError } from "../core/errors.ts";

// A settings file is a few kilobytes; what is larger was not written by us.
const maxBytes = 1_048_576;
// A writer holds the new file for milliseconds; one this old was left by a process that died.
const abandonedAfterMs = 10_000;
const waitStepMs = 20;
const waitSteps = 100;

/** The text of the file, null when there is none. Throws `code` for a link, a non-file, or one that is too large. */
export function readPrivateFile(path: string, code: ErrorCode): string | null {
  let descriptor: number | undefined;
  try {
    refuseLink(path, code);
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    if (fstatSync(descriptor).size > maxBytes) throw new MemError(code, { message: `${path} is too large.` });
    return readFileSync(descriptor, "utf8");
  } catch (cause) {
    if (isMissing(cause)) return null;
    if (cause instanceof MemError) throw cause;
    throw new MemError(code, { message: `${path} cannot be read.`, cause });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Replaces the file by what `change` makes of its present text, mode 0600, all or nothing: the new text is on the disk
 * before the name moves to it. The new file doubles as a lock, so two writers follow each other. When `change` returns
 * null, nothing is written.
 */
export function replacePrivateFile(
  path: string,
  code: ErrorCode,
  change: (text: string | null) => string | null,
): void {
  const next = `${path}.new`;
  const descriptor = openNew(next, code);
  try {
    const text = change(readPrivateFile(path, code));
    if (text === null) {
      closeSync(descriptor);
      rmSync(next, { force: true });
      return;
    }
    writeFileSync(descriptor, text);
    if (process.platform !== "win32") fchmodSync(descriptor, 0o600);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(next, path);
  } catch (cause) {
    failOpenSync("close an unfinished file", () => closeSync(descriptor));
    rmSync(next, { force: true });
    if (cause instanceof MemError) throw cause;
    throw unwritable(path, code, cause);
  }
  syncDirectory(dirname(path));
}

function refuseLink(path: string, code: ErrorCode): void {
  const stats = lstatSync(path);
  if (stats.isFile()) return;
  const what = stats.isSymbolicLink() ? "a symbolic link" : "not a file";
  throw new MemError(code, {
    message: `${path} is ${what}, so it is neither read nor written.`,
    hint: `Put a regular file in its place; it was left as it is.`,
  });
}

// `wx` never opens what is already there, a planted link included.
function openNew(path: string, code: ErrorCode): number {
  for (let step = 0; ; step += 1) {
    try {
      return openSync(path, "wx", 0o600);
    } catch (cause) {
      if (errorCode(cause) !== "EEXIST" || step === waitSteps) {
        throw unwritable(path, code, cause);
      }
      removeAbandoned(path);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitStepMs);
    }
  }
}

// What is wrong with the disk is not to be mended in the file.
function unwritable(path: string, code: ErrorCode, cause: unknown): MemError {
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(String(errorCode(cause)))) {
    const message = `The disk is full: ${basename(path)} was not changed.`;
    return new MemError("storage_full", { message, hint: "Free some space, then try again.", cause });
  }
  return new MemError(code, { message: `${basename(path)} cannot be written.`, cause });
}

function removeAbandoned(path: string): void {
  failOpenSync("look at an unfinished file", () => {
    const stats = lstatSync(path);
    if (!stats.isFile() || systemClock.now() - stats.mtimeMs > abandonedAfterMs) rmSync(path);
  });
}

// Windows has no descriptor of a directory to sync; its rename is journalled.
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isMissing(cause: unknown): boolean {
  return errorCode(cause) === "ENOENT";
}

function errorCode(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
