// JSON as its author wrote it: finds where values stand in the text, and changes single ones without touching the rest.

interface Span {
  start: number;
  /** Behind the last character. */
  end: number;
}

export type JsonNode = Span &
  (
    | { kind: "object"; members: readonly JsonMember[] }
    | { kind: "array"; elements: readonly JsonNode[] }
    | { kind: "scalar" }
  );

/** A member of an object; its span begins at the key. */
export interface JsonMember extends Span {
  key: string;
  value: JsonNode;
}

/** Text that was put in at a place; taking the same text out there undoes it. */
export interface Insertion {
  at: number;
  text: string;
}

/** Where every value of `text` stands. Throws `SyntaxError` when it is not JSON. */
export function parseJsonText(text: string): JsonNode {
  JSON.parse(text.replace(byteOrderMark, " "));
  return readValue(text, skipSpace(text, 0));
}

const byteOrderMark = /^\uFEFF/;

/** The member of that name; of several the last, as JSON.parse sees it. */
export function memberOf(node: JsonNode, key: string): JsonMember | undefined {
  return node.kind === "object" ? node.members.findLast((member) => member.key === key) : undefined;
}

/** Puts `value` behind the last element of an array, or under `key` behind the last member of an object. */
export function insertionInto(text: string, node: JsonNode, value: unknown, key?: string): Insertion {
  const items = itemsOf(node);
  const first = items[0];
  const last = items.at(-1);
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

/** The text without one element or member of `container`, and without the comma that belongs to it. */
export function withoutItem(text: string, container: JsonNode, item: Span): string {
  const items = itemsOf(container);
  const index = items.findIndex(({ start }) => start === item.start);
  const next = items[index + 1];
  const previous = items[index - 1];
  if (previous !== undefined) return text.slice(0, previous.end) + text.slice(item.end);
  if (next !== undefined) return text.slice(0, item.start) + text.slice(next.start);
  return text.slice(0, container.start + 1) + text.slice(container.end - 1);
}

/** The text with `insertion` made. */
export function withInsertion(text: string, { at, text: inserted }: Insertion): string {
  return text.slice(0, at) + inserted + text.slice(at);
}

/** The text as it was before the insertions, in the order they were made; null when one is not there any more. */
export function withoutInsertions(text: string, insertions: readonly Insertion[]): string | null {
  let left = text;
  for (const { at, text: inserted } of insertions.toReversed()) {
    if (!left.startsWith(inserted, at)) return null;
    left = left.slice(0, at) + left.slice(at + inserted.length);
  }
  return left;
}

function itemsOf(node: JsonNode): readonly Span[] {
  switch (node.kind) {
    case "object":
      return node.members;
    case "array":
      return node.elements;
    case "scalar":
      return [];
    default:
      return node satisfies never;
  }
}

interface Style {
  newline: string;
  unit: string;
  multiline: boolean;
}

// A file of one line is kept on one line, but one that says nothing yet may grow.
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
  const opening = text[start];
  if (opening === "{") return readObject(text, start);
  if (opening === "[") return readArray(text, start);
  const end = opening === '"' ? stringEnd(text, start) : scalarEnd(text, start);
  return { kind: "scalar", start, end };
}

function readObject(text: string, start: number): JsonNode {
  const members: JsonMember[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "}") {
    const keyEnd = stringEnd(text, at);
    const value = readValue(text, skipSpace(text, skipSpace(text, keyEnd) + 1));
    members.push({ key: String(JSON.parse(text.slice(at, keyEnd))), start: at, end: value.end, value });
    at = skipComma(text, value.end);
  }
  return { kind: "object", start, end: at + 1, members };
}

function readArray(text: string, start: number): JsonNode {
  const elements: JsonNode[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "]") {
    const element = readValue(text, at);
    elements.push(element);
    at = skipComma(text, element.end);
  }
  return { kind: "array", start, end: at + 1, elements };
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (" \t\r\n\uFEFF".includes(text[at] ?? "x")) at++;
  return at;
}

function skipComma(text: string, start: number): number {
  const at = skipSpace(text, start);
  return text[at] === "," ? skipSpace(text, at + 1) : at;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function scalarEnd(text: string, start: number): number {
  let at = start;
  while (/[-+.\w]/.test(text[at] ?? "")) at++;
  return at;
}
