// The lines of a file without layout, and where the block that begins at a line ends: by its bracket, else by indentation.
import { digestOf } from "../../core/ids.ts";

/** Lines `from` to `to`, the second excluded; the first line is 0. */
export interface LineRange {
  from: number;
  to: number;
}

/** The lines that are not blank. */
export interface FileParts {
  raw: readonly string[];
  /** Without white space, so that a line is found however it is indented. */
  bare: readonly string[];
  hashes: readonly string[];
  /** A line belongs to the block of the last one before it that has a lower level. */
  levels: readonly number[];
  isProse: boolean;
  /** Position of a line of the file, or of the next one that is not blank. */
  positionOf(line: number): number;
}

/** Undefined for binary content, and for a file that would take longer than a hook may wait. */
export function readFileParts(content: Buffer, path: string): FileParts | undefined {
  if (content.length > maxTextBytes || content.subarray(0, sniffedBytes).includes(0)) return undefined;
  const lines = content.toString("utf8").split(/\r\n|\n|\r/);
  if (lines.length > maxLines) return undefined;
  const numbers = [...lines.keys()].filter((at) => lines[at]?.trim() !== "");
  const raw = numbers.map((at) => lines[at] ?? "");
  const isProse = prose.test(path);
  const bare = raw.map((line) => line.replace(/\s+/g, ""));
  return {
    ...{ raw, bare, isProse },
    hashes: bare.map(shortHash),
    levels: isProse ? headingLevels(raw) : raw.map(config.test(path) ? keyLevel : indentOf),
    positionOf(line) {
      const at = numbers.findIndex((number) => number >= line);
      return at < 0 ? numbers.length : at;
    },
  };
}

// About 20 ms of the worker's main thread at most.
const maxTextBytes = 128 * 1024;
const maxLines = 10_000;
const sniffedBytes = 8_000;
const prose = /\.(?:md|mdx|markdown|rst|adoc|txt|org)$/i;
const config = /\.(?:ya?ml|toml|ini|cfg|conf|env|properties)$|(?:^|\/)\.env[^/]*$/i;

function indentOf(line: string): number {
  return (/^\s*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;
}

// Keys stand below a `[section]` without indentation, and the items of a YAML list below their key.
function keyLevel(line: string): number {
  if (/^\s*\[/.test(line)) return 0;
  return 1 + 2 * indentOf(line) + (/^\s*-\s/.test(line) ? 1 : 0);
}

const textLevel = 9;

function headingLevels(lines: readonly string[]): number[] {
  let isFenced = false;
  return lines.map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    return isFenced ? textLevel : (/^(#{1,6}|={1,6})\s/.exec(line)?.[1]?.length ?? textLevel);
  });
}

/** The position behind the block that begins at this one. */
export function blockEnd({ bare, levels }: FileParts, from: number): number {
  const level = levels[from] ?? 0;
  const isAt = (at: number) => (levels[at] ?? -1) <= level;
  for (let last = from; ; ) {
    if (opens.test(bare[last] ?? "")) {
      const close = bare.findIndex((line, at) => at > last && isAt(at) && closes.test(line));
      if (close < 0) return last + 1;
      last = close;
      continue;
    }
    while ((levels[last + 1] ?? 0) > level) last += 1;
    // `{` alone opens the body, and `}` ends what a deeper line opened.
    const next = bare[last + 1] ?? "";
    if (levels[last + 1] !== level || !(next === "{" || closes.test(next))) return last + 1;
    last += 1;
  }
}

const opens = /[([{](?:\/\/.*|\/\*.*\*\/|#.*)?$/;
const closes = /^(?:[)\]}]|end\b)/;

/** Consecutive lines: how many, the hash of the first to find them by, the hash of all. */
export interface Run {
  lines: number;
  first: string;
  all: string;
  /** How often the file has them as a block to its end; 0 for lines that need be no block. */
  blocks: number;
}

export function runOf(file: FileParts, { from, to }: LineRange): Run {
  const all = hashOfLines(file.bare.slice(from, to));
  return { lines: to - from, first: file.hashes[from] ?? "", all, blocks: 0 };
}

/** The block that begins here. A line that is added to its end changes it. */
export function blockOf(file: FileParts, from: number): Run {
  const run = { ...runOf(file, { from, to: blockEnd(file, from) }), blocks: 1 };
  return { ...run, blocks: countRun(file, run) };
}

/** How often the file has a run. */
export function countRun(file: FileParts, { lines, first, all, blocks }: Run): number {
  // A file of equal lines is not hashed more often than this.
  let left = mostHashed * file.bare.length;
  return file.hashes.filter((hash, at) => {
    if (hash !== first || left < 0) return false;
    left -= lines;
    const isSame = hashOfLines(file.bare.slice(at, at + lines)) === all;
    return isSame && (blocks === 0 || blockEnd(file, at) === at + lines);
  }).length;
}

const mostHashed = 8;

function hashOfLines(lines: readonly string[]): string {
  return shortHash(lines.join("\n"));
}

/** 64 bits, so that the text cannot be told from it with certainty. The separator of a list belongs to its neighbors. */
function shortHash(text: string): string {
  return digestOf(text.replace(/[,;]$/, "")).toString("hex", 0, 8);
}

/** True when every line is blank or a comment, by the marks that most languages share. */
export function isOnlyComments(text: string, path: string): boolean {
  const isProse = prose.test(path);
  const rest = text.replace(isProse ? /<!--[\s\S]*?-->/g : /\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->/g, "");
  return rest.split(/\r\n|\n|\r/).every((line) => line.trim() === "" || (!isProse && lineComment.test(line)));
}

// `#include` and `#id {` are code, so a word must be apart from `#`.
const lineComment = /^\s*(?:\/\/|#(?:[\s!#]|$)(?!\s*(?:include|define|ifn?def|endif|pragma|undef)\b)|--\s|;)/;
