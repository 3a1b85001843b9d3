// Checks the database file in a process beside the worker. Checking the pages of 60 MB takes about 115 ms. It ends with
// the process that asked, also when that one is killed.
import { constants, setPriority } from "node:os";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { systemClock } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";
import { checkDatabase, checkTable, type TableFindings, tablesIn } from "../store/sqlite/damage-check.ts";
import { type Disagreements, derivedKinds, disagreementsIn } from "../store/sqlite/derived-check.ts";

const [, , path = "", what = "file"] = process.argv;

const checks: Readonly<Record<string, () => object | Promise<object>>> = {
  file: () => ({ damage: checkDatabase(path), indexes: [] }),
  tables: checkTables,
  records: checkRecords,
};

async function checkTables(): Promise<TableFindings> {
  const found: TableFindings = { damage: [], indexes: [] };
  await inTurns(tablesIn(path), (table) => {
    const { damage, indexes } = checkTable(path, table);
    found.damage.push(...damage);
    found.indexes.push(...indexes);
  });
  return found;
}

async function checkRecords(): Promise<Disagreements> {
  const found: Disagreements = {};
  await inTurns(derivedKinds, (kind) => Object.assign(found, disagreementsIn(path, kind)));
  return found;
}

// Each part is a separate read, so that the log can be checkpointed in between. Pauses for as long as each read took.
async function inTurns(parts: readonly string[], read: (part: string) => void): Promise<void> {
  for (const part of parts) {
    const since = systemClock.monotonicMs();
    read(part);
    await delay(systemClock.monotonicMs() - since);
  }
}

async function answer(): Promise<void> {
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  // The end of the asking process is seen between two turns, and a read of SQLite is one turn.
  await turn();
  // The first check comes with a start, whose first requests go before it.
  failOpenSync("lowering the priority", () => setPriority(constants.priority.PRIORITY_LOW));
  const found = await checks[what]?.();
  process.send?.(found, () => process.disconnect());
}

void answer();
