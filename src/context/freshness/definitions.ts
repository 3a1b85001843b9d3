// The symbols that a file defines and the lines of each: functions, classes, methods, constants, headings, config keys.
// It reads keywords, brackets and indentation, which most languages share, and no grammar.
import { createBlocks, indentOf } from "./blocks.ts";
import { isCommentLine, kindOfFile } from "./comment-lines.ts";
import type { LineRange } from "./file-text.ts";

export interface Definition extends LineRange {
  name: string;
  /** Name of the class, section or object directly around it. */
  within: string | null;
  indent: number;
  /** Its parts are symbols: a class, an object, a section. */
  isContainer: boolean;
  /** Of prose: a name that may be words. */
  isHeading: boolean;
}

/** The names by which a record may mean a symbol. */
export function keysOf({ name, within }: Pick<Definition, "name" | "within">): string[] {
  return within === null ? [name] : [name, `${within}.${name}`];
}

export function definitionsByKey(definitions: readonly Definition[]): ReadonlyMap<string, Definition[]> {
  const byKey = new Map<string, Definition[]>();
  for (const definition of definitions)
    for (const key of keysOf(definition)) {
      const named = byKey.get(key);
      if (named === undefined) byKey.set(key, [definition]);
      else named.push(definition);
    }
  return byKey;
}

/** In the order of the file. A variable in a function is no symbol. Empty for a file with too many lines or symbols. */
export function definitionsIn(lines: readonly string[], path: string): Definition[] {
  if (lines.length > maxLines) return [];
  const kind = kindOfFile(path);
  const found = kind === "prose" ? headings(lines) : symbols(lines, path, kind);
  // With a part of them, a change in a symbol of the same name further down is not seen.
  return found.length > maxDefinitions ? [] : found;
}

function symbols(lines: readonly string[], path: string, kind: "config" | "code"): Definition[] {
  const blockEnd = createBlocks(lines);
  const sectionEnd = createSections(lines);
  const found: Definition[] = [];
  const open: Definition[] = [];
  let left = mostScanned * lines.length;
  for (const [from, line] of lines.entries()) {
    while (open.length > 0 && (open.at(-1)?.to ?? 0) <= from) open.pop();
    const around = open.at(-1) ?? null;
    const begun = line.length > maxLineChars ? null : (kind === "config" ? keyOf : symbolOf)(line, around);
    if (begun === null || isCommentLine(line, path)) continue;
    const end = sectionEnd(from) ?? blockEnd(from);
    left -= end - from;
    if (left < 0) break;
    const to = trimmedEnd(lines, { from, to: end }, path);
    const placed = { from, to, indent: indentOf(line), within: within(around), isHeading: false };
    const definition = { ...begun, ...placed };
    found.push(definition);
    if (found.length > maxDefinitions) break;
    if (to > from + 1) open.push(definition);
  }
  return found;
}

const maxLines = 4_000;
const maxDefinitions = 2_000;
const maxLineChars = 400;
// Blocks in blocks are scanned again.
const mostScanned = 20;

interface Begun {
  name: string;
  isContainer: boolean;
}

type Around = Pick<Definition, "name" | "isContainer"> | null;

function within(around: Around): string | null {
  return around?.isContainer === true ? around.name : null;
}

/** Comments behind a block belong to what follows. */
function trimmedEnd(lines: readonly string[], { from, to }: LineRange, path: string): number {
  let end = to;
  while (end > from + 1 && isCommentLine(lines[end - 1] ?? "", path)) end -= 1;
  return end;
}

const modifiers =
  "export|default|declare|public|private|protected|internal|static|abstract|final|sealed|override|async|inline|extern|unsafe|pub|pub\\([^)]*\\)|open|data|suspend|partial|readonly|local";
