// The parts of a file that a record is about, as hashes, and whether today's file still has them.
import type { EditedPart, TouchedLines } from "../../core/tools/touched-lines.ts";
import type { Json } from "../../text/json.ts";
import { parseObject } from "../../text/json-fields.ts";
import { type Definition, definitionsByKey, definitionsIn, keysOf } from "./definitions.ts";
import { createFileText, type FileText, type LineRange, type LineSpan, shortHash } from "./file-text.ts";
import { isSameFile, type Named, namedAmong } from "./named-symbols.ts";

/** A file with its symbols. */
export interface ReadFile {
  text: FileText;
  definitions: readonly Definition[];
}

/** Undefined for binary content, and for a file that would take longer than a hook may wait. */
export function readFileText(content: Buffer, path: string): ReadFile | undefined {
  if (content.length > maxTextBytes || content.subarray(0, sniffedBytes).includes(0)) return undefined;
  const text = createFileText(content.toString("utf8"));
  return { text, definitions: definitionsIn(text.lines, path) };
}

// About 50 ms of the worker's main thread at most.
const maxTextBytes = 128 * 1024;
const sniffedBytes = 8_000;

/** Edits and reads of this one file. */
export type TouchedHere = { edited: readonly Omit<EditedPart, "path">[]; read: readonly LineRange[] };

/** The edits and reads of a file that its path in a tool use names. */
export function touchedIn(
  all: readonly TouchedLines[],
  isThisFile: (written: string) => boolean,
): TouchedHere {
  return {
    edited: all.flatMap(({ edited }) => edited.filter(({ path }) => isThisFile(path))),
    read: all.flatMap(({ read }) => read.filter(({ path }) => isThisFile(path))),
  };
}

/** As JSON; null when the record names no part of the file. */
export function spansText(
  file: ReadFile,
  { named, place, touched }: { named: Named; place: string; touched: TouchedHere },
): string | null {
  const { definitions } = file;
  const symbols = new Set(namedAmong(definitions, named));
  const lines: LineSpan[] = [];
  const take = (part: Part | null) => {
    if (part === null) return;
    if ("span" in part) lines.push(part.span);
    else for (const definition of part.around) symbols.add(keyIn(definitions, definition));
  };
  for (const part of touched.edited) take(partOfEdit(file, part));
  const referred = named.lines.filter(({ path }) => isSameFile(path, place)).map(({ range }) => range);
  for (const range of [...referred, ...(touched.edited.length > 0 ? [] : touched.read)])
    take(partOfLines(file, range));
  if (symbols.size + lines.length === 0) return null;
  const blocks = blocksOf(file);
  return JSON.stringify({
    lines: lines.slice(0, mostSpans).map(({ chars, sum, hash }) => [chars, sum, hash]),
    symbols: [...symbols].slice(0, mostSpans).map((key) => [shortHash(key), shortHash(blocks(key))]),
  });
}

const mostSpans = 12;
// A shorter text stands in too many places.
const leastChars = 16;
const mostPlaces = 8;
const mostGrown = 5;

/** Its lines, or the symbols around it where its lines are too short or stand in several places. */
type Part = { span: LineSpan } | { around: Definition[] };

function partOfEdit(file: ReadFile, { lines, from, to }: Omit<EditedPart, "path">): Part | null {
  const { text } = file;
  const changed = lines.slice(from, to).join("\n");
  for (const wanted of [changed, lines.join("\n")]) {
    const [place, other] = text.placesOf(wanted, 2);
    if (place !== undefined && other === undefined && isTelling(text, place))
      return { span: text.span(place) };
  }
  const all = text.placesOf(changed.trim() === "" ? lines.join("\n") : changed, mostPlaces + 1);
  if (all.length > mostPlaces) return null;
  const around = all.flatMap((place) => innermostAround(file.definitions, place) ?? []);
  return around.length === 0 || around.length < all.length ? null : { around };
}

