// Syncs the write-ahead log outside of SQLite, on a pool thread: the worker keeps reading while the disk writes.
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { failOpenSync, MemError } from "../../core/errors.ts";
import type { Sqlite } from "./open.ts";

export interface LogSync {
  /**
   * Calls `write`, one transaction, without SQLite's own sync, which `finish` does instead. Undefined when that is not
   * possible here; then `write` was not called.
   */
  relaxed<T>(write: () => T): Unsynced<T> | undefined;
  /**
   * Before every other transaction: makes SQLite sync it. Throws `storage_failed` while a part of the log may not be on
   * disk: later writes would not be safe.
   */
  strict(): void;
}

type Sync = (file: number, onSynced: (cause: unknown) => void) => void;

interface Unsynced<T> {
  result: T;
  /** Syncs the log; reports the failure, if any. */
  finish(onSynced: (failure: MemError | undefined) => void): void;
  /** Instead, when nothing was committed. */
  leave(): void;
}

/**
 * With NORMAL, SQLite omits one step of FULL: the sync of the log at the end of a commit. This is that sync, on the same
 * file, without the file's times. SQLite syncs a restarted log and every checkpoint with both settings. The connection is
 * back at FULL before anything else can write.
 */
export function createLogSync(db: Sqlite, sync: Sync = fdatasync): LogSync {
  // On other systems Node's call differs from SQLite's: on macOS it also flushes the drive's cache, which is slow.
  const isPossible = process.platform === "linux" && !db.memory;
  let mode: "full" | "normal" | "left normal" = "full";
  let unsynced: MemError | undefined;

  // Opened each time (10 us), so that nothing has to close it with the database. Closing it releases no lock of SQLite:
  // those are on the other two files.
  function openLog(): number | undefined {
    if (!isPossible || unsynced !== undefined || !db.open || db.inTransaction) return undefined;
    try {
      return openSync(`${db.name}-wal`, "r+");
    } catch {
      return undefined;
    }
  }

  // Refused inside a transaction that could not be rolled back; `strict` tries again.
  function restore(): void {
    mode = "left normal";
    failOpenSync("syncing every commit again", () => {
      db.exec("pragma synchronous = full");
      mode = "full";
    });
  }

  // After a failed sync the next one reports success, although the writes may be lost: a retry would be acknowledged. A
  // checkpoint writes them into the database, which is synced, and restarts the log.
  function writeBack(cause: MemError): MemError | undefined {
    const isBack = failOpenSync("writing back what could not be synced", () => {
      const [done] = db.pragma("wal_checkpoint(truncate)") as { busy: number }[];
      return done?.busy === 0;
    });
    unsynced = isBack === true ? undefined : cause;
    return unsynced;
  }

  return {
    relaxed(write) {
      const file = openLog();
      if (file === undefined) return undefined;
      try {
        // `pragma` would prepare a statement, 5 us twice for every commit; SQLite runs this one while it parses it.
        db.exec("pragma synchronous = normal");
        mode = "normal";
        return {
          result: write(),
          finish: (onSynced) => syncLog({ file, sync, writeBack, onSynced }),
          leave: () => closeLog(file),
        };
      } catch (cause) {
        closeLog(file);
        throw cause;
      } finally {
        restore();
      }
    },
    strict() {
      if (mode === "left normal") restore();
      if (unsynced !== undefined && writeBack(unsynced) !== undefined) throw unsynced;
    },
  };
}

function closeLog(file: number): void {
  failOpenSync("closing the log", () => closeSync(file));
}

// The pool may be blocked by other files, such as a project's files on an unreachable network.
const longestWaitMs = 250;

interface Syncing {
  file: number;
  sync: Sync;
  writeBack(cause: MemError): MemError | undefined;
  onSynced(failure: MemError | undefined): void;
}

function syncLog({ file, sync, writeBack, onSynced }: Syncing): void {
  let isTold = false;
  const tell = (cause: unknown): void => {
    clearTimeout(late);
    // Also for a sync that was reported already: the other one may not have seen its failure.
    const failure = cause ? writeBack(new MemError("storage_failed", { cause })) : undefined;
    if (isTold) return;
    isTold = true;
    onSynced(failure);
  };
  const late = setTimeout(() => {
    try {
      fdatasyncSync(file);
      tell(undefined);
    } catch (cause) {
      tell(cause);
    }
  }, longestWaitMs);
  sync(file, (cause) => {
    closeLog(file);
    tell(cause);
  });
}
