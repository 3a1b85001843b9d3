// Feedback: the words that the best records share say what else the question is about. It reorders candidates, so a
// wrong guess can push an answer down but never bring in what nothing else found.
import type { RecordTerms } from "../domain/record-terms.ts";
import type { Question } from "./question.ts";

export interface Scored {
  terms: RecordTerms;
  bm25: number;
}

/** For each record the share of the common words it holds, 0 to 1. */
export function feedbackOf(records: readonly Scored[], question: Question): number[] {
  const slots = createSlots(records, question);
  const held = records.map(({ terms }) => slots.in(terms));
  const frequency = new Float64Array(slots.weights.length);
  for (const numbers of held) for (const number of numbers) frequency[number] = (frequency[number] ?? 0) + 1;
  const weights = slots.weights.map(
    (weight, number) => weight * Math.log(1 + records.length / (frequency[number] || 1)),
  );
  const chosen = [...weights.keys()]
    .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b)
    .slice(0, words);
  const total = chosen.reduce((sum, number) => sum + (weights[number] ?? 0), 0) || 1;
  const share = new Float64Array(weights.length);
  for (const number of chosen) share[number] = (weights[number] ?? 0) / total;
  return held.map((numbers) => numbers.reduce((sum, number) => sum + (share[number] ?? 0), 0));
}

// Few records and few words: with more of either the words are those of the project, not of the question.
const bestRecords = 8;
const words = 20;

// The words of the best records that the question does not hold, numbered, each with how much of those records it is.
function createSlots(records: readonly Scored[], { exact }: Question) {
  const best = [...records].sort((a, b) => b.bm25 - a.bm25).slice(0, bestRecords);
  const numbers = new Map<number, number>();
  const weights: number[] = [];
  const mayHold = new Uint8Array(2 ** 16);
  for (const { terms, bm25 } of best) {
    const length = terms.title.length + terms.files.length + terms.body.length || 1;
    for (const codes of [terms.title, terms.body]) {
      for (const code of codes) {
        if (exact.has(code)) continue;
        const number = numbers.get(code) ?? weights.length;
        numbers.set(code, number);
        mayHold[code >>> 16] = 1;
        weights[number] = (weights[number] ?? 0) + bm25 / length;
      }
    }
  }
  return {
    weights,
    in({ title, body }: RecordTerms): number[] {
      const held = new Set<number>();
      for (const codes of [title, body]) {
        for (let index = 0; index < codes.length; index++) {
          const code = codes[index] ?? 0;
          if (mayHold[code >>> 16] !== 1) continue;
          const number = numbers.get(code);
          if (number !== undefined) held.add(number);
        }
      }
      return [...held];
    },
  };
}
