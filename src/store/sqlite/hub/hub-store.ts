// The hub's store in SQLite: one file, one process that serves it, commands beside it.
import { createGroupCommit, type GroupCommit } from "../group-commit.ts";
import { closeDatabase, openDatabase } from "../open.ts";
import { createHubAccounts } from "./hub-accounts.ts";
import { createHubLog } from "./hub-log.ts";
import hub from "./migrations/0001-hub.sql";

const migrations = [{ version: 1, name: "hub", sql: hub }];

/** Opens the file, and creates and migrates it. Throws like `openDatabase`. */
export function openHubStore(path: string, options: { product: string; now: number }) {
  const db = openDatabase(path, { ...options, migrations });
  const { commit }: Pick<GroupCommit, "commit"> = createGroupCommit(db);
  const version = db.prepare<[], number>("pragma data_version").pluck();
  let seen = version.get();
  return {
    ...createHubLog(db, commit),
    ...createHubAccounts(db, commit),
    /** True when another process committed since the last call. */
    changedElsewhere(): boolean {
      const before = seen;
      seen = version.get();
      return seen !== before;
    },
    close: () => closeDatabase(db),
  };
}
