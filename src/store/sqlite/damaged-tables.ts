// Reads the rows of a damaged file with SQLite itself, from a copy with a new first page: tree by tree, and page by page
// where a tree is broken. Format: https://www.sqlite.org/fileformat2.html
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { Database, openFile } from "./library.ts";
import type { Sqlite } from "./open.ts";
import { fits, named, type Shape, schemaShape, shapeOfTable, writtenShape } from "./row-shape.ts";

/** A row by column name, without columns that were added after it was written. */
export type FoundRow = Record<string, unknown>;

export type DamagedTables = ReturnType<typeof openDamagedTables>;

/** Opens a copy of the file at `path` and its log, beside `like`, a new database with the present schema. */
export function openDamagedTables(path: string, like: Sqlite) {
  const copy = `${like.name}-copy`;
  copyWithLog(path, copy, like);
  const { schema, isWhole } = readSchema(copy);
  const shapes = shapesOf(like);
  const trees = openTrees(copy, like, shapes);
  if (!isWhole)
    for (const row of trees.onLeaves("sqlite_schema", schemaShape))
      if (row.type === "table") schema.set(String(row.name), { root: Number(row.rootpage), sql: row.sql });
  const unreadable = new Set<string>();

  return {
    /** Every readable row; a row may occur twice, first from the table itself. */
    *rows(table: string): Generator<FoundRow> {
      const stored = schema.get(table);
      const shape = shapes.get(table);
      if (shape === undefined || (stored === undefined && isWhole)) return;
      const written = writtenShape(stored?.sql, table) ?? shape;
      if (stored !== undefined && (yield* trees.below(stored.root, written))) return;
      unreadable.add(table);
      yield* trees.onLeaves(table, shape);
    },
    /** 1 for a table of which a part cannot be read, else 0. */
    unreadable: (table: string) => Number(unreadable.has(table)),
    close() {
      trees.close();
      removeCopy(copy);
    },
  };
}

function removeCopy(copy: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(copy + suffix, { force: true });
}

// With the header of a new file: SQLite refuses a damaged one.
function copyWithLog(path: string, copy: string, like: Sqlite): void {
  removeCopy(copy);
  copyFileSync(path, copy);
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
  writeStart(copy, headerLike(like));
}

function headerLike(like: Sqlite): Buffer {
  const header = Buffer.from(like.serialize().subarray(0, 100));
  // No number of pages: SQLite takes the size of the file. No free pages.
  return header.fill(0, 28, 40);
}

function writeStart(copy: string, bytes: Buffer): void {
  const file = openSync(copy, "r+");
  writeSync(file, bytes, 0, bytes.length, 0);
  closeSync(file);
}

interface Stored {
  root: number;
  sql: unknown;
}

/** Where the tables of the file begin, as far as its own schema can be read. Closing the copy writes its log back. */
function readSchema(copy: string): { schema: Map<string, Stored>; isWhole: boolean } {
  const db = openUnsafe(copy);
  const schema = new Map<string, Stored>();
  const isRead = whileReadable(() => {
    // Opens the log, even when the schema cannot be read.
    db.pragma("schema_version");
    const tables = db.prepare<[], Stored & { name: string }>(
      "select name, rootpage as root, sql from sqlite_schema where type = 'table' and rootpage > 0",
    );
    for (const { name, root, sql } of tables.iterate()) schema.set(name, { root, sql });
  });
  db.close();
  return { schema, isWhole: isRead && schema.size > 0 };
}

function openUnsafe(copy: string): Sqlite {
  const db = openFile(copy);
  db.unsafeMode();
  db.pragma("writable_schema = on");
  return db;
}

/** False when the work ended at something damaged. */
function whileReadable(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (cause) {
    if (cause instanceof Database.SqliteError) return false;
    throw cause;
  }
}

function shapesOf(like: Sqlite): Map<string, Shape> {
  const tables = like.prepare<[], string>(
    "select name from sqlite_schema where type = 'table' and rootpage > 0",
  );
  return new Map(
    tables
      .pluck()
      .all()
      .map((table) => [table, shapeOfTable(like, table)]),
  );
}

const leafKinds = { table: 13, index: 10 } as const;

