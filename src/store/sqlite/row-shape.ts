// The stored form of the rows of a table or index: order and types of their values.
import { failOpenSync } from "../../core/errors.ts";
import type { Value } from "./damaged-pages.ts";
import { openFile } from "./library.ts";
import type { Sqlite } from "./open.ts";

export interface Shape {
  kind: "table" | "index";
  columns: readonly Column[];
}

interface Column {
  name: string;
  /** Lower case; empty for any type. */
  type: string;
  isNullable: boolean;
  /** A row cannot be stored without it. */
  isRequired: boolean;
  /** Its value is the key of the row, and null in the record. */
  isRowid: boolean;
}

// SQLite's own tables name no types.
export const schemaShape: Shape = {
  kind: "table",
  columns: [column("type"), column("name"), column("tbl_name"), column("rootpage", "integer"), column("sql")],
};
const sequenceShape: Shape = { kind: "table", columns: [column("name"), column("seq", "integer")] };

export function shapeOfTable(db: Sqlite, table: string): Shape {
  if (table === "sqlite_sequence") return sequenceShape;
  const isWithoutRowid =
    db.prepare<[string], number>("select wr from pragma_table_list where name = ?").pluck().get(table) === 1;
  const infos = db
    .prepare<[string], { name: string; type: string; notnull: number; dflt_value: unknown; pk: number }>(
      'select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by cid',
    )
    .all(table);
  const keys = infos.filter(({ pk }) => pk > 0);
  const columns = infos.map(({ name, type, notnull, dflt_value, pk }): Column => {
    const isRowid = pk > 0 && keys.length === 1 && !isWithoutRowid && /^integer$/i.test(type);
    const isNeeded = notnull === 1 || pk > 0;
    const isRequired = isNeeded && dflt_value === null;
    return { name, type: type.toLowerCase(), isNullable: !isNeeded, isRequired, isRowid };
  });
  if (!isWithoutRowid) return { kind: "table", columns };
  // The key comes first, whatever the order in which the columns were declared.
  const rest = columns.filter(({ name }) => !keys.some((key) => key.name === name));
  const first = [...keys]
    .sort((a, b) => a.pk - b.pk)
    .flatMap((key) => columns.filter(({ name }) => name === key.name));
  return { kind: "index", columns: [...first, ...rest] };
}

/** `whole` is the shape of its table. */
export function shapeOfIndex(db: Sqlite, index: string, whole: Shape): Shape {
  const entries = db
    .prepare<[string], { cid: number; name: string | null }>(
      "select cid, name from pragma_index_xinfo(?) order by seqno",
    )
    .all(index);
  const columns = entries.map(({ cid, name }) => {
    const found = whole.columns.find((candidate) =>
      cid === -1 ? candidate.isRowid : candidate.name === name,
    );
    return { ...(found ?? column(name ?? "", "")), isRequired: true, isRowid: false };
  });
  return { kind: "index", columns };
}

/** The shape of a stored `create table`; undefined when it is lost or does not create `table`. */
export function writtenShape(sql: string | null | undefined, table: string): Shape | undefined {
  if (!/^create table/i.test(sql ?? "")) return undefined;
  const scratch = openFile(":memory:");
  try {
    const shape = failOpenSync("reading a stored schema", () => {
      scratch.prepare(sql ?? "").run();
      return shapeOfTable(scratch, table);
    });
    return shape?.columns.length ? shape : undefined;
  } finally {
    scratch.close();
  }
}

/** Whether a record matches the shape. It may lack columns at its end that were added later. */
export function fits({ columns }: Shape, values: readonly Value[]): boolean {
  if (values.length > columns.length) return false;
  return columns.every((column, at) => {
    const value = values[at];
    return value === undefined ? !column.isRequired : takes(column, value);
  });
}

function takes({ type, isNullable, isRowid }: Column, value: Value): boolean {
  if (isRowid) return value === null;
  if (value === null) return isNullable;
  switch (type) {
    case "int":
    case "integer":
      return typeof value === "bigint" || Number.isInteger(value);
    case "real":
      return typeof value === "number";
    case "text":
      return typeof value === "string";
    case "blob":
      return Buffer.isBuffer(value);
    default:
      return true;
  }
}

function column(name: string, type = "text"): Column {
  return { name, type, isNullable: name === "sql", isRequired: name !== "sql", isRowid: false };
}
