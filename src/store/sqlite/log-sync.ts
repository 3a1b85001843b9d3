// Syncs the write-ahead log outside of SQLite, on a thread of the pool: while it waits for the disk, the worker reads on.
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { failOpenSync, MemError } from "../../core/errors.ts";
import type { Sqlite } from "./open.ts";

export interface LogSync {
  /**
   * Calls `write`, which makes one transaction, without SQLite's own sync of it: that is left to `finish`. Undefined
   * when that cannot be done here, and then `write` was not called.
   */
  relaxed<T>(write: () => T): Unsynced<T> | undefined;
  /**
   * Before every other transaction: SQLite syncs it, whatever happened before. Throws `storage_failed` while something
   * of the log may not be on disk, behind which nothing is safe.
   */
  strict(): void;
}

type Sync = (file: number, onSynced: (cause: unknown) => void) => void;

interface Unsynced<T> {
  result: T;
  /** Syncs the log; tells why not, if it could not. */
  finish(onSynced: (failure: MemError | undefined) => void): void;
  /** Instead, when nothing was committed. */
  leave(): void;
}

/**
 * With NORMAL, SQLite leaves out one thing that it does with FULL: the sync of the log at the end of a commit. This is
 * that sync, on the same file, of all but the times of the file, which its fsync writes too; a log that begins anew, and
 * every checkpoint, SQLite syncs with both. The connection is back at FULL before anything else can write with it.
 */
export function createLogSync(db: Sqlite, sync: Sync = fdatasync): LogSync {
  // Elsewhere Node's call is another one than SQLite's: on a Mac it empties the drive's own cache too, which takes long.
  const isPossible = process.platform === "linux" && !db.memory;
  let mode: "full" | "normal" | "left normal" = "full";
  let unsynced: MemError | undefined;

  // Opened anew each time, 10 us: nothing has to close it with the database. SQLite holds no lock on this file that
  // closing it here could take away; its locks are on the two others.
  function openLog(): number | undefined {
    if (!isPossible || unsynced !== undefined || !db.open || db.inTransaction) return undefined;
    try {
      return openSync(`${db.name}-wal`, "r+");
    } catch {
      return undefined;
    }
  }

  // Refused inside of a transaction, one that could not even be rolled back; then `strict` does it.
  function restore(): void {
    mode = "left normal";
    failOpenSync("syncing every commit again", () => {
      db.pragma("synchronous = full");
      mode = "full";
    });
  }

  // What a sync has failed for once, the next one says nothing of, and the writes are in the log: a retry would be told
  // that they are stored. Back in the database, which is synced then, they are; the log begins anew behind them.
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
        db.pragma("synchronous = normal");
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

// The pool may be held up by files that have nothing to do with it, of a project on a network that is gone.
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
    // Also of a sync whose end was told already: the other one need not have heard of its failure.
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