function partOfLines(file: ReadFile, range: LineRange): Part | null {
  const { text, definitions } = file;
  const { length } = text.lines;
  if (range.from >= length) return null;
  const within = { from: range.from, to: Math.min(range.to, length) };
  const whole = text.bare({ from: 0, to: length });
  if (text.bare(within) === whole) return null;
  if (isTelling(text, within)) return { span: text.span(within) };
  const around = innermostAround(definitions, within);
  if (around !== undefined) return { around: [around] };
  for (let by = 1; by <= mostGrown; by += 1) {
    const grown = { from: Math.max(0, within.from - by), to: Math.min(length, within.to + by) };
    if (isTelling(text, grown)) return { span: text.span(grown) };
  }
  return null;
}

function isTelling(text: FileText, range: LineRange): boolean {
  const span = text.span(range);
  return span.chars >= leastChars && text.count(span) === 1;
}

/** The innermost symbol around the lines. */
function innermostAround(
  definitions: readonly Definition[],
  { from, to }: LineRange,
): Definition | undefined {
  return definitions.findLast((each) => each.from <= from && each.to >= to);
}

/** The longer name, if the file has it once only. */
function keyIn(definitions: readonly Definition[], definition: Definition): string {
  const isOnly = definitions.filter(({ name }) => name === definition.name).length === 1;
  return (isOnly ? definition.name : keysOf(definition).at(-1)) ?? definition.name;
}

/** The text of the symbols with this name that are indented least. */
function blocksOf({ text, definitions }: ReadFile): (key: string) => string {
  const byKey = definitionsByKey(definitions);
  return (key) => {
    const all = byKey.get(key) ?? [];
    const least = Math.min(...all.map(({ indent }) => indent));
    const outermost = all.filter(({ indent }) => indent === least);
    // The separator of a list belongs to its neighbors.
    return outermost.map((each) => text.bare(each).replace(/[,;]$/, "")).join("\n");
  };
}

interface Spans {
  lines: LineSpan[];
  /** Hash of the block by the hash of the name. */
  symbols: Map<string, string>;
}

/** True when the file has all of them unchanged, at any place. */
export function keepsSpans(file: ReadFile, { lines, symbols }: Spans): boolean {
  if (!lines.every((span) => file.text.count(span) > 0)) return false;
  if (symbols.size === 0) return true;
  const blocks = blocksOf(file);
  const left = new Map(symbols);
  for (const key of new Set(file.definitions.flatMap(keysOf))) {
    const name = shortHash(key);
    if (left.get(name) === undefined) continue;
    if (left.get(name) !== shortHash(blocks(key))) return false;
    left.delete(name);
  }
  return left.size === 0;
}

/** Undefined for null and for what no `spansText` made. */
export function parseSpans(text: string | null): Spans | undefined {
  const parsed = text === null ? null : parseObject(text);
  if (parsed === null || !Array.isArray(parsed.lines) || !Array.isArray(parsed.symbols)) return undefined;
  const lines = parsed.lines.map(readLineSpan);
  const symbols = parsed.symbols.map(readPair);
  const isWhole = !lines.includes(undefined) && !symbols.includes(undefined);
  if (!isWhole || lines.length + symbols.length === 0) return undefined;
  return {
    lines: lines.filter((span) => span !== undefined),
    symbols: new Map(symbols.filter((pair) => pair !== undefined)),
  };
}

function readLineSpan(value: Json): LineSpan | undefined {
  const [chars, sum, hash] = Array.isArray(value) ? value : [];
  return typeof chars === "number" && typeof sum === "number" && typeof hash === "string"
    ? { chars, sum, hash }
    : undefined;
}

function readPair(value: Json): [string, string] | undefined {
  const [name, block] = Array.isArray(value) ? value : [];
  return typeof name === "string" && typeof block === "string" ? [name, block] : undefined;
}
