// Edits JSON text that people write by hand: changes single values and leaves the rest, white space and comments included.
import JSON5 from "json5";

interface Span {
  start: number;
  /** Behind the last character. */
  end: number;
}

/** A value in the text, with its members or elements. */
export interface JsonNode extends Span {
  kind: "object" | "array" | "scalar";
  items: readonly JsonItem[];
}

/** A member, whose span starts at its key, or an element. */
interface JsonItem extends Span {
  key?: string;
  value: JsonNode;
  /** Offset of the comma behind it. */
  comma?: number;
}

/** Text inserted at an offset; removing the same text there undoes it. */
export interface Insertion {
  at: number;
  text: string;
  /** The text that it replaced. */
  instead?: string;
}

/** Text with values inserted. */
export interface Edited {
  text: string;
  insertions: Insertion[];
}

/** `json5` also has comments, trailing commas, unquoted keys and single quotes. */
export type JsonSyntax = "json" | "json5";

/** The value of the text. Throws `SyntaxError`. */
export function parseJson(text: string, syntax: JsonSyntax): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, " "));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const value = parseJson5(text);
    if (syntax === "json5") return value;
    const where = lineAndColumn(text, strictEnd(text));
    throw new SyntaxError(`JSON has no comments or trailing commas, as in ${where}`, { cause });
  }
}

// The first character of JSON5 that JSON does not have.
function strictEnd(text: string): number {
  for (let at = 0; ; ) {
    const end = text[at] === '"' ? scalarEnd(text, at) : endOf(strictToken, text, at);
    if (end === at) return at;
    at = end;
  }
}

function lineAndColumn(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

// The parser writes `JSON5: invalid character '}' at 3:13`.
function parseJson5(text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch (cause) {
    const [, what = "", line, column] =
      /^JSON5: (.*) at (\d+):(\d+)$/s.exec(cause instanceof Error ? cause.message : "") ?? [];
    if (line === undefined) throw cause;
    const reason = what.replace("invalid character '\\n'", "invalid line break");
    // A line break counts as column 0 of the next line.
    const lengths = text.split("\n").map((one) => one.length);
    const [row, place] =
      column === "0" ? [Number(line) - 1, (lengths[Number(line) - 2] ?? 0) + 1] : [line, column];
    throw new SyntaxError(`${reason} in line ${row}, column ${place}`, { cause });
  }
}

/** The positions of all values in `text`. Throws `SyntaxError`. */
export function parseJsonText(text: string, syntax: JsonSyntax): JsonNode {
  parseJson(text, syntax);
  return readValue(text, skipSpace(text, 0));
}

/** The member named `key`; of several the last, as in JSON.parse. */
export function memberOf(node: JsonNode | undefined, key: string): JsonItem | undefined {
  return node?.kind === "object" ? node.items.findLast((member) => member.key === key) : undefined;
}

/** Appends `value` to the array `node`, or adds it to the object `node` as member `key`. */
export function insert(edited: Edited, node: JsonNode, value: unknown, key?: string): void {
  for (const insertion of insertionsInto(edited.text, node, value, key)) {
    edited.insertions.push(insertion);
    edited.text = withInsertion(edited.text, insertion);
  }
}

// In their order: the offset of the second is one in the text with the first.
function insertionsInto(text: string, node: JsonNode, value: unknown, key?: string): Insertion[] {
  const first = node.items[0];
  const last = node.items.at(-1);
  const style = styleOf(text);
  const outer = lineIndent(text, node.start);
  if (last === undefined || first === undefined) {
    const item = render(value, key, { ...style, indent: outer + style.unit });
    const at = node.start + 1;
    if (!style.multiline) return [{ at, text: item }];
    const closes = text.slice(at, node.end - 1).includes("\n") ? "" : style.newline + outer;
    return [{ at, text: `${style.newline}${outer}${style.unit}${item}${closes}` }];
  }
  if (text.slice(node.start, first.start).includes("\n")) {
    const indent = lineIndent(text, first.start);
    const line = `${style.newline}${indent}${render(value, key, { ...style, indent })}`;
    return behindLine(text, last, line) ?? [{ at: last.end, text: `,${line}` }];
  }
  const gap = style.multiline ? " " : "";
  const item = render(value, key, { ...style, multiline: false, indent: "" });
  return [{ at: last.end, text: `,${gap}${item}` }];
}

// Behind the comment on the line of the last item, which is about that item; null without one. A comma stays trailing.
function behindLine(text: string, { end, comma }: JsonItem, line: string): Insertion[] | null {
  const from = comma === undefined ? end : comma + 1;
  const at = endOf(comments, text, from);
  if (text.slice(from, at).trim() === "") return null;
  if (comma !== undefined) return [{ at, text: `${line},` }];
  return [
    { at: end, text: "," },
    { at: at + 1, text: line },
  ];
}

/** Replaces the value of a member; returns the text of the one before. */
export function replaceMember(edited: Edited, { start, end, value }: JsonItem, wanted: string): string {
  const [instead, before] = [edited.text.slice(start, end), edited.text.slice(value.start, value.end)];
  const text = edited.text.slice(start, value.start) + wanted;
  edited.insertions.push({ at: start, text, instead });
  edited.text = edited.text.slice(0, start) + text + edited.text.slice(end);
  return before;
}

/** The text without one item of `container`, and without its comma. Comments stay. */
export function withoutItem(text: string, container: JsonNode, item: Span): string {
  const { start, end, items } = container;
  const index = items.findIndex((one) => one.start === item.start);
  const { comma } = items[index] ?? {};
  const isAlone = items.length === 1 && isBlankBetween(text, start + 1, item.start);
  if (isAlone && isBlankBetween(text, (comma ?? item.end - 1) + 1, end - 1)) {
    return text.slice(0, start + 1) + text.slice(end - 1);
  }
  const itemEnd = comma === undefined || !isBlankBetween(text, item.end, comma) ? item.end : comma + 1;
  const left = withoutSpan(text, { start: item.start, end: itemEnd }, index === items.length - 1);
  if (comma === undefined) {
    const before = items[index - 1]?.comma;
    return before === undefined ? left : left.slice(0, before) + left.slice(before + 1);
  }
  if (itemEnd > comma) return left;
  const moved = comma - (text.length - left.length);
  return left.slice(0, moved) + left.slice(moved + 1);
}

// With its lines if nothing else is on them, else with the white space on one side.
function withoutSpan(text: string, { start, end }: Span, isLast: boolean): string {
  const blanksBefore =
    /[ \t]*$/.exec(text.slice(text.lastIndexOf("\n", start - 1) + 1, start))?.[0].length ?? 0;
  const from = start - blanksBefore;
  const isLineStart = from > 0 && text[from - 1] === "\n";
  const to = endOf(blanks, text, end);
  const isLineEnd = /^(\r?\n|$)/.test(text.slice(to, to + 2));
  if (isLineStart && isLineEnd) {
    const lineBreak = text[from - 2] === "\r" ? 2 : 1;
    return text.slice(0, from - lineBreak) + text.slice(to);
  }
  if (isLast && !isLineStart) return text.slice(0, from) + text.slice(end);
  return text.slice(0, start) + text.slice(to);
}

function isBlankBetween(text: string, start: number, end: number): boolean {
  return text.slice(start, end).trim() === "";
}

function withInsertion(text: string, { at, text: inserted }: Insertion): string {
  return text.slice(0, at) + inserted + text.slice(at);
}

/** The text before the insertions, which are given in order; null if one of them is gone. */
export function withoutInsertions(text: string, insertions: readonly Insertion[]): string | null {
  return taken(text, insertions, (left, { at, text: inserted }) => (left.startsWith(inserted, at) ? at : -1));
}

/** The same where the text around them has changed: each insertion must be in it once. */
export function withoutMovedInsertions(text: string, insertions: readonly Insertion[]): string | null {
  return taken(text, insertions, (left, { text: inserted }) => {
    const at = left.indexOf(inserted);
    return left.includes(inserted, at + 1) ? -1 : at;
  });
}

function taken(
  text: string,
  insertions: readonly Insertion[],
  find: (left: string, insertion: Insertion) => number,
): string | null {
  let left = text;
  for (const insertion of insertions.toReversed()) {
    const at = find(left, insertion);
    if (at === -1) return null;
    left = left.slice(0, at) + (insertion.instead ?? "") + left.slice(at + insertion.text.length);
  }
  return left;
}

interface Style {
  newline: string;
  unit: string;
  multiline: boolean;
}

// A file on one line stays on one line, unless it is empty.
function styleOf(text: string): Style {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  const multiline = text.trim().includes("\n") || /^\uFEFF?\s*\{\s*\}\s*$/.test(text);
  return { newline: text.includes("\r\n") ? "\r\n" : "\n", unit, multiline };
}

function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
}