/** Reads any page as the root of a table. */
function openTrees(copy: string, like: Sqlite, shapes: ReadonlyMap<string, Shape>) {
  const all = new Map([...shapes, ["sqlite_schema", schemaShape]]);
  const db = openWithoutSchema(
    copy,
    like,
    Math.max(...[...all.values()].map(({ columns }) => columns.length)),
  );
  const setRoot = db.prepare<[number, string]>("update sqlite_schema set rootpage = ? where name = ?");
  let version = Number(db.pragma("schema_version", { simple: true }));
  let owners: Map<number, string> | undefined;

  /** The rows up to the first that cannot be read, each with its rowid first; returns whether these are all. */
  function* rowsFrom(root: number, kind: Shape["kind"], order = ""): Generator<unknown[], boolean> {
    setRoot.run(root, `any_${kind}`);
    db.pragma(`schema_version = ${++version}`);
    const rowid = kind === "table" ? "rowid" : "null";
    try {
      yield* db.prepare<[], unknown[]>(`select ${rowid}, * from any_${kind} ${order}`).raw().iterate();
      return true;
    } catch (cause) {
      if (cause instanceof Database.SqliteError) return false;
      throw cause;
    }
  }

  function leaf(page: number, kind: Shape["kind"]): unknown[][] {
    const rows: unknown[][] = [];
    const isWhole = collect(rows, rowsFrom(page, kind));
    // What is behind the damage comes from the other end.
    if (!isWhole && kind === "table") collect(rows, rowsFrom(page, kind, "order by rowid desc"));
    return rows;
  }

  /** A leaf page belongs to the only table that all its rows match. */
  function findOwners(): Map<number, string> {
    const found = new Map<number, string>();
    for (const { page, kind } of leafPages(copy, like)) {
      const rows = leaf(page, kind);
      const [owner, another] = [...all].filter(
        ([, shape]) => shape.kind === kind && rows.every((row) => fits(shape, row)),
      );
      if (rows.length > 0 && owner !== undefined && another === undefined) found.set(page, owner[0]);
    }
    return found;
  }

  return {
    /** Rows of the tree; returns whether these are all. */
    *below(root: number, shape: Shape): Generator<FoundRow, boolean> {
      let isWhole = true;
      const rows = rowsFrom(root, shape.kind);
      for (let next = rows.next(); ; next = rows.next()) {
        if (next.done) return isWhole && next.value;
        if (fits(shape, next.value)) yield named(shape, next.value);
        else isWhole = false;
      }
    },
    /** Rows of all leaf pages of the table, whether or not they are still in its tree. */
    *onLeaves(table: string, shape: Shape): Generator<FoundRow> {
      owners ??= findOwners();
      for (const [page, owner] of owners)
        if (owner === table) for (const row of leaf(page, shape.kind)) yield named(shape, row);
    },
    close: () => db.close(),
  };
}

function collect<T>(into: T[], from: Generator<T, boolean>): boolean {
  for (let next = from.next(); ; next = from.next()) {
    if (next.done) return next.value;
    into.push(next.value);
  }
}

// The schema fits the first page: a second one would be taken for a page that was cut off.
function openWithoutSchema(copy: string, like: Sqlite, columns: number): Sqlite {
  const page = Buffer.alloc(pageSizeOf(like));
  headerLike(like).copy(page);
  // Without a log.
  page.fill(1, 18, 20);
  page.writeUInt8(leafKinds.table, 100);
  page.writeUInt16BE(page.length, 105);
  writeStart(copy, page);
  const db = openUnsafe(copy);
  db.pragma("journal_mode = off");
  db.pragma("synchronous = off");
  const names = Array.from({ length: columns + 1 }, (_, at) => `c${at}`).join(", ");
  const add = db.prepare("insert into sqlite_schema values ('table', @name, @name, 1, @sql)");
  add.run({ name: "any_table", sql: `create table any_table (${names})` });
  const key = `primary key (${names})`;
  add.run({ name: "any_index", sql: `create table any_index (${names}, ${key}) without rowid` });
  return db;
}

function* leafPages(copy: string, like: Sqlite): Generator<{ page: number; kind: Shape["kind"] }> {
  const size = pageSizeOf(like);
  const file = openSync(copy, "r");
  const count = Math.ceil(fstatSync(file).size / size);
  const kinds = Buffer.alloc(count);
  for (let at = 1; at < count; at++) readSync(file, kinds, at, 1, at * size);
  closeSync(file);
  for (const [at, byte] of kinds.entries())
    for (const kind of ["table", "index"] as const)
      if (byte === leafKinds[kind]) yield { page: at + 1, kind };
}

function pageSizeOf(like: Sqlite): number {
  return Number(like.pragma("page_size", { simple: true }));
}
