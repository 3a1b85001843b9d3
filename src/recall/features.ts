// How well a record matches a question, from its terms alone. Every figure is a share of the question's weight.
import type { RecordTerms } from "../core/records/record-terms.ts";
import { beginningBits, type Question } from "./question.ts";

export interface Features {
  /** BM25 over all columns, title and files weighing more, by the sum of the question's weights. */
  bm25: number;
  /** Terms that occur. */
  coverage: number;
  /** Terms that occur in file names. */
  files: number;
  /** Share of the title's words that are terms. */
  titleShare: number;
  /** Most terms within ten words; here and below a word that only begins like a term counts half. */
  close: number;
  /** BM25 of the best passage of 25 words. */
  passage: number;
  /** Terms among the first 15 words. */
  lead: number;
  /** Terms that do not occur, but a word that begins like them does. */
  beginnings: number;
  /** A bit for each term that occurs; a question has at most 32. */
  has: number;
}

/** Computes the features of records; `averageLength` is that of all candidates, in terms. */
export function createFeatures(question: Question, averageLength: number): (record: RecordTerms) => Features {
  const { idf, total } = question;
  const found = createFound(idf.length);
  return (record) => {
    clear(found);
    scan(record, question, found);
    addUp(found, idf, saturation * (1 - lengthShare + (lengthShare * lengthOf(record)) / averageLength));
    return {
      bm25: found.bm25 / total,
      coverage: found.coverage / total,
      files: found.files / total,
      titleShare: found.titleHits / (record.files - record.title + 1),
      close: closest(found, idf) / total,
      passage: bestPassage(found, idf) / total,
      lead: leading(found, idf) / total,
      beginnings: found.beginnings / total,
      has: found.has,
    };
  };
}

/** How many terms a record has. */
export function lengthOf({ title, end }: RecordTerms): number {
  return end - title;
}

/** Occurrences of the question's terms in one record; reused for the next record. */
interface Found {
  /** By term: its count, weighted by column. */
  counts: Float64Array;
  /** Bits of terms in file names, and of terms that a word begins like. */
  inFiles: number;
  similar: number;
  titleHits: number;
  /**
   * Occurrences in title and body, in order: the term, its place, and 2 for the term itself or 1 for a word that begins
   * like it. The arrays may be longer than `count`.
   */
  terms: number[];
  places: number[];
  halves: number[];
  count: number;
  /** By term: halves within the current passage. */
  within: Uint8Array;
  /** Sums of term weights. */
  bm25: number;
  coverage: number;
  files: number;
  beginnings: number;
  /** A bit for each term that occurs. */
  has: number;
}

const nothingFound = {
  ...{ inFiles: 0, similar: 0, titleHits: 0, count: 0 },
  ...{ bm25: 0, coverage: 0, files: 0, beginnings: 0, has: 0 },
};

function createFound(size: number): Found {
  const lists = { terms: [], places: [], halves: [] };
  return { counts: new Float64Array(size), within: new Uint8Array(size), ...lists, ...nothingFound };
}

function clear(found: Found): void {
  found.counts.fill(0);
  Object.assign(found, nothingFound);
}

// The full-text index has the same column weights. Length counts half: a long session is not less relevant.
const titleWeight = 3;
const filesWeight = 4;
const saturation = 1.2;
const lengthShare = 0.5;

const closeWords = 10;
const passageWords = 25;
const leadWords = 15;

function scan(record: RecordTerms, { mayMatch, exact, beginnings }: Question, found: Found): void {
  const { codes, title, files, body, end } = record;
  for (let at = title; at < end; at++) {
    const code = codes[at] ?? 0;
    if (mayMatch[beginningBits(code)] !== 1) continue;
    const similar = beginnings.get(code >>> 16) ?? noTerms;
    for (const other of similar) found.similar |= 1 << other;
    const term = exact.get(code);
    const inTitle = at < files;
    const inFiles = !inTitle && at < body;
    // The body continues where the title ends.
    const place = inTitle ? at - title : at - body + files - title;
    if (term === undefined) {
      if (!inFiles) for (const other of similar) occurs(found, other, place, 1);
      continue;
    }
    if (inFiles) {
      found.inFiles |= 1 << term;
      add(found.counts, term, filesWeight);
      continue;
    }
    if (inTitle) found.titleHits += 1;
    add(found.counts, term, inTitle ? titleWeight : 1);
    occurs(found, term, place, 2);
  }
}

function occurs(found: Found, term: number, place: number, halves: number): void {
  found.terms[found.count] = term;
  found.places[found.count] = place;
  found.halves[found.count] = halves;
  found.count += 1;
}

const noTerms: readonly number[] = [];

function add(counts: Float64Array, term: number, weight: number): void {
  counts[term] = (counts[term] ?? 0) + weight;
}

function addUp(found: Found, idf: readonly number[], normal: number): void {
  for (let term = 0; term < idf.length; term++) {
    const weight = idf[term] ?? 0;
    const count = found.counts[term] ?? 0;
    if (count === 0) {
      if ((found.similar >>> term) & 1) found.beginnings += weight;
      continue;
    }
    found.has |= 1 << term;
    found.coverage += weight;
    found.bm25 += (weight * count * (saturation + 1)) / (count + normal);
    if ((found.inFiles >>> term) & 1) found.files += weight;
  }
}

// From each occurrence on: the terms within reach.
function closest(found: Found, idf: readonly number[]): number {
  const { places, count } = found;
  let best = 0;
  for (let from = 0; from < count; from++)
    best = Math.max(best, distinct(found, from, (places[from] ?? 0) + closeWords, idf));
  return best;
}

function leading(found: Found, idf: readonly number[]): number {
  return distinct(found, 0, leadWords, idf);
}

/** The weight of the terms from one occurrence to a place, each counted once. */
function distinct(found: Found, from: number, end: number, idf: readonly number[]): number {
  const { terms, places, halves, count, within } = found;
  within.fill(0);
  let sum = 0;
  for (let at = from; at < count && (places[at] ?? 0) < end; at++) {
    const term = terms[at] ?? 0;
    const more = (halves[at] ?? 0) - (within[term] ?? 0);
    if (more <= 0) continue;
    within[term] = halves[at] ?? 0;
    sum += ((idf[term] ?? 0) * more) / 2;
  }
  return sum;
}

function bestPassage({ terms, places, halves, count, within }: Found, idf: readonly number[]): number {
  let best = 0;
  for (let from = 0; from < count; from++) {
    const reach = (places[from] ?? 0) + passageWords;
    within.fill(0);
    let sum = 0;
    for (let at = from; at < count && (places[at] ?? 0) < reach; at++) {
      const term = terms[at] ?? 0;
      const before = within[term] ?? 0;
      const after = before + (halves[at] ?? 0);
      within[term] = after;
      // The gain of one more occurrence.
      sum += (idf[term] ?? 0) * ((saturated[after] ?? 0) - (saturated[before] ?? 0));
    }
    best = Math.max(best, sum);
  }
  return best;
}

// By halves. Each word of a passage is at most one occurrence of a term.
const saturated = Float64Array.from({ length: 2 * passageWords + 1 }, (_, halves) => {
  const count = halves / 2;
  return (count * (saturation + 1)) / (count + saturation);
});