function render(value: unknown, key: string | undefined, style: Style & { indent: string }): string {
  const name = key === undefined ? "" : `${JSON.stringify(key)}:${style.multiline ? " " : ""}`;
  if (!style.multiline) return name + JSON.stringify(value);
  const lines = JSON.stringify(value, null, style.unit).split("\n");
  return name + lines.join(style.newline + style.indent);
}

// From here on the text is known to be valid.
function readValue(text: string, start: number): JsonNode {
  if (text[start] === "{") return readItems(text, start, "object");
  if (text[start] === "[") return readItems(text, start, "array");
  return { kind: "scalar", start, end: scalarEnd(text, start), items: [] };
}

function readItems(text: string, start: number, kind: "object" | "array"): JsonNode {
  const items: JsonItem[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "}" && text[at] !== "]") {
    const item: JsonItem =
      kind === "object" ? readMember(text, at) : { start: at, end: at, value: readValue(text, at) };
    item.end = item.value.end;
    items.push(item);
    at = skipSpace(text, item.end);
    if (text[at] !== ",") continue;
    item.comma = at;
    at = skipSpace(text, at + 1);
  }
  return { kind, start, end: at + 1, items };
}

function readMember(text: string, start: number): JsonItem {
  const keyEnd = scalarEnd(text, start);
  const value = readValue(text, skipSpace(text, skipSpace(text, keyEnd) + 1));
  return { key: keyOf(text.slice(start, keyEnd)), start, end: value.end, value };
}

function keyOf(word: string): string {
  if (/^"[^"\\]*"$/.test(word)) return word.slice(1, -1);
  return Object.keys(JSON5.parse(`{${word}:0}`))[0] ?? "";
}

// A quoted string is scanned: a regular expression runs out of stack on one of some megabytes.
function scalarEnd(text: string, start: number): number {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return endOf(word, text, start);
  let at = start + 1;
  while (text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

const space = /(?:\s+|\/\/.*|\/\*[\s\S]*?\*\/)*/y;
const strictToken = /[\uFEFF\s]+|[{}[\]:]|,(?!\s*[}\]])|-?\d[\d.eE+-]*|true|false|null/y;
const blanks = /[ \t]*/y;
// On one line.
const comments = /(?:[ \t]*\/\*.*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y;
// A name or a number: everything up to punctuation, white space or a comment.
const word = /[^\s,:{}[\]/"']+/y;

function skipSpace(text: string, start: number): number {
  return endOf(space, text, start);
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
