// The order in which records stand in a list: by day, and within a day by the file they are about.
import type { ContextRow } from "./view.ts";

export interface DayGroup {
  /** The day, or what else its rows have in common. */
  heading: string;
  files: { file: string | null; rows: ContextRow[] }[];
}

/**
 * The rows grouped, in their order: the first row of a day or a file says where the group stands. Rows about no file come
 * first in their day. What is pinned and what is superseded have a heading instead of a day.
 */
export function groupRows(rows: readonly ContextRow[]): DayGroup[] {
  const days = new Map<string, Map<string | null, ContextRow[]>>();
  for (const row of rows) {
    const heading = row.state === "active" ? row.day : row.state;
    const files = days.get(heading) ?? new Map<string | null, ContextRow[]>([[null, []]]);
    days.set(heading, files);
    const group = files.get(row.file) ?? [];
    files.set(row.file, group);
    group.push(row);
  }
  return [...days].map(([heading, files]) => ({
    heading,
    files: [...files].map(([file, group]) => ({ file, rows: group })).filter(({ rows }) => rows.length > 0),
  }));
}
