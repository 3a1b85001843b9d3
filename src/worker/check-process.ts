// A process that checks the database file while the worker already answers: 60 MB take about 115 ms.
import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";
import { checkDatabase, checkTable, type TableFindings, tablesIn } from "../store/sqlite/damage-check.ts";
import { disagreementsIn } from "../store/sqlite/derived-check.ts";

const [, , path = "", what = "file"] = process.argv;

// Each table is a read of its own, so that the log can be written back between them; half of the time is left to others.
async function checkTables(): Promise<TableFindings> {
  failOpenSync("giving way to others", () => setPriority(constants.priority.PRIORITY_LOW));
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

if (what === "tables") void checkTables().then((found) => process.send?.(found));
else
  process.send?.(what === "records" ? disagreementsIn(path) : { damage: checkDatabase(path), indexes: [] });
