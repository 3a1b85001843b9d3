// Finds damage: in the whole file (fast), in a table with its indexes, or as the cause of an error.
import { existsSync } from "node:fs";
import { toMemError } from "../../core/errors.ts";
import { openFile } from "./library.ts";
import { schemaFaults } from "./migrate.ts";
import { busyTimeoutMs, type Sqlite } from "./open.ts";
import { isDamage, storageError } from "./storage-error.ts";

/** Checks every page and the schema, but not the contents of indexes; returns the findings. */
export function checkDatabase(path: string): string[] {
  return reading(path, (db) => [...findingsOf(db, "quick_check(20)"), ...schemaFaults(db)]);
}

export interface TableFindings {
  damage: string[];
  /** Intact indexes that do not match their table: `reindex` repairs them. */
  indexes: string[];
}

/** The tables for `checkTable`. */
export function tablesIn(path: string): string[] {
  const names = "select name from sqlite_schema where type = 'table' order by name";
  return reading(path, (db) => db.prepare<[], string>(names).pluck().all(), []);
}

/** Compares the indexes of a table with its rows, and its rows with its constraints. */
export function checkTable(path: string, table: string): TableFindings {
  const found = reading(path, (db) => findingsOf(db, `integrity_check('${table}')`));
  const indexes = found.map((finding) => wrongIndex.exec(finding)?.[1]);
  return {
    damage: found.filter((_, at) => indexes[at] === undefined),
    indexes: [...new Set(indexes.filter((name) => name !== undefined))],
  };
}

const wrongIndex = /^(?:row|rowid|wrong #|non-unique entry) .*\bindex (\w+)$/;

/** Rebuilds an index from its table. */
export function reindex(db: Sqlite, index: string): void {
  db.prepare(`reindex "${index}"`).run();
}

/** Damage of the database at `path` that caused the error; empty if it is intact. */
export function damageBehind(cause: unknown, path: string): string[] {
  const { code } = toMemError(cause);
  if (code === "database_corrupt" || isDamage(cause)) return [String(cause)];
  if (!existsSync(path)) return [];
  if (code === "database_newer") return checkTable(path, "schema_versions").damage;
  // Damage inside a value leaves the pages intact. In the schema or in a full-text table it causes other errors.
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

// An error that neither the disk nor another process caused is a finding too.
function reading(path: string, read: (db: Sqlite) => string[], ifDamaged?: string[]): string[] {
  try {
    const db = openFile(path, { readonly: true, timeout: busyTimeoutMs });
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
