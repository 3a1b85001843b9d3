// Finds the rows of tables in a damaged file: in their trees, on pages that no tree reaches, and in their indexes.
import { type DamagedPages, openDamagedPages, type StoredRow, type TreePage } from "./damaged-pages.ts";
import type { Sqlite } from "./open.ts";
import { fits, type Shape, schemaShape, shapeOfIndex, shapeOfTable, writtenShape } from "./row-shape.ts";

/** A row by column name, without columns that were added after it was written. */
export type FoundRow = Record<string, unknown>;

export type DamagedTables = ReturnType<typeof openDamagedTables>;

/** Opens the file at `path`. The schema of `like`, a new database, replaces lost parts of its schema. */
export function openDamagedTables(path: string, like: Sqlite) {
  const pages = openDamagedPages(path, Number(like.pragma("page_size", { simple: true })));
  const known = readSchema(like);
  const written = findSchema(pages, known);
  const trees = known.map((entry) => describeTree(like, entry, written.get(entry.name)));
  // A database created by one version has the same roots as a new one.
  const isLikeNew = known.every(({ name, root }) => (written.get(name)?.root ?? root) === root);
  const claimed = new Set<number>();
  for (const tree of trees) {
    const root = written.get(tree.name)?.root ?? (isLikeNew ? tree.newRoot : undefined);
    if (root !== undefined) claimPages(pages, { tree, root, claimed });
  }
  for (let number = 1; number <= pages.count; number++) {
    if (!claimed.has(number)) adopt(number, pages.tree(number), trees);
  }

  return {
    /** Every readable row; a row may occur twice, first from the table itself. */
    *rows(table: string): Generator<FoundRow> {
      const sources = trees.filter((tree) => tree.table === table && tree.isSource);
      for (const { shape, numbers } of sources)
        for (const number of numbers) yield* rowsOf(pages.tree(number), shape);
    },
    /** Number of damaged pages and rows of the table. */
    unreadable: (table: string) => trees.find(({ name }) => name === table)?.unreadable ?? 0,
    close: pages.close,
  };
}

interface SchemaEntry {
  name: string;
  table: string;
  root: number;
  sql: string | null;
}

interface Tree {
  name: string;
  table: string;
  newRoot: number;
  /** The shape of the rows as written; `newShape` is that of a new database. */
  shape: Shape;
  newShape: Shape;
  /** Whether it holds complete rows of the table: an index may lack required columns. */
  isSource: boolean;
  numbers: number[];
  unreadable: number;
}

function readSchema(db: Sqlite): SchemaEntry[] {
  return db
    .prepare<[], SchemaEntry>(
      `select name, tbl_name as "table", rootpage as root, sql
       from sqlite_schema
       where rootpage > 0
       order by type desc`,
    )
    .all();
}

/** The schema entries of the damaged file by name. If page 1 is lost, all other pages are searched. */
function findSchema(pages: DamagedPages, known: readonly SchemaEntry[]): Map<string, SchemaEntry> {
  const found = new Map<string, SchemaEntry>();
  const take = (page: TreePage | undefined) => {
    for (const { type, name, tbl_name, rootpage, sql } of rowsOf(page, schemaShape)) {
      if (!/^(table|index)$/.test(String(type)) || found.has(String(name))) continue;
      const entry = { name: String(name), table: String(tbl_name), root: Number(rootpage) };
      found.set(entry.name, { ...entry, sql: sql === null ? null : String(sql) });
    }
  };
  const first = pages.tree(1);
  take(first);
  for (const child of first?.children ?? []) take(pages.tree(child));
  for (let number = 2; number <= pages.count && known.some(({ name }) => !found.has(name)); number++)
    take(pages.tree(number));
  return found;
}

function describeTree(like: Sqlite, entry: SchemaEntry, written: SchemaEntry | undefined): Tree {
  const { name, table, root: newRoot } = entry;
  const whole = shapeOfTable(like, table);
  const newShape = name === table ? whole : shapeOfIndex(like, name, whole);
  const shape = (name === table && writtenShape(written?.sql, name)) || newShape;
  const has = new Set(newShape.columns.map((column) => column.name));
  const isSource = whole.columns.every((column) => !column.isRequired || has.has(column.name));
  return { name, table, newRoot, shape, newShape, isSource, numbers: [], unreadable: 0 };
}

interface Claim {
  tree: Tree;
  root: number;
  claimed: Set<number>;
}

// A damaged page may point anywhere: pages of another tree and pages with other rows are rejected.
function claimPages(pages: DamagedPages, { tree, root, claimed }: Claim): void {
  const next = [root];
  for (let number = next.pop(); number !== undefined; number = next.pop()) {
    const page = claimed.has(number) ? undefined : pages.tree(number);
    const belongs =
      page?.kind === tree.shape.kind &&
      (page.rows.length === 0 || page.rows.some(({ values }) => fits(tree.shape, values)));
    if (!belongs) {
      tree.unreadable++;
      continue;
    }
    claimed.add(number);
    tree.numbers.push(number);
    tree.unreadable += page.unreadable;
    next.push(...page.children.reverse());
  }
}

// A page without a parent belongs to the only tree that its rows match.
function adopt(number: number, page: TreePage | undefined, trees: readonly Tree[]): void {
  if (page === undefined || page.rows.length === 0) return;
  const [tree, another] = trees.filter(
    ({ newShape }) => page.kind === newShape.kind && page.rows.every(({ values }) => fits(newShape, values)),
  );
  if (tree !== undefined && another === undefined) tree.numbers.push(number);
}

function* rowsOf(page: TreePage | undefined, shape: Shape): Generator<FoundRow> {
  if (page?.kind !== shape.kind) return;
  for (const row of page.rows) if (fits(shape, row.values)) yield named(row, shape);
}

function named({ rowid, values }: StoredRow, { columns }: Shape): FoundRow {
  const row: FoundRow = {};
  for (const [at, column] of columns.entries()) {
    if (at < values.length) row[column.name] = column.isRowid ? rowid : values[at];
  }
  return row;
}
