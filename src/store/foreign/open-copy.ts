// Opens the database of another product as a copy: its own files are only read.
import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unlessMissing } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { openFile } from "../sqlite/library.ts";
import type { Sqlite } from "../sqlite/open.ts";

/** Tables, and the columns that are read of each. */
type Needed = Readonly<Record<string, readonly string[]>>;

export interface ForeignDatabase {
  all<R>(sql: string, ...parameters: unknown[]): R[];
  has(table: string, column: string): boolean;
  /** Removes the copy. */
  close(): void;
}

/** Throws `import_unreadable` for a file that is no database, or whose tables are not the known ones. */
export function openCopy(
  path: string,
  { product, needed }: { product: string; needed: Needed },
): ForeignDatabase {
  const folder = mkdtempSync(join(tmpdir(), "mem-import-"));
  const copy = join(folder, "copy.db");
  let db: Sqlite | undefined;
  const close = () => {
    db?.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (!copied(path, copy)) throw beingWritten(path, product);
    db = openFile(copy);
    db.pragma("query_only = on");
    const columns = columnsIn(db);
    for (const [table, names] of Object.entries(needed)) {
      const missing = names.filter((name) => columns(table).has(name) === false);
      if (missing.length > 0) throw unknownVersion(path, product, `${table} has no ${missing.join(", ")}`);
    }
    const open = db;
    return {
      all: <R>(sql: string, ...parameters: unknown[]) => open.prepare<unknown[], R>(sql).all(...parameters),
      has: (table, column) => columns(table).has(column),
      close,
    };
  } catch (cause) {
    close();
    if (cause instanceof MemError) throw cause;
    throw new MemError("import_unreadable", {
      message: `${path} cannot be read as a database of ${product}.`,
      cause,
    });
  }
}

const mostTries = 5;

/** Copies the database and its log, where what was committed last may stand; false when they keep changing. */
function copied(path: string, copy: string): boolean {
  for (let tries = 0; tries < mostTries; tries++) {
    const before = stampOf(path);
    for (const ending of ["", "-wal"]) {
      rmSync(copy + ending, { force: true });
      if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending, constants.COPYFILE_FICLONE);
    }
    if (stampOf(path) === before) return true;
  }
  return false;
}

function stampOf(path: string): string {
  return ["", "-wal"]
    .map((ending) => unlessMissing(() => statSync(path + ending, { bigint: true })))
    .map((stats) => (stats === undefined ? "" : `${stats.mtimeNs} ${stats.size}`))
    .join();
}

function beingWritten(path: string, product: string): MemError {
  return new MemError("import_unreadable", {
    message: `${product} kept writing to ${path}, so it was not read.`,
    hint: `Stop ${product}, then run the same command again.`,
  });
}

function columnsIn(db: Sqlite): (table: string) => ReadonlySet<string> {
  const names = db.prepare<[string], string>("select name from pragma_table_info(?)").pluck();
  return (table) => new Set(names.all(table));
}

function unknownVersion(path: string, product: string, why: string): MemError {
  return new MemError("import_unreadable", {
    message: `${path} has no tables of a version of ${product} that mem knows: ${why}. Nothing of it was imported.`,
  });
}
