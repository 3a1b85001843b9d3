// The order in which records stand in a list: by day, and within a day by the file they are about.
import type { ContextRow } from "./view.ts";

export interface DayGroup {
  /** The day, or what else its rows have in common. */
  heading: string;
  /** `file` is null for rows that need no heading: they are about no file, or the only one of it names it in its title. */
  files: FileGroup[];
}

interface FileGroup {
  file: string | null;
  rows: ContextRow[];
}

/**
 * The rows grouped, in their order: the first row of a day or a file says where the group stands. Rows that need no
 * heading come first in their day. What is pinned and what is superseded have a heading instead of a day.
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
    files: [...files]
      .map(([file, group]) => ({ file: saysItself(group, file) ? null : file, rows: group }))
      .filter((group) => group.rows.length > 0)
      .toSorted((a, b) => Number(a.file !== null) - Number(b.file !== null)),
  }));
}

// A heading costs a line: what stands alone and names its file is not told it twice.
function saysItself(rows: readonly ContextRow[], file: string | null): boolean {
  const name = file?.split("/").at(-1) ?? "";
  return rows.length === 1 && rows.every(({ title }) => title.includes(name));
}
