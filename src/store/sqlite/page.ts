// Pages of a table, newest first.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export interface PageRequest {
  offset: number;
  limit: number;
  project?: string | undefined;
}

export interface Page<R> {
  items: R[];
  /** True when rows follow this page. */
  hasMore: boolean;
}

interface PagedTable {
  table: "sessions" | "observations" | "session_summaries" | "user_prompts";
  columns: string;
  /** A condition that every row must meet. */
  where?: string;
  order?: string;
}

/** Reads one row more than requested, which tells `hasMore`. */
export function readPage<R>(
  db: Sqlite,
  { table, columns, where = "true", order = "created_at_epoch desc, id desc" }: PagedTable,
): (request: PageRequest) => Page<R> {
  const sql = createSql(db);
  const select = `select ${columns} from ${table} where ${where}`;
  const all = sql.all<[limit: number, offset: number], R>(`${select} order by ${order} limit ? offset ?`);
  const inProject = sql.all<[project: string, limit: number, offset: number], R>(
    `${select} and project = ? order by ${order} limit ? offset ?`,
  );
  return ({ offset, limit, project }) => {
    const rows = project === undefined ? all(limit + 1, offset) : inProject(project, limit + 1, offset);
    return { items: rows.slice(0, limit), hasMore: rows.length > limit };
  };
}
