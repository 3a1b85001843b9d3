// Reads and replaces small private files of the data directory, without following links.
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
import { codeOf, isMissing, unlessMissing } from "../core/error-code.ts";
import { type ErrorCode, failOpenSync, MemError } from "../core/errors.ts";

// Our files have a few kilobytes.
const maxBytes = 1_048_576;
// A writer holds the new file for milliseconds; an older one belongs to a dead process. Less than a writer waits, 2 s.
const abandonedAfterMs = 1_500;
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
 * Replaces the file by the result of `change` (0600, atomic): the new text is synced before the rename. The new file is also
 * the lock, so writers take turns. If `change` returns null, nothing is written.
 */
export function replacePrivateFile(
  path: string,
  code: ErrorCode,
  change: (text: string | null) => string | null,
): void {
  const next = `${path}.new`;
  const descriptor = openNew(next, code);
  const { ino } = fstatSync(descriptor);
  // A writer that stood still for too long finds the file of another one.
  const isOurs = () => unlessMissing(() => lstatSync(next))?.ino === ino;
  try {
    const text = writeNext(descriptor, () => change(readPrivateFile(path, code)));
    if (!isOurs()) throw new Error(`another process replaced ${next}`);
    if (text === null) {
      rmSync(next);
      return;
    }
    renameSync(next, path);
  } catch (cause) {
    failOpenSync("remove an unfinished file", () => isOurs() && rmSync(next));
    if (cause instanceof MemError) throw cause;
    throw unwritable(path, code, cause);
  }
  syncDirectory(dirname(path));
}

/** Writes and syncs the text, unless it is null; closes the file in any case. */
function writeNext(descriptor: number, textOf: () => string | null): string | null {
  try {
    const text = textOf();
    if (text === null) return null;
    writeFileSync(descriptor, text);
    if (process.platform !== "win32") fchmodSync(descriptor, 0o600);
    fsyncSync(descriptor);
    return text;
  } finally {
    closeSync(descriptor);
  }
}

function refuseLink(path: string, code: ErrorCode): void {
  const stats = lstatSync(path);
  if (stats.isFile()) return;
  const what = stats.isSymbolicLink() ? "a symbolic link" : "not a file";
  throw new MemError(code, {
    message: `${path} is ${what}, so it is neither read nor written.`,
    hint: `Replace it with a regular file; it was not changed.`,
  });
}

// `wx` never opens an existing file or a planted link.
function openNew(path: string, code: ErrorCode): number {
  for (let step = 0; ; step += 1) {
    try {
      return openSync(path, "wx", 0o600);
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST" || step === waitSteps) {
        throw unwritable(path, code, cause);
      }
      removeAbandoned(path);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitStepMs);
    }
  }
}

// A full disk is not a problem of the file.
function unwritable(path: string, code: ErrorCode, cause: unknown): MemError {
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(String(codeOf(cause)))) {
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

// Windows cannot sync a directory; its rename is journaled.
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
