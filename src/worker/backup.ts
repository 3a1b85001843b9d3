// `mem backup` beside a running worker, and `mem restore` while none runs.
import { existsSync, renameSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { unlessMissing } from "../core/error-code.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { asOutputFailure, demandPlainFile } from "../core/output-file.ts";
import type { DataPaths } from "../core/paths.ts";
import {
  type CopyProgress,
  copyDatabase,
  type MemoryCounts,
  removeCopy,
  replaceDatabaseBy,
} from "../store/sqlite/backup.ts";
import { takeOwnership } from "../store/sqlite/owner-lock.ts";

interface BackupRequest extends CopyProgress {
  paths: DataPaths;
  file: string;
}

export interface BackedUp {
  counts: MemoryCounts;
  bytes: number;
}

/** Copies the database to a file that gets its name when it is complete and checked. */
export async function backUp({ paths, file, ...progress }: BackupRequest): Promise<BackedUp> {
  const to = resolve(file);
  demandDirectory(to);
  if (!existsSync(paths.database)) {
    throw new MemError("not_found", {
      message: `There is no memory at ${paths.database}.`,
      hint: "MEM_DATA_DIR names another directory. `mem status` shows which one is used.",
    });
  }
  const part = `${to}.part`;
  try {
    const counts = await copyDatabase(paths.database, part, progress);
    renameSync(part, to);
    return { counts, bytes: statSync(to).size };
  } catch (cause) {
    throw asOutputFailure(to, cause);
  }
}

function demandDirectory(to: string): void {
  demandPlainFile(to, { hint: "Name another file: `mem backup FILE`." });
  if (unlessMissing(() => statSync(dirname(to)))?.isDirectory() === true) return;
  throw new MemError("output_failed", {
    message: `${dirname(to)} is not a directory.`,
    hint: "Create it first, or name another file.",
  });
}

export interface StagedBackup {
  counts: MemoryCounts;
  /** Replaces the database; returns where the replaced one stays. Throws `storage_busy` while a worker runs. */
  putInPlace(now: number): string | null;
  /** Removes what was staged. */
  drop(): void;
}

/** Copies a backup into the data directory and checks the copy; the database stays as it is until `putInPlace`. */
export async function stageBackup({ paths, file, ...progress }: BackupRequest): Promise<StagedBackup> {
  const staged = `${paths.database}.restoring`;
  const [from, present] = [resolve(file), unlessMissing(() => statSync(paths.database))];
  const given = failOpenSync("look at a backup", () => statSync(from));
  if (given !== undefined && given.ino === present?.ino && given.dev === present.dev) {
    throw new MemError("usage", {
      message: `${file} is the database itself. Nothing was changed.`,
      hint: "Name a file that `mem backup` wrote.",
    });
  }
  const counts = await copyDatabase(from, staged, progress);
  return {
    counts,
    putInPlace(now) {
      const ownership = takeOwnership(paths.ownerLock);
      if (ownership === undefined) {
        throw new MemError("storage_busy", {
          message: "A worker started meanwhile. Nothing was changed.",
          hint: "Run the command again.",
        });
      }
      try {
        return replaceDatabaseBy(staged, paths.database, now);
      } finally {
        ownership.release();
      }
    },
    drop: () => removeCopy(staged),
  };
}
