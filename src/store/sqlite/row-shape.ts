// The stored form of the rows of a table: order and types of their values.
import { failOpenSync } from "../../core/errors.ts";
import { openFile } from "./library.ts";
import type { Sqlite } from "./open.ts";

export interface Shape {
  /** The kind of its tree: that of a table without rowid is an index. */
  kind: "table" | "index";
  columns: readonly Column[];
}

interface Column {
  name: string;
  /** Lower case; empty for any type. */
  type: string;
  /** A row cannot be stored without it. */
  isRequired: boolean;
  isNullable: boolean;
  /** Its value is the key of the row, and null in the record. */
  isRowid: boolean;
}

const untyped = (name: string, type = "text"): Column => ({
  ...{ name, type, isRequired: name !== "sql", isNullable: name === "sql", isRowid: false },
});

// SQLite's own tables name no types.
export const schemaShape: Shape = {
  kind: "table",
  columns: [
    untyped("type"),
    untyped("name"),
    untyped("tbl_name"),
    untyped("rootpage", "integer"),
    untyped("sql"),
  ],
};
const sequenceShape: Shape = { kind: "table", columns: [untyped("name"), untyped("seq", "integer")] };

export function shapeOfTable(db: Sqlite, table: string): Shape {
  if (table === "sqlite_sequence") return sequenceShape;
  const isWithoutRowid =
    db.prepare<[string], number>("select wr from pragma_table_list where name = ?").pluck().get(table) === 1;
  const infos = db
    .prepare<[string], { name: string; type: string; notnull: number; dflt_value: unknown; pk: number }>(
      'select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by cid',
    )
    .all(table);
  const keys = infos.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  // Without a rowid the key comes first, whatever the order in which the columns were declared.
  const stored = isWithoutRowid ? [...keys, ...infos.filter(({ pk }) => pk === 0)] : infos;
  const columns = stored.map(({ name, type, notnull, dflt_value, pk }): Column => {
    const isRowid = pk > 0 && keys.length === 1 && !isWithoutRowid && /^integer$/i.test(type);
    const isNullable = notnull === 0 && pk === 0;
    return {
      name,
      type: type.toLowerCase(),
      isRequired: !isNullable && dflt_value === null,
      isNullable,
      isRowid,
    };
  });
  return { kind: isWithoutRowid ? "index" : "table", columns };
}

/** The shape of a stored `create table`; undefined when it is lost or does not create `table`. */
export function writtenShape(sql: unknown, table: string): Shape | undefined {
  if (typeof sql !== "string" || table === "sqlite_sequence") return undefined;
  const scratch = openFile(":memory:");
  try {
    const shape = failOpenSync("reading a stored schema", () => {
      scratch.prepare(sql).run();
      return shapeOfTable(scratch, table);
    });
    return shape?.columns.length ? shape : undefined;
  } finally {
    scratch.close();
  }
}

/** Whether a record matches: its rowid, then its values. It may lack columns at its end that were added later. */
export function fits({ columns }: Shape, [, ...values]: readonly unknown[]): boolean {
  return values.every((value, at) => {
    const column = columns[at];
    return column === undefined ? value === null : takes(column, value);
  });
}

/** The row by column name; a missing value is left to the default of its column. */
export function named({ columns }: Shape, [rowid, ...values]: readonly unknown[]): Record<string, unknown> {
  const entries = columns.map(({ name, isRowid, isNullable }, at): [string, unknown][] => {
    const value = isRowid ? rowid : values[at];
    return value === null && !isNullable ? [] : [[name, value]];
  });
  return Object.fromEntries(entries.flat());
}

function takes({ type, isRequired, isRowid }: Column, value: unknown): boolean {
  if (isRowid) return value === null || typeof value === "number";
  if (value === null) return !isRequired;
  switch (type) {
    case "int":
    case "integer":
      return Number.isInteger(value);
    case "real":
      return typeof value === "number";
    case "text":
      // SQLite fills a page that was cut off with zeros.
      return typeof value === "string" && !value.endsWith("\0");
    case "blob":
      return Buffer.isBuffer(value);
    default:
      return true;
  }
}
