// How the terminal is divided: header, field, list and preview, status and keys.

export interface Size {
  columns: number;
  rows: number;
}

export interface Layout extends Size {
  /** Rows of the part below the header and above the status line. */
  body: number;
  list: { columns: number; rows: number };
  /** Null where there is no room for one. */
  preview: { columns: number; rows: number; isBeside: boolean } | null;
}

/** Smaller terminals show only that they are. */
export const least = { columns: 40, rows: 10 };

// From here on, list and preview fit beside each other.
const besideColumns = 110;
// Header and field above, status and keys below.
const fixedRows = 4;
const leastStackedRows = 14;

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < least.columns || rows < least.rows;
}

interface Needs {
  /** Further rows above the list, such as figures. */
  above?: number;
  /** False where no row has a preview. */
  hasPreview?: boolean;
}

/** The layout of a terminal. */
export function layoutOf(size: Size, { above = 0, hasPreview = true }: Needs = {}): Layout {
  const { columns, rows } = size;
  const body = rows - fixedRows;
  const room = body - above;
  if (!hasPreview) return { ...size, body, list: { columns, rows: room }, preview: null };
  if (columns >= besideColumns) {
    const preview = Math.floor((columns - dividerColumns) * 0.48);
    return {
      ...size,
      body,
      list: { columns: columns - dividerColumns - preview, rows: room },
      preview: { columns: preview, rows: room, isBeside: true },
    };
  }
  if (rows < leastStackedRows) return { ...size, body, list: { columns, rows: room }, preview: null };
  const previewRows = Math.floor((room - 1) * 0.45);
  return {
    ...size,
    body,
    list: { columns, rows: room - 1 - previewRows },
    preview: { columns, rows: previewRows, isBeside: false },
  };
}

/** ` │ ` between list and preview. */
const dividerColumns = 3;
