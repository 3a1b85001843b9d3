// Finds damage: the whole file quickly, one table after the other with its indexes, or behind an error.
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { toMemError } from "../../core/errors.ts";
import { schemaFaults } from "./migrate.ts";
import { busyTimeoutMs, type Sqlite } from "./open.ts";
import { isDamage, storageError } from "./storage-error.ts";

/** Checks every page and the schema; returns what is wrong, empty when nothing is. Contents of indexes are not read. */
export function checkDatabase(path: string): string[] {
  return reading(path, (db) => [...findingsOf(db, "quick_check(20)"), ...schemaFaults(db)]);
}

export interface TableFindings {
  damage: string[];
  /** Indexes that are whole, but do not agree with their table: `reindex` is enough for them. */
  indexes: string[];
}

/** The tables that `checkTable` takes. */
export function tablesIn(path: string): string[] {
  const names = "select name from sqlite_schema where type = 'table' order by name";
  return reading(path, (db) => db.prepare<[], string>(names).pluck().all(), []);
}

/** Compares the indexes of a table with its rows, and its rows with what the table allows. */
export function checkTable(path: string, table: string): TableFindings {
  const found = reading(path, (db) => findingsOf(db, `integrity_check('${table}')`));
  const indexes = found.map((finding) => wrongIndex.exec(finding)?.[1]);
  return {
    damage: found.filter((_, at) => indexes[at] === undefined),
    indexes: [...new Set(indexes.filter((name) => name !== undefined))],
  };
}

const wrongIndex = /^(?:row|rowid|wrong #|non-unique entry) .*\bindex (\w+)$/;

/** Builds an index again from its table. */
export function reindex(db: Sqlite, index: string): void {
  db.prepare(`reindex "${index}"`).run();
}

/** What is wrong with the database at `path` when that is why it could not be used; empty when it is not. */
export function damageBehind(cause: unknown, path: string): string[] {
  const { code } = toMemError(cause);
  if (code === "database_corrupt" || isDamage(cause)) return [String(cause)];
  if (!existsSync(path)) return [];
  if (code === "database_newer") return checkTable(path, "schema_versions").damage;
  // Damage inside a value leaves the pages whole. In the schema, or in what a full text notes of itself, it is an error of
  // another kind.
  if (code !== "internal") return [];
  return [
    ...checkDatabase(path),
    ...tablesIn(path).flatMap((table) => Object.values(checkTable(path, table)).flat()),
  ];
}

function findingsOf(db: Sqlite, pragma: string): string[] {
  const rows = db.pragma(pragma) as Record<string, string>[];
  return rows.flatMap((row) => Object.values(row)).filter((finding) => finding !== "ok");
}

// Without a reason of the disk or of another process, an error is a finding too.
function reading(path: string, read: (db: Sqlite) => string[], ifDamaged?: string[]): string[] {
  try {
    const db = new Database(path, { readonly: true, timeout: busyTimeoutMs });
    try {
      return read(db);
    } finally {
      db.close();
    }
  } catch (cause) {
    const error = storageError(cause);
    if (error.code !== "internal" && error.code !== "database_corrupt") throw error;
    return ifDamaged ?? [String(cause)];
  }
}
