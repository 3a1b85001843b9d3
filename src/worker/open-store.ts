// Opens the database for the worker; a damaged one is renamed, and its readable rows move to a new one.
import { existsSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { version } from "../core/version.ts";
import { damageBehind } from "../store/sqlite/damage-check.ts";
import { closeDatabase, openDatabase, type Sqlite } from "../store/sqlite/open.ts";
import { type Salvaged, salvage } from "../store/sqlite/salvage.ts";
import {
  clearRebuilding,
  putInPlace,
  type Replacement,
  readReport,
  setAside,
  setAsideNames,
  unfinishedReplacement,
  writeReport,
} from "../store/sqlite/set-aside.ts";

interface OpenRequest {
  path: string;
  clock: Clock;
  log: Log;
}

/** Throws what `openDatabase` throws, except for damage, which it repairs. */
export function openStore(request: OpenRequest): Sqlite {
  const { path, clock, log } = request;
  const unfinished = unfinishedReplacement(path);
  if (unfinished !== undefined) {
    log.warn(
      { aside: unfinished.aside },
      "the recovery of a damaged database was interrupted, it starts again",
    );
    return rebuild(unfinished, request);
  }
  try {
    return openDatabase(path, { product: version(), now: clock.now() });
  } catch (cause) {
    if (damageBehind(cause, path).length === 0) throw cause;
    log.error({ err: cause }, "the database cannot be opened");
    return replaceDatabase(request);
  }
}

/**
 * Renames the damaged database and opens a new one with all readable rows. The old one is closed. A process that is killed
 * meanwhile loses nothing: the next `openStore` starts again.
 */
export function replaceDatabase(request: OpenRequest): Sqlite {
  return rebuild(setAside(request.path, request.clock.now()), request);
}

function rebuild(replacement: Replacement, { path, clock, log }: OpenRequest): Sqlite {
  const { aside, rebuilding } = replacement;
  const options = { product: version(), now: clock.now() };
  clearRebuilding(replacement);
  const fresh = openDatabase(rebuilding, options);
  let salvaged: Salvaged;
  try {
    salvaged = salvage(aside, fresh);
  } finally {
    closeDatabase(fresh);
  }
  writeReport(replacement, salvaged);
  putInPlace(path, replacement);
  const db = openDatabase(path, options);
  log.error({ aside, ...salvaged }, "a damaged database was set aside; what could be read was carried over");
  return db;
}

/** Short lines about damaged databases that still exist: what happened, what is kept, and the next command; or null. */
export function damageNotice(path: string): string | null {
  const aside = setAsideNames(path);
  if (aside.length === 0) return null;
  const kept = `The damaged file is kept: ${aside.join(", ")}.`;
  const lines = existsSync(path)
    ? [
        "mem: the database was damaged. A new one has what could be read.",
        ...countLines(readReport(path)),
        kept,
        "Check the new one: `mem doctor`. Then delete the damaged file when you no longer need it.",
      ]
    : [
        "mem: the database was damaged. What can be read is not carried over yet.",
        kept,
        "Keep it, and run `mem worker start`.",
      ];
  return lines.join("\n");
}

// Tables that users know; the report beside the file has all of them.
const shownTables = new Map([
  ["observations", "observations"],
  ["session_summaries", "summaries"],
  ["user_prompts", "prompts"],
  ["raw_events", "messages"],
  ["sessions", "sessions"],
]);

function countLines(salvaged: Salvaged | undefined): string[] {
  if (salvaged === undefined) return [];
  const rows = [...shownTables].map(([table, word]) => `${salvaged.rows[table] ?? 0} ${word}`);
  const lost = Object.entries(salvaged.unreadable).map(
    ([table, count]) => `${count} of ${shownTables.get(table) ?? table}`,
  );
  return [
    `Carried over: ${rows.join(", ")}.`,
    lost.length === 0 ? "Every page of a record could be read." : `Pages not read: ${lost.join(", ")}.`,
  ];
}
