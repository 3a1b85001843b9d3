// Writes a frame to the terminal: only the rows that changed, in one synchronized write.

export interface Cursor {
  row: number;
  column: number;
}

// A terminal that knows synchronized output shows the write as a whole; others ignore the marks.
const beginUpdate = "\x1b[?2026h";
const endUpdate = "\x1b[?2026l";
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";

/** Paints frames of as many rows as the terminal has, each in its full width. */
export function createPainter(write: (text: string) => void) {
  let shown: readonly string[] = [];
  let shownCursor: Cursor | null = null;
  return {
    paint(rows: readonly string[], cursor: Cursor | null): void {
      // A terminal of another height may have moved its rows; those below it are its last row to a cursor.
      const known = rows.length === shown.length ? shown : [];
      const changed = rows.flatMap((row, at) => (row === known[at] ? [] : [placed(row, at)]));
      const isMoved = cursor?.row !== shownCursor?.row || cursor?.column !== shownCursor?.column;
      if (changed.length === 0 && !isMoved) return;
      // The cursor must not be seen running over the rows.
      const hide = shownCursor === null || changed.length === 0 ? "" : hideCursor;
      const place =
        cursor === null
          ? shownCursor === null || hide !== ""
            ? ""
            : hideCursor
          : `\x1b[${cursor.row + 1};${cursor.column + 1}H${showCursor}`;
      write(`${beginUpdate}${hide}${changed.join("")}${place}${endUpdate}`);
      shown = rows;
      shownCursor = cursor;
    },
    /** The terminal shows something else now: the next frame is painted whole. */
    forget(): void {
      shown = [];
      shownCursor = null;
    },
  };
}

function placed(row: string, at: number): string {
  return `\x1b[${at + 1};1H${row}`;
}
