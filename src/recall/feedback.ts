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
  const weights = new Float32Array(slotCount);
  const slots = weighWords(records, question, weights);
  weighByRarity(records, slots, weights);
  const chosen = heaviest(slots, weights);
  const total = chosen.reduce((sum, slot) => sum + (weights[slot] ?? 0), 0) || 1;
  const shares = new Float32Array(slotCount);
  for (const slot of chosen) shares[slot] = (weights[slot] ?? 0) / total;
  const seen = new Uint16Array(slotCount);
  return records.map(({ terms: { title, body } }, index) => {
    const add = (sum: number, codes: Uint32Array): number => {
      let shared = sum;
      for (let at = 0; at < codes.length; at++) {
        const slot = slotOf(codes[at] ?? 0);
        if (shares[slot] === 0 || seen[slot] === index + 1) continue;
        seen[slot] = index + 1;
        shared += shares[slot] ?? 0;
      }
      return shared;
    };
    return add(add(0, title), body);
  });
}

// Few records and few words: with more of either the words are those of the project, not of the question.
const bestRecords = 8;
const chosenWords = 20;
// Enough to tell a common word from a rare one.
const sampledRecords = 64;

// Words are counted by 14 bits of their code: maps of thousands of words took ten times as long as all the rest of the
// ranking, and a record meets a slot of the chosen words by accident once in six.
const slotCount = 2 ** 14;

function slotOf(code: number): number {
  return Math.imul(code, 0x9e3779b1) >>> 18;
}

/** How much of the best records each word is; returns the slots of those words. */
function weighWords(records: readonly Scored[], { exact }: Question, weights: Float32Array): number[] {
  const slots: number[] = [];
  const best = [...records].sort((a, b) => b.bm25 - a.bm25).slice(0, bestRecords);
  for (const { terms, bm25 } of best) {
    const share = bm25 / (terms.title.length + terms.files.length + terms.body.length || 1);
    for (const codes of [terms.title, terms.body]) {
      for (const code of codes) {
        if (share === 0 || exact.has(code)) continue;
        const slot = slotOf(code);
        if (weights[slot] === 0) slots.push(slot);
        weights[slot] = (weights[slot] ?? 0) + share;
      }
    }
  }
  return slots;
}

/** The heaviest slots, first found first among equals. */
function heaviest(slots: readonly number[], weights: Float32Array): number[] {
  const chosen: number[] = [];
  for (const slot of slots) {
    const weight = weights[slot] ?? 0;
    const last = chosen.at(-1);
    if (chosen.length === chosenWords && last !== undefined && weight <= (weights[last] ?? 0)) continue;
    let at = chosen.length;
    while (at > 0 && (weights[chosen[at - 1] ?? 0] ?? 0) < weight) at -= 1;
    chosen.splice(at, 0, slot);
    if (chosen.length > chosenWords) chosen.pop();
  }
  return chosen;
}

// Rare among the candidates, not in the store: the index cannot be asked for a word that is only known by its code.
function weighByRarity(records: readonly Scored[], slots: readonly number[], weights: Float32Array): void {
  const frequency = new Uint16Array(slotCount);
  const seen = new Uint16Array(slotCount);
  const step = Math.ceil(records.length / sampledRecords);
  for (let index = 0; index < records.length; index += step) {
    const terms = records[index]?.terms;
    if (terms === undefined) break;
    for (const codes of [terms.title, terms.body]) {
      for (let at = 0; at < codes.length; at++) {
        const slot = slotOf(codes[at] ?? 0);
        if (weights[slot] === 0 || seen[slot] === index + 1) continue;
        seen[slot] = index + 1;
        frequency[slot] = (frequency[slot] ?? 0) + 1;
      }
    }
  }
  for (const slot of slots) {
    weights[slot] = (weights[slot] ?? 0) * Math.log(1 + records.length / step / (frequency[slot] || 1));
  }
}
