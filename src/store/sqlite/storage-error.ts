// Maps SQLite's errors to the error catalog.
import { MemError, toMemError } from "../../core/errors.ts";
import { Database } from "./library.ts";

/** True when the file is damaged or not a database. */
export function isDamage(cause: unknown): boolean {
  return cause instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code);
}

/** True when another process holds the lock. */
export function storageLocked(cause: unknown): boolean {
  return cause instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(cause.code);
}

/** True when the disk is full or fails. */
export function isStorageFailure({ code }: MemError): boolean {
  return code === "storage_full" || code === "storage_failed";
}

/** The error as a `MemError`: full, busy, damaged or failed storage, or an unchanged other error. */
export function storageError(cause: unknown): MemError {
  if (cause instanceof MemError || !(cause instanceof Database.SqliteError)) return toMemError(cause);
  if (cause.code === "SQLITE_FULL" || cause.code === "SQLITE_IOERR_WRITE")
    return new MemError("storage_full", { cause });
  if (storageLocked(cause)) return new MemError("storage_busy", { cause });
  if (isDamage(cause)) return new MemError("database_corrupt", { cause });
  if (/^SQLITE_(IOERR|CANTOPEN|READONLY|PERM)/.test(cause.code))
    return new MemError("storage_failed", { cause });
  return new MemError("internal", { cause });
}
