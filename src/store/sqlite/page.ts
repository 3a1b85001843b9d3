// Pages of a table, newest first: one statement for all projects and one for a single project.
import type { Sqlite } from "./open.ts";

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
  /** What is selected; everything when not given. */
  columns?: string;
  order: string;
  projectOrder: string;
  /** A fixed condition, for example to leave private prompts out. */
  where?: string;
}

/** A reader of pages; `hasMore` comes from reading one row more than was asked for. */
export function readPage<R>(db: Sqlite, paged: PagedTable): (request: PageRequest) => Page<R> {
  const fixed = paged.where ?? "true";
  const columns = paged.columns ?? "*";
  const all = db.prepare<[number, number], R>(
    `select ${columns} from ${paged.table} where ${fixed} order by ${paged.order} limit ? offset ?`,
  );
  const ofProject = db.prepare<[string, number, number], R>(
    `select ${columns} from ${paged.table} where ${fixed} and project = ? order by ${paged.projectOrder} limit ? offset ?`,
  );
  return ({ offset, limit, project }) => {
    const rows =
      project === undefined ? all.all(limit + 1, offset) : ofProject.all(project, limit + 1, offset);
    return { items: rows.slice(0, limit), hasMore: rows.length > limit };
  };
}
