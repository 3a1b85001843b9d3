// How well one record fits a question, from its terms alone. Every figure is a share of what the question asks.
import type { RecordTerms } from "../domain/record-terms.ts";
import type { Question } from "./question.ts";

export interface Features {
  /** BM25 over all columns, title and files weighing more, by the sum of the question's weights. */
  bm25: number;
  /** The terms that are there at all. */
  coverage: number;
  /** The terms that the files hold. */
  files: number;
  /** How much of the title the question names. */
  titleShare: number;
  /** The terms within ten words of each other at best. */
  close: number;
  /** BM25 of the best 25 words in a row. */
  passage: number;
  /** The terms among the first 15 words. */
  lead: number;
  /** The terms that are not there, but a word that begins like them is. */
  beginnings: number;
  /** Which terms are there. */
  has: Uint8Array;
}

/** The features of a record; `averageLength` in terms, of the records it is compared with. */
export function featuresOf(record: RecordTerms, question: Question, averageLength: number): Features {
  const { idf, total } = question;
  const counts = new Float64Array(idf.length);
  const similar = new Uint8Array(idf.length);
  const inFiles = new Uint8Array(idf.length);
  const text: Occurrence[] = [];
  let titleHits = 0;
  scan(record.title, question, similar, (term, position) => {
    titleHits += 1;
    text.push({ term, position });
    add(counts, term, titleWeight);
  });
  scan(record.files, question, similar, (term) => {
    inFiles[term] = 1;
    add(counts, term, filesWeight);
  });
  scan(record.body, question, similar, (term, position) => {
    text.push({ term, position: record.title.length + position });
    add(counts, term, 1);
  });
  const length = lengthOf(record);
  const normal = saturation * (1 - lengthShare + (lengthShare * length) / averageLength);
  const has = new Uint8Array(idf.length);
  const sums = { bm25: 0, coverage: 0, files: 0, beginnings: 0 };
  for (const [term, weight] of idf.entries()) {
    const count = counts[term] ?? 0;
    if (count === 0) {
      if (similar[term] === 1) sums.beginnings += weight;
      continue;
    }
    has[term] = 1;
    sums.coverage += weight;
    sums.bm25 += (weight * count * (saturation + 1)) / (count + normal);
    if (inFiles[term] === 1) sums.files += weight;
  }
  return {
    bm25: sums.bm25 / total,
    coverage: sums.coverage / total,
    files: sums.files / total,
    titleShare: titleHits / (record.title.length + 1),
    close: closest(text, idf) / total,
    passage: bestPassage(text, idf) / total,
    lead: leading(text, idf) / total,
    beginnings: sums.beginnings / total,
    has,
  };
}

/** All terms of a record. */
export function lengthOf({ title, files, body }: RecordTerms): number {
  return title.length + files.length + body.length;
}

interface Occurrence {
  term: number;
  position: number;
}

// The columns' weights are those of the full-text index. Length counts half: a long session is not about less.
const titleWeight = 3;
const filesWeight = 4;
const saturation = 1.2;
const lengthShare = 0.5;

const closeWords = 10;
const passageWords = 25;
const leadWords = 15;

function scan(
  codes: Uint32Array,
  { mayMatch, exact, beginnings }: Question,
  similar: Uint8Array,
  found: (term: number, position: number) => void,
): void {
  for (let position = 0; position < codes.length; position++) {
    const code = codes[position] ?? 0;
    if (mayMatch[code >>> 16] !== 1) continue;
    const term = exact.get(code);
    if (term !== undefined) found(term, position);
    for (const other of beginnings.get(code >>> 16) ?? []) similar[other] = 1;
  }
}

function add(counts: Float64Array, term: number, weight: number): void {
  counts[term] = (counts[term] ?? 0) + weight;
}

// From each occurrence on: what stands within reach of it.
function closest(text: readonly Occurrence[], idf: readonly number[]): number {
  let best = 0;
  const seen = new Set<number>();
  for (let from = 0; from < text.length; from++) {
    seen.clear();
    let sum = 0;
    for (const { term } of within(text, from, closeWords)) {
      if (seen.has(term)) continue;
      seen.add(term);
      sum += idf[term] ?? 0;
    }
    best = Math.max(best, sum);
  }
  return best;
}

function bestPassage(text: readonly Occurrence[], idf: readonly number[]): number {
  let best = 0;
  const counts = new Map<number, number>();
  for (let from = 0; from < text.length; from++) {
    counts.clear();
    for (const { term } of within(text, from, passageWords)) counts.set(term, (counts.get(term) ?? 0) + 1);
    let sum = 0;
    for (const [term, count] of counts) {
      sum += ((idf[term] ?? 0) * count * (saturation + 1)) / (count + saturation);
    }
    best = Math.max(best, sum);
  }
  return best;
}

function* within(text: readonly Occurrence[], from: number, words: number): Generator<Occurrence> {
  const start = text[from]?.position ?? 0;
  for (let index = from; index < text.length; index++) {
    const occurrence = text[index];
    if (occurrence === undefined || occurrence.position - start >= words) return;
    yield occurrence;
  }
}

function leading(text: readonly Occurrence[], idf: readonly number[]): number {
  const terms = new Set<number>();
  for (const { term, position } of text) if (position < leadWords) terms.add(term);
  let sum = 0;
  for (const term of terms) sum += idf[term] ?? 0;
  return sum;
}
