// Lines of the screen as styled parts, cut and filled to an exact width.
import { cutToWidth, displayWidth, lettersOf, padToWidth, wrapToWidth } from "../../text/terminal-text.ts";

export type Style = "plain" | "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "inverse";

/** Text without control characters, and how it looks. */
export type Part = readonly [text: string, style?: Style | undefined];
export type Line = readonly Part[];

/** The line in exactly `columns`: cut with an ellipsis, or filled with spaces. */
export function fitLine(line: Line, columns: number): Line {
  const fitted: Part[] = [];
  let room = columns;
  for (const [text, style] of line) {
    if (room <= 0) break;
    const cut = cutToWidth(text, room);
    fitted.push([cut, style]);
    // A wide letter may leave a column, and what was cut ends the line.
    room = cut === text ? room - displayWidth(cut) : Math.min(0, room - displayWidth(cut));
  }
  const used = fitted.reduce((sum, [text]) => sum + displayWidth(text), 0);
  return used < columns ? [...fitted, [" ".repeat(columns - used)]] : fitted;
}

/** Two parts of a line, the second one at the right edge; the first one is cut when both do not fit. */
export function spread(left: Line, right: Line, columns: number): Line {
  const rightWidth = lineWidth(right);
  if (rightWidth === 0 || rightWidth + leastLeft > columns) return fitLine(left, columns);
  return [...fitLine(left, columns - rightWidth), ...right];
}

const leastLeft = 12;

export function lineWidth(line: Line): number {
  return line.reduce((sum, [text]) => sum + displayWidth(text), 0);
}

/** The text as lines of at most `columns`; a longer word is broken. */
export function wrapHard(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  return wrapToWidth(text, width).flatMap((line) => broken(line, width));
}

function broken(line: string, columns: number): string[] {
  if (displayWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let part = "";
  let width = 0;
  for (const letter of lettersOf(line)) {
    const own = displayWidth(letter);
    if (width + own > columns && part !== "") {
      lines.push(part);
      [part, width] = ["", 0];
    }
    part += letter;
    width += own;
  }
  return [...lines, part];
}

/** The text with `columns` of room at the left edge of what is cut: the end stays visible, as in a field. */
export function cutStart(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const letters = [...lettersOf(text)];
  let width = 1;
  let kept = "";
  for (const letter of letters.reverse()) {
    width += displayWidth(letter);
    if (width > columns) break;
    kept = letter + kept;
  }
  return `…${kept}`;
}

/** The text in a column of a table. */
export function cell(text: string, columns: number): string {
  return padToWidth(cutToWidth(text, columns), columns);
}

const codes: Readonly<Record<Style, readonly [on: string, off: string] | null>> = {
  plain: null,
  bold: ["1", "22"],
  dim: ["2", "22"],
  red: ["31", "39"],
  green: ["32", "39"],
  yellow: ["33", "39"],
  cyan: ["36", "39"],
  inverse: ["7", "27"],
};

/**
 * The line as text for a terminal, with or without color. Terminals differ in the width of emoji: what follows such a
 * part is placed at its column.
 */
export function lineText(line: Line, color: boolean): string {
  let column = 1;
  return line
    .map(([text, style = "plain"], at) => {
      column += displayWidth(text);
      const place = at < line.length - 1 && isOfUnsureWidth.test(text) ? `\x1b[${column}G` : "";
      const code = color ? codes[style] : null;
      const styled = code === null || text === "" ? text : `\x1b[${code[0]}m${text}\x1b[${code[1]}m`;
      return styled + place;
    })
    .join("");
}

const isOfUnsureWidth = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{M}\p{Cf}]/u;
