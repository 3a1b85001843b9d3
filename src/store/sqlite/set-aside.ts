// Renames a damaged database to a dated name, and replaces it with the rebuilt one when that is complete.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isoTime } from "../../core/clock.ts";
import { failOpenSync } from "../../core/errors.ts";
import type { Salvaged } from "./salvage.ts";

/**
 * A replacement in progress. Its two files carry the same date, so each names the other after a crash:
 *
 * | `mem.db`  | `mem.db.rebuilding-<date>` | what the next start does                                     |
 * | --------- | -------------------------- | ------------------------------------------------------------ |
 * | there     | there                      | nothing was renamed yet: opens `mem.db`, finds the damage    |
 * | not there | there                      | moves the log after the database if needed, rebuilds again   |
 * | not there | not there                  | rebuilds from the newest `mem.db.damaged-<date>`, if any     |
 * | there     | not there                  | finished                                                     |
 */
export interface Replacement {
  /** The damaged file. */
  aside: string;
  /** The rebuilt file; renamed to the database when it is complete. */
  rebuilding: string;
}

/** Renames the database and its log, for example to `mem.db.damaged-20261121T064900Z`. */
export function setAside(path: string, now: number): Replacement {
  const stamp = isoTime(now).replace(/[-:]|\.\d+/g, "");
  let replacement = replacementOf(path, stamp);
  for (let n = 2; existsSync(replacement.aside); n++) replacement = replacementOf(path, `${stamp}-${n}`);
  clearRebuilding(replacement);
  renameSync(path, replacement.aside);
  moveLog(path, replacement.aside);
  return replacement;
}

/** The replacement that a killed worker left unfinished, or undefined. */
export function unfinishedReplacement(path: string): Replacement | undefined {
  const begun = datesOf(path, "rebuilding").map((date) => replacementOf(path, date));
  if (existsSync(path)) {
    for (const { rebuilding } of begun) removeWithLog(rebuilding);
    return undefined;
  }
  const known = begun.find(({ aside }) => existsSync(aside));
  if (known !== undefined) {
    moveLog(path, known.aside);
    return known;
  }
  const newest = datesOf(path, "damaged").at(-1);
  return newest === undefined ? undefined : replacementOf(path, newest);
}

/** Empties the rebuilt file: a killed worker's rows are read again. */
export function clearRebuilding({ rebuilding }: Replacement): void {
  for (const suffix of logSuffixes) rmSync(rebuilding + suffix, { force: true });
  writeFileSync(rebuilding, "", { mode: 0o600 });
}

/** Makes the rebuilt, closed file the database. */
export function putInPlace(path: string, { rebuilding }: Replacement): void {
  // SQLite would apply an old log to the new database.
  for (const suffix of logSuffixes) rmSync(path + suffix, { force: true });
  renameSync(rebuilding, path);
  syncDirectory(dirname(path));
}

/** Writes the report beside the damaged file. */
export function writeReport({ aside }: Replacement, salvaged: Salvaged): void {
  writeFileSync(aside + reportSuffix, `${JSON.stringify(salvaged, null, 2)}\n`, { mode: 0o600 });
}

/** The report of the newest damaged database that still exists. */
export function readReport(path: string): Salvaged | undefined {
  const newest = setAsideNames(path).at(-1);
  if (newest === undefined) return undefined;
  const file = join(dirname(path), newest + reportSuffix);
  if (!existsSync(file)) return undefined;
  return failOpenSync("reading the report of a rebuild", () => {
    const { rows, unreadable } = JSON.parse(readFileSync(file, "utf8")) as Partial<Salvaged>;
    return { rows: rows ?? {}, unreadable: unreadable ?? {} };
  });
}

/** Names of the damaged databases that still exist, oldest first. */
export function setAsideNames(path: string): string[] {
  return datesOf(path, "damaged").map((date) => basename(replacementOf(path, date).aside));
}

/** Paths of databases that were damaged or that a backup replaced, with their logs and reports. */
export function setAsideFiles(path: string): string[] {
  const prefixes = ["damaged", "replaced"].map((kind) => `${basename(path)}.${kind}-`);
  const names = readdirSync(dirname(path)).filter((name) =>
    prefixes.some((prefix) => name.startsWith(prefix)),
  );
  return names.sort().map((name) => join(dirname(path), name));
}

const logSuffixes = ["-wal", "-shm", "-journal"];
const reportSuffix = ".json";

function replacementOf(path: string, date: string): Replacement {
  return { aside: `${path}.damaged-${date}`, rebuilding: `${path}.rebuilding-${date}` };
}

function moveLog(path: string, aside: string): void {
  for (const suffix of logSuffixes) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
}

function datesOf(path: string, kind: "damaged" | "rebuilding"): string[] {
  if (!existsSync(dirname(path))) return [];
  const prefix = `${basename(path)}.${kind}-`;
  return readdirSync(dirname(path))
    .filter(
      (name) =>
        name.startsWith(prefix) && ![...logSuffixes, reportSuffix].some((suffix) => name.endsWith(suffix)),
    )
    .map((name) => name.slice(prefix.length))
    .sort();
}

function removeWithLog(path: string): void {
  for (const suffix of ["", ...logSuffixes]) rmSync(path + suffix, { force: true });
}

/** A power cut must not undo the rename after rows were acknowledged. */
export function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  failOpenSync("syncing the data directory", () => {
    const opened = openSync(directory, "r");
    try {
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
  });
}
