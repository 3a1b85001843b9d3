// One owner per data directory: an exclusive lock on a file of its own, held for life. The kernel frees it with the
// process, so a killed owner leaves nothing behind that could block the next one.
import { statSync, truncateSync } from "node:fs";
import Database from "better-sqlite3";
import { failOpenSync } from "../../core/errors.ts";
import { isDamage, storageError, storageLocked } from "./storage-error.ts";

export interface Ownership {
  /**
   * Looks whether the lock file is still the locked one, and locks the new one where it was removed. False when that is
   * not possible, or another worker was faster.
   */
  renew(): boolean;
  release(): void;
}

/**
 * Takes the lock, or returns undefined at once when another worker holds it. A damaged lock file is emptied first.
 * Throws a storage error where nothing can be written.
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
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function lockOrEmpty(lockFile: string): Database.Database | undefined {
  try {
    return lock(lockFile);
  } catch (cause) {
    if (!isDamage(cause)) throw storageError(cause);
  }
  // Emptied, not removed: two workers that both remove it would lock two files. Nothing is ever stored in it.
  truncateSync(lockFile);
  return lock(lockFile);
}

function lock(lockFile: string): Database.Database | undefined {
  const held = new Database(lockFile, { timeout: 0 });
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
