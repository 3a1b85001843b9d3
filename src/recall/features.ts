// How well one record fits a question, from its terms alone. Every figure is a share of what the question asks.
import type { RecordTerms } from "../core/records/record-terms.ts";
import { beginningBits, type Question } from "./question.ts";

export interface Features {
  /** BM25 over all columns, title and files weighing more, by the sum of the question's weights. */
  bm25: number;
  /** The terms that are there at all. */
  coverage: number;
  /** The terms that the files hold. */
  files: number;
  /** How much of the title the question names. */
  titleShare: number;
  /** The terms within ten words of each other at best; here and below a word that only begins like one is half of it. */
  close: number;
  /** BM25 of the best 25 words in a row. */
  passage: number;
  /** The terms among the first 15 words. */
  lead: number;
  /** The terms that are not there, but a word that begins like them is. */
  beginnings: number;
  /** A bit for each term that is there; a question has at most 32. */
  has: number;
}

/** The features of records; `averageLength` in terms, of those that are compared. What is found of one is forgotten with the next. */
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

/** How many terms a record has in all. */
export function lengthOf({ title, end }: RecordTerms): number {
  return end - title;
}

/** What stands in one record of the terms that are asked for. */
interface Found {
  /** By term: how often, weighed by column. */
  counts: Float64Array;
  /** A bit for each term: in the files; a word that begins like it. */
  inFiles: number;
  similar: number;
  titleHits: number;
  /**
   * The occurrences in title and body, in order: which term, where, and 2 for the term itself or 1 for a word that
   * begins like it. The arrays are longer than `count`.
   */
  terms: number[];
  places: number[];
  halves: number[];
  count: number;
  /** By term, for the passage that is looked at: halves. */
  within: Uint8Array;
  /** The sums of the weights of the terms. */
  bm25: number;
  coverage: number;
  files: number;
  beginnings: number;
  /** A bit for each term that is there. */
  has: number;
}

function createFound(size: number): Found {
  return {
    counts: new Float64Array(size),
    within: new Uint8Array(size),
    terms: [],
    places: [],
    halves: [],
    ...{
      inFiles: 0,
      similar: 0,
      titleHits: 0,
      count: 0,
      bm25: 0,
      coverage: 0,
      files: 0,
      beginnings: 0,
      has: 0,
    },
  };
}

function clear(found: Found): void {
  found.counts.fill(0);
  found.inFiles = 0;
  found.similar = 0;
  found.titleHits = 0;
  found.count = 0;
  found.bm25 = 0;
  found.coverage = 0;
  found.files = 0;
  found.beginnings = 0;
  found.has = 0;
}

// The columns' weights are those of the full-text index. Length counts half: a long session is not about less.
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
    // The body goes on where the title ends.
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

// From each occurrence on: what stands within reach of it.
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

/** The terms from one occurrence on that stand before a place, each counted once. */
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
      // What one more of it adds.
      sum += (idf[term] ?? 0) * ((saturated[after] ?? 0) - (saturated[before] ?? 0));
    }
    best = Math.max(best, sum);
  }
  return best;
}

// By halves. A passage holds a term at most once in each of its words.
const saturated = Float64Array.from({ length: 2 * passageWords + 1 }, (_, halves) => {
  const count = halves / 2;
  return (count * (saturation + 1)) / (count + saturation);
});
