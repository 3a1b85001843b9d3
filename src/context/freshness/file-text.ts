// The lines of a file and its text without layout: a span is found wherever it stands today, however it is indented.
import { digestOf } from "../../core/ids.ts";

/** Lines `from` to `to`, the second excluded; the first line is 0. */
export interface LineRange {
  from: number;
  to: number;
}

/** The text of some lines, as a hash. Length and sum find the candidates without hashing. */
export interface LineSpan {
  chars: number;
  /** Of the UTF-16 code units. */
  sum: number;
  hash: string;
}

export interface FileText {
  lines: readonly string[];
  /** The text of whole lines without layout: white space stays only between two words, as one space. */
  bare(range: LineRange): string;
  span(range: LineRange): LineSpan;
  /** How often the span occurs from the start of a line to the end of a line; counts to 2. */
  count(span: LineSpan): number;
  /** The lines around each occurrence of a text, which may begin and end within a line; `most` of them. */
  placesOf(text: string, most: number): LineRange[];
}

export function createFileText(content: string): FileText {
  const lines = content.split(/\r\n|\n|\r/);
  const { text, starts, ends } = layOut(lines);
  const sums = sumsAt(text, [...starts, ...ends]);
  const endings = new Set(ends.filter((end) => end > 0));

  function bare({ from, to }: LineRange): string {
    const [first, last] = inkedIn(lines, { from, to });
    return first === undefined || last === undefined ? "" : text.slice(starts[first], ends[last]);
  }
  const sumOf = (start: number, end: number) => (sums.get(end) ?? 0) - (sums.get(start) ?? 0);

  return {
    lines,
    bare,
    span(range) {
      const found = bare(range);
      return { chars: found.length, sum: sumOfText(found), hash: shortHash(found) };
    },
    count({ chars, sum, hash }) {
      let found = 0;
      let left = mostHashed * text.length;
      for (const [line, start] of starts.entries()) {
        const end = start + chars;
        if (ends[line] === start || !endings.has(end) || sumOf(start, end) !== sum) continue;
        left -= chars;
        if (left < 0) return found;
        if (shortHash(text.slice(start, end)) === hash) found += 1;
        if (found === 2) return 2;
      }
      return found;
    },
    placesOf(wanted, most) {
      const places: LineRange[] = [];
      const needle = bareText(wanted.split(/\r\n|\n|\r/));
      if (needle === "") return places;
      for (let at = text.indexOf(needle); at >= 0 && places.length < most; ) {
        const from = ends.findIndex((end) => end > at);
        const to = ends.findIndex((end) => end >= at + needle.length) + 1;
        places.push({ from, to });
        at = text.indexOf(needle, at + needle.length);
      }
      return places;
    },
  };
}

// Lines of equal sums are rare; a file made of them is not hashed more often than this.
const mostHashed = 8;

interface Layout {
  text: string;
  /** By line; equal for a blank one. */
  starts: number[];
  ends: number[];
}

function layOut(lines: readonly string[]): Layout {
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let length = 0;
  let last = "";
  for (const line of lines) {
    const inked = bareLine(line);
    if (inked !== "" && isWord(last) && isWord(inked.charAt(0))) {
      parts.push(" ");
      length += 1;
    }
    starts.push(length);
    parts.push(inked);
    length += inked.length;
    ends.push(length);
    if (inked !== "") last = inked.charAt(inked.length - 1);
  }
  return { text: parts.join(""), starts, ends };
}

function bareLine(line: string): string {
  return line
    .trim()
    .replace(/\s+/g, (blank: string, at: number, whole: string) =>
      isWord(whole.charAt(at - 1)) && isWord(whole.charAt(at + blank.length)) ? " " : "",
    );
}

function bareText(lines: readonly string[]): string {
  return layOut(lines).text;
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}_$]/u.test(character);
}

/** The first and the last line that is not blank. */
function inkedIn(lines: readonly string[], { from, to }: LineRange): [number?, number?] {
  let [first, last] = [Math.max(0, from), Math.min(lines.length, to) - 1];
  while (first <= last && lines[first]?.trim() === "") first += 1;
  while (last >= first && lines[last]?.trim() === "") last -= 1;
  return first > last ? [] : [first, last];
}

/** The sum of the text's code units before each position. */
function sumsAt(text: string, positions: readonly number[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  let at = 0;
  let sum = 0;
  for (const position of [...positions].sort((a, b) => a - b)) {
    for (; at < position; at += 1) sum += text.charCodeAt(at);
    sums.set(position, sum);
  }
  return sums;
}

function sumOfText(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);
  return sum;
}

/** 64 bits, so that the text cannot be told from it with certainty. */
export function shortHash(text: string): string {
  return digestOf(text).toString("hex", 0, 8);
}
