// Labels and values in two columns.
import { padToWidth, wrapToWidth } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";

/** Prints rows of label and value: labels dim and equally wide, values wrapped beside them. They come clean. */
export function printAligned(io: Io, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) {
    for (const [index, line] of wrapToWidth(value, io.columns - width - 2).entries()) {
      io.out(`${io.paint.dim(padToWidth(index === 0 ? label : "", width))}  ${line}`);
    }
  }
}
