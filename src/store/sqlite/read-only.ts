// The database read by a command, as of one moment, beside a worker that writes.
import { MemError } from "../../core/errors.ts";
import { openToRead } from "./library.ts";
import { schemaVersion } from "./migrate.ts";
import type { Sqlite } from "./open.ts";
import { isDamage, storageError } from "./storage-error.ts";

/**
 * Opens the database for reading; later writes are not seen. Throws `not_found`, `database_newer`, `database_corrupt`, or
 * `worker_unreachable` when a worker must update the database first.
 */
export function openReadOnly(path: string): Sqlite {
  const db = openToRead(path, () => ({
    message: `There is no memory at ${path}.`,
    hint: "MEM_DATA_DIR names another directory. `mem status` shows which one is used.",
  }));
  try {
    db.exec("begin");
    demandSchema(db);
    return db;
  } catch (cause) {
    db.close();
    throw isDamage(cause) ? new MemError("database_corrupt", { cause }) : storageError(cause);
  }
}

// Another version has other columns.
function demandSchema(db: Sqlite): void {
  const version = db.prepare<[], number>("select max(version) from schema_versions").pluck().get() ?? 0;
  if (version === schemaVersion) return;
  if (version > schemaVersion) {
    throw new MemError("database_newer", {
      message: `The database has schema version ${version}; this mem knows ${schemaVersion} at most.`,
    });
  }
  throw new MemError("worker_unreachable", {
    message: "The database was written by an older mem, and no worker has updated it yet.",
    hint: "Start the worker, which updates it: `mem worker restart`.",
  });
}

/** Today's label of a project that is named by it or by a former one. Throws `not_found`. */
export function currentLabel(db: Sqlite, label: string): string {
  const found = db
    .prepare<[{ label: string }], string>(
      `select label from projects where label = @label
       union all
       select p.label from project_aliases a join projects p on p.id = a.project_id where a.label = @label
       limit 1`,
    )
    .pluck()
    .get({ label });
  if (found !== undefined) return found;
  throw new MemError("not_found", {
    message: `No project named \`${label}\`.`,
    hint: "List projects: `mem project list`.",
  });
}
