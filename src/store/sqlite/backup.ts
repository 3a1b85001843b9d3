// Copies a database as of one moment while others write, checks such a copy, and replaces the database by one; writes a
// database again in its place.
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isoTime } from "../../core/clock.ts";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { Database, openFile, openToRead } from "./library.ts";
import { schemaVersion } from "./migrate.ts";
import { busyTimeoutMs, type Sqlite } from "./open.ts";
import { syncDirectory } from "./set-aside.ts";
import { storageError } from "./storage-error.ts";

export interface CopyProgress {
  /** Pages copied so far, and in total. */
  onProgress(done: number, all: number): void;
  signal: AbortSignal;
}

/** How many records a copy has. */
export interface MemoryCounts {
  sessions: number;
  prompts: number;
  observations: number;
  summaries: number;
}

// 4 MB: a few milliseconds between two looks at the signal.
const pagesPerStep = 1_000;

/**
 * Copies the database at `from` into the new file `to`, readable by its owner only, and checks the copy. Throws `cancelled`
 * when the signal aborts, and what `checkCopy` throws. Without success no file stays.
 */
export async function copyDatabase(from: string, to: string, progress: CopyProgress): Promise<MemoryCounts> {
  removeCopy(to);
  // SQLite keeps the mode of an empty file.
  closeSync(openSync(to, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
  try {
    await copyPages(from, to, progress);
    const counts = checkCopy(to, from);
    syncFile(to);
    return counts;
  } catch (cause) {
    removeCopy(to);
    if (cause instanceof MemError) throw cause;
    throw fault(from, cause);
  }
}

/** Removes an unfinished copy. */
export function removeCopy(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

async function copyPages(from: string, to: string, { onProgress, signal }: CopyProgress): Promise<void> {
  const source = openToRead(from, cannotOpen(from));
  try {
    // SQLite starts a copy again when another connection writes meanwhile, except inside of a read transaction.
    source.exec("begin");
    source.prepare("select count(*) from sqlite_schema").get();
    const { totalPages: pages } = await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        if (signal.aborted) throw new MemError("cancelled");
        onProgress(totalPages - remainingPages, totalPages);
        return pagesPerStep;
      },
    });
    onProgress(pages, pages);
  } finally {
    source.close();
  }
}

const cannotOpen = (path: string) => (reason: string) => ({
  message: `${path} cannot be opened (${reason}).`,
  hint: "Check the path, and that you may read the file.",
});

/**
 * Checks the pages, the schema and its version, and makes the copy one file. Throws `export_invalid` for a file that is no
 * memory, `database_newer`, or `database_corrupt`.
 */
function checkCopy(path: string, from: string): MemoryCounts {
  const db = openFile(path);
  try {
    db.pragma("journal_mode = delete");
    const version = versionOf(db, from);
    if (version > schemaVersion) {
      throw new MemError("database_newer", {
        message: `${from} has schema version ${version}; this mem knows ${schemaVersion} at most.`,
        hint: "Update mem.",
      });
    }
    const findings = db.prepare<[], string>("pragma integrity_check(10)").pluck().all();
    if (findings.join() !== "ok") {
      throw damaged(from);
    }
    return countsOf(db);
  } finally {
    db.close();
  }
}

// Tables of other databases, such as the hub's, have versions too.
function versionOf(db: Sqlite, from: string): number {
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all();
  if (!["schema_versions", "sessions", "observations", "user_prompts"].every((name) => tables.includes(name)))
    throw noMemory(from);
  return db.prepare<[], number>("select max(version) from schema_versions").pluck().get() ?? 0;
}

function noMemory(from: string): MemError {
  return new MemError("export_invalid", {
    message: `${from} is not the database of a memory.`,
    hint: "`mem backup FILE` writes one. A file of `mem export` is read by `mem import jsonl`.",
  });
}

function fault(from: string, cause: unknown): MemError {
  const { code } = storageError(cause);
  if (cause instanceof Database.SqliteError && cause.code === "SQLITE_NOTADB") return noMemory(from);
  return code === "database_corrupt" ? damaged(from, cause) : storageError(cause);
}

function damaged(from: string, cause?: unknown): MemError {
  return new MemError("database_corrupt", {
    message: `${from} is damaged.`,
    hint: "`mem doctor` checks the memory itself. Of a backup, use another one.",
    cause,
  });
}

function countsOf(db: Sqlite): MemoryCounts {
  const count = (from: string) => db.prepare<[], number>(`select count(*) from ${from}`).pluck().get() ?? 0;
  return {
    sessions: count("sessions"),
    prompts: count("user_prompts where private = 0"),
    observations: count("observations"),
    summaries: count("session_summaries"),
  };
}

/**
 * Replaces the database at `path`, which no process may have open, by a checked copy. Returns the path at which the
 * replaced database stays, null if there was none. Killed at any moment, either the old or the new one is complete there.
 */
export function replaceDatabaseBy(copy: string, path: string, now: number): string | null {
  forgetDevice(copy);
  const kept = existsSync(path) ? keepReplaced(path, now) : null;
  renameSync(copy, path);
  syncDirectory(dirname(path));
  return kept;
}

/** Removes databases that were replaced before that time; returns 0, for there are few. */
export function dropReplaced(path: string, before: number): number {
  const prefix = `${basename(path)}.replaced-`;
  const oldest = prefix + stampOf(before);
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(prefix) && name < oldest) rmSync(join(dirname(path), name), { force: true });
  return 0;
}

/** For names of files: sorts by time. */
function stampOf(now: number): string {
  return isoTime(now).replace(/[-:]|\.\d+/g, "");
}

// The hub knows rows that the device wrote since, under the same numbers: sync takes a new id, as for a copied directory.
function forgetDevice(path: string): void {
  const db = openFile(path);
  try {
    const hasSync = db.prepare("select 1 from sqlite_schema where name = 'sync_state'").get() !== undefined;
    if (hasSync) db.prepare("delete from sync_state where name = 'nonce'").run();
  } finally {
    db.close();
  }
}

function keepReplaced(path: string, now: number): string {
  // What is only in the log must be in the file that stays. A damaged database keeps its log beside it.
  failOpenSync("writing the log back into the replaced database", () => {
    const db = openFile(path);
    try {
      db.pragma("wal_checkpoint(truncate)");
    } finally {
      db.close();
    }
  });
  const stamp = stampOf(now);
  let kept = `${path}.replaced-${stamp}`;
  for (let n = 2; existsSync(kept); n++) kept = `${path}.replaced-${stamp}-${n}`;
  linkOrCopy(path, kept);
  // SQLite would apply it to the restored database.
  for (const suffix of ["-wal", "-shm", "-journal"])
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
  return kept;
}

// Some file systems have no links.
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    syncFile(to);
  }
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

// The copy and the log; half a database more stays free for the worker.
const neededSizes = 2.5;

/**
 * Writes the file again without its gaps, in which bytes of deleted rows may be left. Blocks the writes of other
 * connections until it calls `onWritten`, then writes the log back into the file. Killed at any moment, the old or the new
 * file is complete. Throws `storage_full` when there is little space.
 */
export function rewriteDatabase(path: string, onWritten: () => void): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < statSync(path).size * neededSizes) throw new MemError("storage_full");
  const db = openFile(path, { timeout: busyTimeoutMs });
  try {
    db.pragma("secure_delete = on");
    // The log is as large as the database then: writing it back must not delay `onWritten`.
    db.pragma("wal_autocheckpoint = 0");
    db.exec("vacuum");
    onWritten();
    db.pragma("wal_checkpoint(passive)");
  } finally {
    db.close();
  }
}
