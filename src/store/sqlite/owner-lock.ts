// One worker per data directory: an exclusive lock on a separate file, held for the worker's life. The kernel frees it with
// the process, so a killed worker does not block the next one.
import { statSync, truncateSync } from "node:fs";
import type Database from "better-sqlite3";
import { unlessMissing } from "../../core/error-code.ts";
import { failOpenSync } from "../../core/errors.ts";
import { openFile } from "./library.ts";
import { isDamage, storageError, storageLocked } from "./storage-error.ts";

export interface Ownership {
  /**
   * Locks the file again if it was removed or replaced. False when that fails, or another worker was faster.
   */
  renew(): boolean;
  release(): void;
}

/**
 * Takes the lock, or returns undefined when another worker holds it. Empties a damaged lock file first. Throws a storage
 * error when nothing can be written.
 */
export function takeOwnership(lockFile: string): Ownership | undefined {
  const first = lockOrEmpty(lockFile);
  if (first === undefined) return undefined;
  let held = { lock: first, file: fileAt(lockFile) };
  return {
    renew() {
      if (held.file !== undefined && fileAt(lockFile) === held.file) return true;
      const next = failOpenSync("locking the data directory again", () => lockOrEmpty(lockFile));
      if (next === undefined) return false;
      held.lock.close();
      held = { lock: next, file: fileAt(lockFile) };
      return true;
    },
    release: () => void held.lock.close(),
  };
}

function fileAt(path: string): string | undefined {
  const stats = unlessMissing(() => statSync(path));
  return stats && `${stats.dev}:${stats.ino}`;
}

function lockOrEmpty(lockFile: string): Database.Database | undefined {
  try {
    return lock(lockFile);
  } catch (cause) {
    if (!isDamage(cause)) throw storageError(cause);
  }
  // Emptied, not removed: two workers that both remove it would lock two files. It stores nothing.
  truncateSync(lockFile);
  return lock(lockFile);
}

function lock(lockFile: string): Database.Database | undefined {
  const held = openFile(lockFile, { timeout: 0 });
  try {
    held.pragma("locking_mode = exclusive");
    held.exec("begin exclusive");
  } catch (cause) {
    held.close();
    if (storageLocked(cause)) return undefined;
    throw cause;
  }
  return held;
}
