// Checks the database file in a process beside the worker. Checking the pages of 60 MB takes about 115 ms.
import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";
import { checkDatabase, checkTable, type TableFindings, tablesIn } from "../store/sqlite/damage-check.ts";
import { disagreementsIn } from "../store/sqlite/derived-check.ts";

const [, , path = "", what = "file"] = process.argv;

const checks: Readonly<Record<string, () => object | Promise<object>>> = {
  file: () => ({ damage: checkDatabase(path), indexes: [] }),
  tables: checkTables,
  records: () => disagreementsIn(path),
};

// Each table is a separate read, so that the log can be checkpointed in between. Pauses for as long as each read took.
async function checkTables(): Promise<TableFindings> {
  failOpenSync("lowering the priority", () => setPriority(constants.priority.PRIORITY_LOW));
  const found: TableFindings = { damage: [], indexes: [] };
  for (const table of tablesIn(path)) {
    const since = systemClock.monotonicMs();
    const { damage, indexes } = checkTable(path, table);
    found.damage.push(...damage);
    found.indexes.push(...indexes);
    await delay(systemClock.monotonicMs() - since);
  }
  return found;
}

void Promise.resolve(checks[what]?.()).then((found) => process.send?.(found));
