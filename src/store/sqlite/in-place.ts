// Whether the database files are still at their path. SQLite keeps writing to removed or replaced files, and those writes
// are lost with the process.
import { statSync } from "node:fs";
import { unlessMissing } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import type { Sqlite } from "./open.ts";

/** Throws `storage_failed` when the files of an open database are no longer at its path. */
export type PlaceCheck = () => void;

/** Assumes that the present files are the opened ones. A call takes 1 % of the time of a sync. */
export function createPlaceCheck(db: Sqlite): PlaceCheck {
  if (db.memory) return () => undefined;
  const database = fileAt(db.name);
  // Created by the first transaction, and present until the database is closed.
  let log = fileAt(`${db.name}-wal`);
  return () => {
    log ??= fileAt(`${db.name}-wal`);
    const isGone = fileAt(db.name) !== database || (log !== undefined && fileAt(`${db.name}-wal`) !== log);
    if (!isGone) return;
    throw new MemError("storage_failed", {
      message: `${db.name} or its log was removed or replaced while the worker ran, so nothing is stored.`,
      hint: "Start the worker again: `mem worker restart`.",
    });
  };
}

function fileAt(path: string): string | undefined {
  const stats = unlessMissing(() => statSync(path));
  return stats && `${stats.dev}:${stats.ino}`;
}
