// One owner per data directory: an exclusive lock on a file of its own, held for life. The kernel frees it with the
// process, so a killed owner leaves nothing behind that could block the next one.
import { truncateSync } from "node:fs";
import Database from "better-sqlite3";
import { isDamage, storageError, storageLocked } from "./storage-error.ts";

export interface Ownership {
  release(): void;
}

/**
 * Takes the lock, or returns undefined at once when another worker holds it. A damaged lock file is emptied first.
 * Throws a storage error where nothing can be written.
 */
export function takeOwnership(lockFile: string): Ownership | undefined {
  try {
    return lock(lockFile);
  } catch (cause) {
    if (!isDamage(cause)) throw storageError(cause);
  }
  // Emptied, not removed: two workers that both remove it would lock two files. Nothing is ever stored in it.
  truncateSync(lockFile);
  return lock(lockFile);
}

function lock(lockFile: string): Ownership | undefined {
  const held = new Database(lockFile, { timeout: 0 });
  try {
    held.pragma("locking_mode = exclusive");
    held.exec("begin exclusive");
  } catch (cause) {
    held.close();
    if (storageLocked(cause)) return undefined;
    throw cause;
  }
  return { release: () => void held.close() };
}
