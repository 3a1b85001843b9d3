// Pseudo-relevance feedback: words that the best records share extend the question. It only reorders candidates, so a
// wrong guess can push an answer down but never add one.
import type { RecordTerms } from "../core/records/record-terms.ts";
import { beginningBits, type Question } from "./question.ts";

interface Scored {
  terms: RecordTerms;
  bm25: number;
}

/** For each record the share of these words that it has, 0 to 1. */
export function feedbackOf(records: readonly Scored[], question: Question): number[] {
  const words = weighWords(records, question);
  weighByRarity(records, words);
  const chosen = heaviest(words.weights);
  const total = chosen.reduce((sum, word) => sum + (words.weights[word] ?? 0), 0) || 1;
  const shares = chosen.map((word) => (words.weights[word] ?? 0) / total);
  for (const [index, word] of chosen.entries()) bits[words.slots[word] ?? 0] = 1 << index;
  const feedback = records.map(({ terms }) => shareOf(heldBy(terms), shares));
  for (const slot of words.slots) {
    numbers[slot] = 0;
    bits[slot] = 0;
  }
  return feedback;
}

// With more records or words the words describe the project, not the question.
const bestRecords = 8;
// At most 31: each is a bit.
const chosenWords = 20;
// Enough to tell a common word from a rare one.
const sampledRecords = 64;

// Words are identified by 14 bits of their code: maps of thousands of words took ten times as long as the rest of the
// ranking, and one record in six hits a slot of the chosen words by accident.
const slotCount = 2 ** 14;

// By slot: the number of a word of the best records, and the bit of a chosen one. Each call empties them: allocating 96 KB
// for a search of a millisecond kept the garbage collector busy.
const numbers = new Uint16Array(slotCount);
const bits = new Int32Array(slotCount);

function slotOf(code: number): number {
  return Math.imul(code, 0x9e3779b1) >>> 18;
}

/** The words of the best records. Word 0 stands for all others and weighs nothing. */
interface Words {
  /** Slot and weight by the word's number. */
  slots: number[];
  weights: number[];
}

/** Weights each word by its share of the best records. */
function weighWords(records: readonly Scored[], question: Question): Words {
  const words: Words = { slots: [0], weights: [0] };
  for (const { terms, bm25 } of bestOf(records)) {
    const share = bm25 / (terms.end - terms.title || 1);
    if (share === 0) continue;
    addWords(terms, terms.title, terms.files, { share, question, words });
    addWords(terms, terms.body, terms.end, { share, question, words });
  }
  return words;
}

/** The best few, best first; among equals the first. */
function bestOf(records: readonly Scored[]): Scored[] {
  const best: Scored[] = [];
  for (const record of records) {
    const last = best.at(-1);
    if (best.length === bestRecords && last !== undefined && record.bm25 <= last.bm25) continue;
    let at = best.length;
    while (at > 0 && (best[at - 1]?.bm25 ?? 0) < record.bm25) at -= 1;
    best.splice(at, 0, record);
    if (best.length > bestRecords) best.pop();
  }
  return best;
}

interface Weighing {
  share: number;
  question: Question;
  words: Words;
}

function addWords({ codes }: RecordTerms, from: number, end: number, { share, question, words }: Weighing) {
  const { slots, weights } = words;
  const { mayMatch, exact } = question;
  for (let at = from; at < end; at++) {
    const code = codes[at] ?? 0;
    if (mayMatch[beginningBits(code)] === 1 && exact.has(code)) continue;
    const slot = slotOf(code);
    const known = numbers[slot] ?? 0;
    if (known === 0) {
      numbers[slot] = weights.push(share) - 1;
      slots.push(slot);
    } else weights[known] = (weights[known] ?? 0) + share;
  }
}

/** The bits of the chosen words in the record's title and body. */
function heldBy({ codes, title, files, body, end }: RecordTerms): number {
  let held = 0;
  for (let at = title; at < files; at++) held |= bits[slotOf(codes[at] ?? 0)] ?? 0;
  for (let at = body; at < end; at++) held |= bits[slotOf(codes[at] ?? 0)] ?? 0;
  return held;
}

function shareOf(held: number, shares: readonly number[]): number {
  let shared = 0;
  // In the order of the words: a sum of fractions depends on it.
  for (let left = held; left !== 0; left &= left - 1) shared += shares[31 - Math.clz32(left & -left)] ?? 0;
  return shared;
}

/** The numbers of the heaviest words; among equals the first found. */
function heaviest(weights: readonly number[]): number[] {
  const chosen: number[] = [];
  let least = 0;
  for (let word = 1; word < weights.length; word++) {
    const weight = weights[word] ?? 0;
    if (chosen.length === chosenWords && weight <= least) continue;
    let at = chosen.length;
    while (at > 0 && (weights[chosen[at - 1] ?? 0] ?? 0) < weight) at -= 1;
    chosen.splice(at, 0, word);
    if (chosen.length > chosenWords) chosen.pop();
    least = weights[chosen[chosen.length - 1] ?? 0] ?? 0;
  }
  return chosen;
}

// Rarity among the candidates, not in the store: the index does not know codes.
function weighByRarity(records: readonly Scored[], { weights }: Words): void {
  const frequency = new Uint16Array(weights.length);
  const seen = new Uint16Array(weights.length);
  const count = (codes: Uint32Array, from: number, end: number, mark: number) => {
    for (let at = from; at < end; at++) {
      const word = numbers[slotOf(codes[at] ?? 0)] ?? 0;
      // Word 0 too: a mispredicted branch costs more than the sum.
      frequency[word] = (frequency[word] ?? 0) + Math.min(1, mark - (seen[word] ?? 0));
      seen[word] = mark;
    }
  };
  const step = Math.ceil(records.length / sampledRecords);
  for (let index = 0; index < records.length; index += step) {
    const terms = records[index]?.terms;
    if (terms === undefined) break;
    count(terms.codes, terms.title, terms.files, index + 1);
    count(terms.codes, terms.body, terms.end, index + 1);
  }
  const rarity = new Float64Array(sampledRecords + 1);
  for (let times = 0; times <= sampledRecords; times++) {
    rarity[times] = Math.log(1 + records.length / step / (times || 1));
  }
  for (let word = 1; word < weights.length; word++) {
    weights[word] = (weights[word] ?? 0) * (rarity[frequency[word] ?? 0] ?? 0);
  }
}
