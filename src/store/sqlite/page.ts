// Pages of a table, newest first.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export interface PageRequest {
  offset: number;
  limit: number;
  project?: string | undefined;
  /** Host agent of the session; only of a table with `source`. */
  source?: string | undefined;
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
  /** The column or query for the host agent of a row. */
  source?: string;
}

/** Reads one row more than requested, which tells `hasMore`. */
export function readPage<R>(
  db: Sqlite,
  { table, columns, where = "true", order = "created_at_epoch desc, id desc", source }: PagedTable,
): (request: PageRequest) => Page<R> {
  const sql = createSql(db);
  const select = `select ${columns} from ${table} where ${where}`;
  // One statement for each filter: each uses another index.
  const read = (condition: string) =>
    sql.all<[PageRequest], R>(`${select}${condition} order by ${order} limit @limit offset @offset`);
  const ofProject = " and project = @project";
  const ofSource = source === undefined ? "" : ` and ${source} = @source`;
  const all = { any: read(""), inProject: read(ofProject) };
  const fromSource =
    source === undefined ? all : { any: read(ofSource), inProject: read(ofProject + ofSource) };
  return ({ offset, limit, project, source: host }) => {
    const { any, inProject } = host === undefined ? all : fromSource;
    const rows = (project === undefined ? any : inProject)({
      project,
      source: host,
      limit: limit + 1,
      offset,
    });
    return { items: rows.slice(0, limit), hasMore: rows.length > limit };
  };
}
