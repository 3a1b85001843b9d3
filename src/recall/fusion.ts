// Orders the candidates by one weighted sum of signals.
import type { Candidate, Standing } from "../core/records/search.ts";
import { createFeatures, type Features, lengthOf } from "./features.ts";
import { feedbackOf } from "./feedback.ts";
import { createNearness } from "./named-dates.ts";
import type { Question } from "./question.ts";

/** The signals of the weighted sum; 0 if absent. */
export interface Signals extends Omit<Features, "bm25" | "has"> {
  fullText: number;
  previous: number;
  beforeThat: number;
  neighbours: number;
  feedback: number;
  age: number;
  /** How near its time is to a date that the question names. */
  date: number;
}

/**
 * Fitted on the development parts of LoCoMo, CoSQA, Cranfield and commit-fixes together, each
 * set weighing the same, by the likelihood of the relevant records (listwise softmax), with a penalty on large weights.
 * Only their proportions count. Dropped without loss: bigrams, length, BM25 beside the index's
 * own, the next record, the session's best, all terms together, title coverage.
 */
export const signalWeights: Signals = {
  fullText: 2.8,
  coverage: 1.6,
  files: 8.3,
  titleShare: 1.5,
  close: 1.8,
  passage: 1.8,
  lead: 0.5,
  beginnings: 1,
  previous: 0.9,
  beforeThat: 0.8,
  neighbours: 5.4,
  feedback: 1.8,
  age: -0.22,
  // The fit gives 5.9. 3 gains nearly as much, and a date that is only the topic does not outweigh the words.
  date: 3,
};

export interface FusedHit {
  id: number;
  /** Higher is better. */
  score: number;
  signals: Signals;
}

interface Fusion {
  candidates: readonly Candidate[];
  standing: readonly Standing[];
  question: Question | null;
  /** Weighted similarity by id. */
  byMeaning: ReadonlyMap<number, number>;
}

/** The candidates, best first. */
export function fuse({ candidates, standing, question, byMeaning }: Fusion): FusedHit[] {
  const signals = signalsOf({ candidates, standing, question });
  return candidates
    .map((candidate, index) => {
      const own = signals[index] ?? noSignals;
      const loss =
        (candidate.status === "superseded" ? supersededLoss : 0) +
        (candidate.routine === 1 ? routineLoss : 0) +
        (question === null || own.coverage > 0 || byMeaning.has(candidate.id) ? 0 : askedLoss);
      return {
        id: candidate.id,
        score: weigh(own) + (byMeaning.get(candidate.id) ?? 0) - loss,
        signals: own,
      };
    })
    .sort((a, b) => b.score - a.score || b.id - a.id);
}

/** The signals of each candidate; the bench fits the weights on them. */
export function signalsOf({ candidates, standing, question }: Omit<Fusion, "byMeaning">): Signals[] {
  const best = candidates.reduce((lowest, { score }) => Math.min(lowest, score), -Number.MIN_VALUE);
  const newest = candidates.reduce((latest, one) => Math.max(latest, one.created_at_epoch), -Infinity);
  const ageOf = (one: Candidate) => Math.log2(1 + (newest - one.created_at_epoch) / unitMs);
  if (question === null)
    return candidates.map((one) => ({ ...noSignals, fullText: one.score / best, age: ageOf(one) }));
  const average = candidates.reduce((sum, { terms }) => sum + lengthOf(terms), 0) / candidates.length || 1;
  const featuresOf = createFeatures(question, average);
  const features = candidates.map(({ terms }) => featuresOf(terms));
  const feedback = feedbackOf(
    candidates.map(({ terms }, index) => ({ terms, bm25: features[index]?.bm25 ?? 0 })),
    question,
  );
  const around = neighboursOf(candidates, features, standing);
  const nearnessOf = createNearness(question.dates, newest, question.span);
  return candidates.map((one, index) => {
    const own = features[index];
    if (own === undefined) return noSignals;
    const beside = around[index] ?? alone;
    return {
      fullText: one.score / best,
      coverage: own.coverage,
      files: own.files,
      titleShare: own.titleShare,
      close: own.close,
      passage: own.passage,
      lead: own.lead,
      beginnings: own.beginnings,
      previous: beside[1]?.bm25 ?? 0,
      beforeThat: beside[0]?.bm25 ?? 0,
      neighbours: addedBy(beside, own, question),
      feedback: feedback[index] ?? 0,
      age: ageOf(one),
      date: nearnessOf(one.created_at_epoch),
    };
  });
}

const noSignals: Signals = {
  fullText: 0,
  coverage: 0,
  files: 0,
  titleShare: 0,
  close: 0,
  passage: 0,
  lead: 0,
  beginnings: 0,
  previous: 0,
  beforeThat: 0,
  neighbours: 0,
  feedback: 0,
  age: 0,
  date: 0,
};

// About half of the best full-text score: after its replacement, before records about something else.
const supersededLoss = 1.5;
// More than any score: a statement that only the prompt of its turn matches comes after every record with a word of the
// question, and routine work after everything else.
const askedLoss = 500;
const routineLoss = 1_000;
// Age in doublings of a month, counted from the newest candidate, not from a clock: the same records give the same order.
const unitMs = 30 * 24 * 60 * 60 * 1000;

// Written out: a loop over the names took ten times as long, a tenth of the ranking.
function weigh(own: Signals): number {
  const by = signalWeights;
  return (
    by.fullText * own.fullText +
    by.coverage * own.coverage +
    by.files * own.files +
    by.titleShare * own.titleShare +
    by.close * own.close +
    by.passage * own.passage +
    by.lead * own.lead +
    by.beginnings * own.beginnings +
    by.previous * own.previous +
    by.beforeThat * own.beforeThat +
    by.neighbours * own.neighbours +
    by.feedback * own.feedback +
    by.age * own.age +
    by.date * own.date
  );
}

/** Features of the neighbors two before, one before, one after and two after, if read. */
type Around = (Features | undefined)[];
const alone: Around = [];

function neighboursOf(
  candidates: readonly Candidate[],
  features: readonly Features[],
  standing: readonly Standing[],
): (Around | undefined)[] {
  const around: (Around | undefined)[] = [];
  if (standing.length === 0) return around;
  const placeOf = new Map<number, number>();
  for (const [index, { id }] of candidates.entries()) placeOf.set(id, index);
  const rows = new Map<number, number[]>();
  for (const { beside, id } of standing) {
    const row = rows.get(beside);
    if (row === undefined) rows.set(beside, [beside, id]);
    else row.push(id);
  }
  for (const ids of rows.values()) {
    const row = ids.sort((a, b) => a - b).map((id) => placeOf.get(id));
    for (const [here, place] of row.entries()) {
      if (place === undefined) continue;
      const own = around[place] ?? [undefined, undefined, undefined, undefined];
      around[place] = own;
      for (let slot = 0; slot < distances.length; slot++) {
        const other = row[here + (distances[slot] ?? 0)];
        if (other !== undefined) own[slot] = features[other];
      }
    }
  }
  return around;
}

const distances = [-2, -1, 1, 2];

/** The share of the question that only the neighbors have. */
function addedBy(around: Around, { has }: Features, { idf, total }: Question): number {
  let others = 0;
  for (const one of around) others |= one?.has ?? 0;
  const missing = others & ~has;
  if (missing === 0) return 0;
  let added = 0;
  for (let term = 0; term < idf.length; term++) if ((missing >>> term) & 1) added += idf[term] ?? 0;
  return added / total;
}
