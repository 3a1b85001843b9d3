// Syncs the write-ahead log outside of SQLite, on a thread of the pool: while it waits for the disk, the worker reads on.
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { failOpenSync, MemError } from "../../errors.ts";
import type { Sqlite } from "./open.ts";

export interface LogSync {
  /**
   * Calls `write`, which makes one transaction, without SQLite's own sync of it: that is left to `finish`. Undefined
   * when that cannot be done here, and then `write` was not called.
   */
  relaxed<T>(write: () => T): Unsynced<T> | undefined;
  /** Before every other transaction: SQLite syncs it, whatever happened before. */
  strict(): void;
}

interface Unsynced<T> {
  result: T;
  /** Syncs the log; tells why not, if it could not. */
  finish(onSynced: (failure: MemError | undefined) => void): void;
}

/**
 * With NORMAL, SQLite leaves out one thing that it does with FULL: the sync of the log at the end of a commit. This is
 * that same call, on the same file; a log that begins anew, and every checkpoint, SQLite syncs with both. The connection
 * is back at FULL before anything else can write with it.
 */
export function createLogSync(db: Sqlite): LogSync {
  // Elsewhere Node's call is another one than SQLite's: on a Mac it empties the drive's own cache too, which takes long.
  const isPossible = process.platform === "linux" && !db.memory;
  let mode: "full" | "normal" | "left normal" = "full";

  // Opened anew each time, 10 us: nothing has to close it with the database. SQLite holds no lock on this file that
  // closing it here could take away; its locks are on the two others.
  function openLog(): number | undefined {
    if (!isPossible || !db.open || db.inTransaction) return undefined;
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

  return {
    relaxed(write) {
      const file = openLog();
      if (file === undefined) return undefined;
      try {
        db.pragma("synchronous = normal");
        mode = "normal";
        return { result: write(), finish: (onSynced) => syncLog(file, onSynced) };
      } catch (cause) {
        closeSync(file);
        throw cause;
      } finally {
        restore();
      }
    },
    strict() {
      if (mode === "left normal") restore();
    },
  };
}

// The pool may be held up by files that have nothing to do with it, of a project on a network that is gone.
const longestWaitMs = 250;

function syncLog(file: number, onSynced: (failure: MemError | undefined) => void): void {
  let isTold = false;
  const tell = (cause: unknown): void => {
    clearTimeout(late);
    if (isTold) return;
    isTold = true;
    onSynced(cause ? new MemError("storage_failed", { cause }) : undefined);
  };
  const late = setTimeout(() => {
    try {
      fdatasyncSync(file);
      tell(undefined);
    } catch (cause) {
      tell(cause);
    }
  }, longestWaitMs);
  fdatasync(file, (cause) => {
    failOpenSync("closing the log", () => closeSync(file));
    tell(cause);
  });
}
