// Feedback: the words that the best records share say what else the question is about. It reorders candidates, so a
// wrong guess can push an answer down but never bring in what nothing else found.
import type { RecordTerms } from "../domain/record-terms.ts";
import type { Question } from "./question.ts";

interface Scored {
  terms: RecordTerms;
  bm25: number;
}

/** For each record the share of the common words it holds, 0 to 1. */
export function feedbackOf(records: readonly Scored[], question: Question): number[] {
  const words = weighWords(records, question);
  weighByRarity(records, words);
  const chosen = heaviest(words.weights);
  const total = chosen.reduce((sum, word) => sum + (words.weights[word] ?? 0), 0) || 1;
  const shares = chosen.map((word) => (words.weights[word] ?? 0) / total);
  const bits = new Int32Array(words.weights.length);
  for (const [index, word] of chosen.entries()) bits[word] = 1 << index;
  return records.map(({ terms }) => {
    const held = heldBy(terms, words.numbers, bits);
    let shared = 0;
    for (const [index, share] of shares.entries()) if ((held >>> index) & 1) shared += share;
    return shared;
  });
}

// Few records and few words: with more of either the words are those of the project, not of the question.
const bestRecords = 8;
// At most 31: each is a bit.
const chosenWords = 20;
// Enough to tell a common word from a rare one.
const sampledRecords = 64;

// Words are told apart by 14 bits of their code: maps of thousands of words took ten times as long as all the rest of
// the ranking, and a record meets a slot of the chosen words by accident once in six.
const slotCount = 2 ** 14;

function slotOf(code: number): number {
  return Math.imul(code, 0x9e3779b1) >>> 18;
}

/** The words of the best records. Word 0 is every other one, and weighs nothing. */
interface Words {
  /** The number of a word, by its slot. */
  numbers: Uint16Array;
  /** What each weighs, by its number. */
  weights: number[];
}

/** How much of the best records each word is. */
function weighWords(records: readonly Scored[], { exact }: Question): Words {
  const numbers = new Uint16Array(slotCount);
  const weights = [0];
  const best = [...records].sort((a, b) => b.bm25 - a.bm25).slice(0, bestRecords);
  for (const { terms, bm25 } of best) {
    const share = bm25 / (terms.end - terms.title || 1);
    if (share === 0) continue;
    for (let at = next(terms.title - 1, terms); at < terms.end; at = next(at, terms)) {
      const code = terms.codes[at] ?? 0;
      if (exact.has(code)) continue;
      const slot = slotOf(code);
      const known = numbers[slot] ?? 0;
      if (known === 0) numbers[slot] = weights.push(share) - 1;
      else weights[known] = (weights[known] ?? 0) + share;
    }
  }
  return { numbers, weights };
}

/** The place after `at` in title and body. */
function next(at: number, { files, body }: RecordTerms): number {
  return at + 1 === files ? body : at + 1;
}

/** The bits of the words that the record holds. */
function heldBy(terms: RecordTerms, numbers: Uint16Array, bits: Int32Array): number {
  const { codes, title, files, body, end } = terms;
  let held = 0;
  for (let at = title; at < files; at++) held |= bits[numbers[slotOf(codes[at] ?? 0)] ?? 0] ?? 0;
  for (let at = body; at < end; at++) held |= bits[numbers[slotOf(codes[at] ?? 0)] ?? 0] ?? 0;
  return held;
}

/** The numbers of the heaviest words, first found first among equals. */
function heaviest(weights: readonly number[]): number[] {
  const chosen: number[] = [];
  for (let word = 1; word < weights.length; word++) {
    const weight = weights[word] ?? 0;
    const last = chosen.at(-1);
    if (chosen.length === chosenWords && last !== undefined && weight <= (weights[last] ?? 0)) continue;
    let at = chosen.length;
    while (at > 0 && (weights[chosen[at - 1] ?? 0] ?? 0) < weight) at -= 1;
    chosen.splice(at, 0, word);
    if (chosen.length > chosenWords) chosen.pop();
  }
  return chosen;
}

// Rare among the candidates, not in the store: the index cannot be asked for a word that is only known by its code.
function weighByRarity(records: readonly Scored[], { numbers, weights }: Words): void {
  const frequency = new Uint16Array(weights.length);
  const seen = new Uint16Array(weights.length);
  const step = Math.ceil(records.length / sampledRecords);
  for (let index = 0; index < records.length; index += step) {
    const terms = records[index]?.terms;
    if (terms === undefined) break;
    for (let at = next(terms.title - 1, terms); at < terms.end; at = next(at, terms)) {
      const word = numbers[slotOf(terms.codes[at] ?? 0)] ?? 0;
      if (word === 0 || seen[word] === index + 1) continue;
      seen[word] = index + 1;
      frequency[word] = (frequency[word] ?? 0) + 1;
    }
  }
  for (let word = 1; word < weights.length; word++) {
    weights[word] = (weights[word] ?? 0) * Math.log(1 + records.length / step / (frequency[word] || 1));
  }
}