const keywordLine = new RegExp(
  `^\\s*(?:(?:${modifiers})\\s+)*(?:(class|interface|enum|struct|trait|module|namespace|object|protocol|extension|union)|(type|func|function\\*?|def|fn|fun|sub|proc|macro_rules!)|(const|let|var|val))\\s+(?:mut\\s+)?(?:\\([^()]*\\)\\s*)?([\\p{L}_$][\\p{L}\\p{N}_$]*)`,
  "u",
);
const implLine = /^\s*(?:unsafe\s+)?impl\b(?:<[^<>]*>)?\s+(?:[\w:<>,][\w:<>, ]{0,199}\sfor\s+)?(\w+)/;
const sqlLine =
  /^\s*create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|trigger|type|(?:unique\s+)?index)\s+(?:if\s+not\s+exists\s+)?["`]?([\w.]+)/i;
const assignedLine =
  /^\s*(?:[\w$<>[\],?@]+\s+){0,6}(?:[\w$]+\.){0,5}([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]{1,200})?(?:=|:=)(?![=>])/u;
const memberLine = /^\s*["']?([\p{L}_$][\p{L}\p{N}_$-]*)["']?\s*:/u;

function symbolOf(line: string, around: Around): Begun | null {
  const [, container, callable, variable, named = ""] = keywordLine.exec(line) ?? [];
  if (container !== undefined) return { name: named, isContainer: true };
  if (callable !== undefined)
    return { name: named, isContainer: callable === "type" && opensBlock.test(line) };
  const isOutside = around === null || around.isContainer;
  if (!isOutside) return null;
  if (variable !== undefined) return { name: named, isContainer: opensObject.test(line) };
  const other = implLine.exec(line) ?? sqlLine.exec(line);
  if (other?.[1] !== undefined) return { name: other[1], isContainer: implLine.test(line) };
  const isInside = around !== null;
  const called = calledName(line, isInside);
  if (called !== null) return { name: called, isContainer: false };
  const assigned = isInside || indentOf(line) === 0 ? assignedLine.exec(line) : null;
  const member = assigned ?? (isInside ? memberLine.exec(line) : null);
  return member?.[1] === undefined ? null : { name: member[1], isContainer: opensObject.test(line) };
}

const opensBlock = /\{\s*$/;
// Also `Object.freeze({`, but no arrow function.
const opensObject = /^(?!.*(?:=>|\bfunction\b)).*[=:(]\s*(?:new\s+\w+\()?[{[]\s*$/;

/** The name before the parentheses of a function without a keyword: `int main(`, in a class also `total(`. */
function calledName(line: string, isInside: boolean): string | null {
  const paren = line.indexOf("(");
  if (paren < 1 || !/[{(,]\s*$|\)\s*$/.test(line) || /^\s*[@.]/.test(line)) return null;
  const words = line.slice(0, paren).trim().split(/\s+/);
  const last = (words.at(-1) ?? "").replace(/^[*&]+/, "").replace(/<.*$/, "");
  const name = last.slice(last.lastIndexOf(":") + 1).replace(/^#/, "");
  if (!/^[\p{L}_$~][\p{L}\p{N}_$]*$/u.test(name) || words.some((word) => notInSignature.test(word)))
    return null;
  if (!words.every((word) => /^[\w:<>[\],*&?.~@#$]+$/.test(word))) return null;
  return words.length > 1 || isInside ? name : null;
}

const notInSignature =
  /^(?:if|else|for|foreach|while|switch|catch|return|throw|new|await|yield|case|do|when|with|until|unless|elif|elsif|and|or|not|in|assert|print|raise|delete|typeof|import|from|using|package)$/;

const keyLine = /^\s*(?:-\s+)?(?:export\s+)?["']?([\p{L}\p{N}_$.@/-]+)["']?\s*[:=]/u;
const sectionLine = /^\s*\[{1,2}\s*["']?([^\]"'\s][^\]"']*)(?:["']\s*)?\]{1,2}\s*(?:[#;].*)?$/;

function keyOf(line: string): Begun | null {
  const name = sectionLine.exec(line)?.[1] ?? keyLine.exec(line)?.[1];
  return name === undefined ? null : { name: name.trim(), isContainer: true };
}

/** Answers with the end of the `[section]` that begins at a line: the next one. */
function createSections(lines: readonly string[]): (from: number) => number | null {
  const begins = [...lines.keys()].filter((at) => isSection(lines[at] ?? ""));
  const ends = new Map(begins.map((at, index) => [at, begins[index + 1] ?? lines.length]));
  return (from) => ends.get(from) ?? null;
}

function isSection(line: string): boolean {
  return line.length <= maxLineChars && sectionLine.test(line);
}

const headingLine = /^(#{1,6}|={1,6})\s+(\S.*)$/;

/** A heading reaches to the next one of its level or above. */
function headings(lines: readonly string[]): Definition[] {
  const found: Definition[] = [];
  const open: { level: number; definition: Definition }[] = [];
  let isFenced = false;
  for (const [at, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    const heading = isFenced || line.length > maxLineChars ? null : headingAt(lines, at);
    if (heading === null) continue;
    const { name, level } = heading;
    for (let last = open.at(-1); last !== undefined && last.level >= level; last = open.at(-1)) {
      last.definition.to = at;
      open.pop();
    }
    const around = open.at(-1)?.definition.name ?? null;
    const range = { from: at, to: lines.length };
    const definition = { name, ...range, indent: 0, within: around, isContainer: true, isHeading: true };
    found.push(definition);
    if (found.length > maxDefinitions) break;
    open.push({ level, definition });
  }
  return found;
}

function headingAt(lines: readonly string[], at: number): { name: string; level: number } | null {
  const line = lines[at] ?? "";
  const [, marks = "", name = ""] = headingLine.exec(line) ?? [];
  if (marks !== "") return { name: withoutEndMarks(name), level: marks.length };
  const [under = ""] = /^(?:=+|-{3,})\s*$/.exec(lines[at + 1] ?? "") ?? [];
  const isText = /^\S/.test(line) && !/^[-=#>|*`+]/.test(line);
  return under !== "" && isText ? { name: line.trim(), level: under.startsWith("=") ? 1 : 2 } : null;
}

/** `Setup` of `Setup ##`; the first character stays. */
function withoutEndMarks(name: string): string {
  let end = name.length;
  while (end > 1 && "#=".includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end).trimEnd();
}
