// Edits JSON text that people write by hand: changes single values and leaves the rest, white space included, as it is.

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
}

/** Text inserted at an offset; removing the same text there undoes it. */
export interface Insertion {
  at: number;
  text: string;
}

/** Text with values inserted, and the names of the members that had to be created. */
export interface Edited {
  text: string;
  insertions: Insertion[];
  created: string[];
}

/** The positions of all values in `text`. Throws `SyntaxError` if it is not JSON; comments are not JSON. */
export function parseJsonText(text: string): JsonNode {
  JSON.parse(text.replace(/^\uFEFF/, " "));
  return readValue(text, skipSpace(text, 0));
}

/** The member named `key`; of several the last, as in JSON.parse. */
export function memberOf(node: JsonNode | undefined, key: string): JsonItem | undefined {
  return node?.kind === "object" ? node.items.findLast((member) => member.key === key) : undefined;
}

/** The value of `node`. */
export function parseNode(text: string, node: JsonNode): unknown {
  return JSON.parse(text.slice(node.start, node.end));
}

/** `node`, which must be of this kind. Throws `SyntaxError`. */
export function expectKind(kind: JsonNode["kind"], node: JsonNode, where: string): JsonNode {
  if (node.kind === kind) return node;
  throw new SyntaxError(`an ${kind} was expected ${where}`);
}

/** Appends `value` to the array `node`, or adds it to the object `node` as member `key`. */
export function insert(edited: Edited, node: JsonNode, value: unknown, key?: string): void {
  const insertion = insertionInto(edited.text, node, value, key);
  edited.insertions.push(insertion);
  edited.text = withInsertion(edited.text, insertion);
  if (key !== undefined) edited.created.push(key);
}

/** The insertion that appends `value` to an array, or adds it to an object as member `key`. */
export function insertionInto(text: string, node: JsonNode, value: unknown, key?: string): Insertion {
  const first = node.items[0];
  const last = node.items.at(-1);
  const style = styleOf(text);
  const outer = lineIndent(text, node.start);
  if (last === undefined || first === undefined) {
    const item = render(value, key, { ...style, indent: outer + style.unit });
    const at = node.start + 1;
    if (!style.multiline) return { at, text: item };
    const closes = text.slice(at, node.end - 1).includes("\n") ? "" : style.newline + outer;
    return { at, text: `${style.newline}${outer}${style.unit}${item}${closes}` };
  }
  if (text.slice(node.start, first.start).includes("\n")) {
    const indent = lineIndent(text, first.start);
    return { at: last.end, text: `,${style.newline}${indent}${render(value, key, { ...style, indent })}` };
  }
  const gap = style.multiline ? " " : "";
  return { at: last.end, text: `,${gap}${render(value, key, { ...style, multiline: false, indent: "" })}` };
}

/** The text without one item of `container`, and without its comma. */
export function withoutItem(text: string, { start, end, items }: JsonNode, item: Span): string {
  const index = items.findIndex((one) => one.start === item.start);
  const next = items[index + 1];
  const previous = items[index - 1];
  if (previous !== undefined) return text.slice(0, previous.end) + text.slice(item.end);
  if (next !== undefined) return text.slice(0, item.start) + text.slice(next.start);
  return text.slice(0, start + 1) + text.slice(end - 1);
}

/** The text without the member `key` of `container`, if that is an empty list or object. */
export function withoutEmpty(text: string, container: JsonNode | undefined, key: string): string {
  const member = memberOf(container, key);
  if (container === undefined || member === undefined) return text;
  const isEmpty = member.value.kind !== "scalar" && member.value.items.length === 0;
  return isEmpty ? withoutItem(text, container, member) : text;
}

export function withInsertion(text: string, { at, text: inserted }: Insertion): string {
  return text.slice(0, at) + inserted + text.slice(at);
}

/** The text before the insertions, which are given in order; null if one of them is gone. */
export function withoutInsertions(text: string, insertions: readonly Insertion[]): string | null {
  let left = text;
  for (const { at, text: inserted } of insertions.toReversed()) {
    if (!left.startsWith(inserted, at)) return null;
    left = left.slice(0, at) + left.slice(at + inserted.length);
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

// From here on the text is known to be JSON.
function readValue(text: string, start: number): JsonNode {
  if (text[start] === "{") return readItems(text, start, "object");
  if (text[start] === "[") return readItems(text, start, "array");
  return { kind: "scalar", start, end: endOf(scalar, text, start), items: [] };
}

function readItems(text: string, start: number, kind: "object" | "array"): JsonNode {
  const items: JsonItem[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "}" && text[at] !== "]") {
    const item = kind === "object" ? readMember(text, at) : { value: readValue(text, at) };
    items.push({ ...item, start: at, end: item.value.end });
    at = skipSpace(text, item.value.end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { kind, start, end: at + 1, items };
}

function readMember(text: string, start: number): Pick<JsonItem, "key" | "value"> {
  const keyEnd = endOf(scalar, text, start);
  const colon = skipSpace(text, keyEnd);
  return {
    key: String(JSON.parse(text.slice(start, keyEnd))),
    value: readValue(text, skipSpace(text, colon + 1)),
  };
}

const space = /[ \t\r\n\uFEFF]*/y;
const scalar = /"(?:[^"\\]|\\.)*"|[-+.\w]+/y;

function skipSpace(text: string, start: number): number {
  return endOf(space, text, start);
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
