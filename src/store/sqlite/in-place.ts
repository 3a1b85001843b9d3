// Whether the database still lies where it was opened. SQLite goes on writing to files that were removed or replaced, and
// what it writes there ends with the process.
import { statSync } from "node:fs";
import { MemError } from "../../core/errors.ts";
import type { Sqlite } from "./open.ts";

/** Throws `storage_failed` when the files of an open database are not the ones at its path any more. */
export type PlaceCheck = () => void;

/** Takes the files that are there now for those that were opened. A call takes 1 % of the time of a sync. */
export function createPlaceCheck(db: Sqlite): PlaceCheck {
  if (db.memory) return () => undefined;
  const database = fileAt(db.name);
  // Made by the first transaction, and there until the database is closed.
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
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
