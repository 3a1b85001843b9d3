// Tables, labeled values and wrapped text, as every command prints them.
import { cutToWidth, displayWidth, padToWidth, terminalLine, wrapToWidth } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";

export interface Column {
  title: string;
  align?: "right";
  /** True when its cells may be cut to fit the terminal. */
  flexible?: boolean;
}

interface TableOptions {
  /** Lines below a row, such as the reason of a failure. */
  below?(row: number): readonly string[];
  /** Style of a line, for example of the total; default: plain. */
  paintRow?(row: number, line: string): string;
}

const gap = "  ";
const leastWidth = 10;

/** Prints a dim heading, then the rows, in columns that fit the terminal. Cells come as terminal-safe text. */
export function printTable(
  io: Io,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { below = () => [], paintRow = (_row, line) => line }: TableOptions = {},
): void {
  const headings = columns.map(({ title }) => title);
  const widths = columns.map(({ title }, at) =>
    Math.max(displayWidth(title), ...rows.map((cells) => displayWidth(cells[at] ?? ""))),
  );
  fitWidths(widths, columns, io.columns - gap.length * (columns.length - 1));
  const lineOf = (cells: readonly string[]) =>
    columns.map((column, at) => cellText(cells[at] ?? "", column, widths[at] ?? 0)).join(gap);
  if (headings.some((title) => title !== "")) io.out(io.paint.dim(lineOf(headings).trimEnd()));
  for (const [row, cells] of rows.entries()) {
    io.out(paintRow(row, lineOf(cells).trimEnd()));
    for (const line of below(row)) io.out(line);
  }
}

/** Takes what is too wide from the widest flexible column, a column of the terminal at a time. */
function fitWidths(widths: number[], columns: readonly Column[], room: number): void {
  const flexible = columns.flatMap(({ flexible }, at) => (flexible === true ? [at] : []));
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = flexible.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    const width = widest === undefined ? 0 : (widths[widest] ?? 0);
    if (widest === undefined || width <= leastWidth) return;
    widths[widest] = width - 1;
  }
}

function cellText(text: string, { align }: Column, width: number): string {
  const cut = cutToWidth(text, width);
  return align === "right"
    ? " ".repeat(Math.max(0, width - displayWidth(cut))) + cut
    : padToWidth(cut, width);
}

/** Prints rows of label and value: labels dim and equally wide, values wrapped beside them. */
export function printRecord(io: Io, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows)
    printBeside(io, `${io.paint.dim(padToWidth(label, width))}  `, width + 2, value);
}

/** Prints text wrapped beside `front`, which takes `indent` columns. */
export function printBeside(io: Io, front: string, indent: number, text: string): void {
  for (const [at, line] of wrapToWidth(text, Math.max(20, io.columns - indent)).entries())
    io.out((at === 0 ? front : " ".repeat(indent)) + line);
}

/** Writes stored text as lines that fit the terminal, all with the spaces that it begins with. */
export function printWrapped({ columns }: Pick<Io, "columns">, write: (line: string) => void, text: string) {
  const [indent = ""] = /^ */.exec(text) ?? [];
  for (const line of wrapToWidth(terminalLine(text), columns - indent.length)) write(indent + line);
}

/** Writes notes to stderr, wrapped and yellow; one can have several lines. */
export function printWarnings(io: Io, warnings: readonly string[]): void {
  for (const text of warnings.flatMap((warning) => warning.split("\n")))
    printWrapped(io, (line) => io.err(io.errPaint.yellow(line)), text);
}

/**
 * A next step as lines of at most `columns`. A command is made to be copied: it breaks only where a shell reads on in
 * the next line, and a path never does.
 */
export function stepLines(next: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of stepParts(terminalLine(next), columns)) {
    if (line !== "" && displayWidth(`${line} ${part}`) > columns) {
      lines.push(line);
      line = part;
    } else line = line === "" ? part : `${line} ${part}`;
  }
  return line === "" ? lines : [...lines, line];
}

// Sentences begin with a capital letter, or with a command in backticks; everything else is a command.
function stepParts(text: string, columns: number): string[] {
  if (!/^[A-Z`]/.test(text)) return text.split(/(?<=&&) | (?=\()/);
  const parts = text.match(/\S*`[^`]*`\S*|\S+/g) ?? [];
  return parts.flatMap((part) => (displayWidth(part) > columns ? part.split(" ") : [part]));
}
