// What the ranking reads of a record instead of its text: the terms as numbers, in order, ready to be compared.

import type { Word } from "../../text/unspaced.ts";
import { bareWordsOf, termsOfWord } from "../../text/words.ts";
import { parseList } from "./records.ts";
import { withoutTemplateWords } from "./template-words.ts";

/**
 * The terms of one record as codes: the title's, the files', then all others in order. Records that are
 * read together share `codes`; the other figures are places in it.
 */
export interface RecordTerms {
  codes: Uint32Array;
  title: number;
  files: number;
  body: number;
  end: number;
}

/** The columns that terms are made of. */
export interface TermSource {
  title: string;
  subtitle: string | null;
  summary: string;
  narrative: string | null;
  facts: string;
  files_touched: string;
  generator: string;
}

/**
 * The code of a term: the hash of its first four letters in the upper half, of all of it in the lower. Equal codes are
 * equal terms (but for one pair in 65,000 of those that begin alike), equal upper halves are words of one beginning.
 */
export function codeOf(term: string): number {
  const beginning = hash(term.slice(0, beginningLength));
  return ((beginning << 16) | (hash(term) & 0xffff)) >>> 0;
}

/** True for a term that is long enough to share a beginning with another. */
export function hasBeginning(term: string): boolean {
  return term.length >= beginningLength;
}

/** How the subtitle of a statement begins that holds the prompt of its turn: words that the record itself may lack. */
export const askedMark = "Asked: ";

/** The subtitle as a part of the title; empty for the prompt of the turn. */
export function ownSubtitle({ subtitle }: Pick<TermSource, "subtitle">): string {
  return subtitle === null || subtitle.startsWith(askedMark) ? "" : subtitle;
}

/** The own terms of a record, packed: two counts (title, files), then all codes, 4 bytes each. */
export function packTerms(record: TermSource): Uint8Array {
  const story = record.summary === record.title ? [] : [record.summary];
  const own = (text: string) => codesOf(withoutTemplateWords(text, record.generator));
  const title = own(`${record.title}\n${ownSubtitle(record)}`);
  const files = codesOf(parseList(record.files_touched).join("\n"));
  const body = own([...story, record.narrative ?? "", ...parseList(record.facts)].join("\n"));
  const packed = new Uint32Array(2 + title.length + files.length + body.length);
  packed[0] = title.length;
  packed[1] = files.length;
  packed.set(title, 2);
  packed.set(files, 2 + title.length);
  packed.set(body, 2 + title.length + files.length);
  return new Uint8Array(packed.buffer);
}

/** What `packTerms` packed, of one record or of several in a row, as numbers. */
export function codesOfPacked(packed: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = packed;
  // What SQLite hands over need not lie at an address that is a multiple of four.
  return byteOffset % 4 === 0
    ? new Uint32Array(buffer, byteOffset, byteLength >> 2)
    : new Uint32Array(Uint8Array.from(packed).buffer);
}

/** The record whose packed terms begin at `from` and end before `end`. */
export function unpackTerms(codes: Uint32Array, from = 0, end = codes.length): RecordTerms {
  const title = from + 2;
  const files = title + (codes[from] ?? 0);
  return { codes, title, files, body: files + (codes[from + 1] ?? 0), end };
}

const beginningLength = 4;
// A narrative of 200,000 characters says what it is about in its first thousand words.
const maxCodes = 1500;
const maxCharacters = 20_000;

function codesOf(text: string): number[] {
  const codes: number[] = [];
  for (const word of bareWordsOf(text.slice(0, maxCharacters))) {
    for (const code of codesOfWord(word)) codes.push(code);
    if (codes.length >= maxCodes) return codes.slice(0, maxCodes);
  }
  return codes;
}

// The same words come again and again, and each costs a dozen patterns: with their codes kept a record takes two thirds of
// the time. 10,000 words are about a megabyte.
const knownWords = new Map<string, readonly number[]>();
const maxKnown = 10_000;
// A longer string may be a view of the text that it was found in, which would stay in memory with it.
const longestKept = 12;

function codesOfWord(word: Word): readonly number[] {
  const known = knownWords.get(word.text);
  if (known !== undefined) return known;
  const codes = termsOfWord(word).map(codeOf);
  if (word.isRun || word.text.length > longestKept) return codes;
  if (knownWords.size >= maxKnown) knownWords.clear();
  knownWords.set(word.text, codes);
  return codes;
}

// FNV-1a over the characters, folded to 16 bits.
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return ((value >>> 16) ^ value) & 0xffff;
}
