// Puts the candidates of all legs in order: one weighted sum of what is known of each.
import type { Candidate, Standing } from "../domain/search.ts";
import { type Features, featuresOf, lengthOf } from "./features.ts";
import { feedbackOf } from "./feedback.ts";
import type { Question } from "./question.ts";

/** What the weighted sum is made of; each is 0 where there is nothing of it. */
export interface Signals {
  fullText: number;
  coverage: number;
  files: number;
  titleShare: number;
  close: number;
  passage: number;
  lead: number;
  beginnings: number;
  previous: number;
  beforeThat: number;
  neighbours: number;
  feedback: number;
  age: number;
}

/**
 * Fitted by `npm run bench -- fit` on the development parts of LoCoMo, CoSQA, Cranfield and commit-fixes together, each
 * set weighing the same, by the likelihood of the relevant records (listwise softmax), with a penalty on large weights.
 * Only their proportions count. Left out because nothing was lost without them: bigrams, length, BM25 beside the index's
 * own, the next record, the session's best, all terms at once, title coverage.
 */
export const signalWeights: Signals = {
  fullText: 2.8,
  coverage: 1.6,
  files: 8.3,
  titleShare: 1.5,
  close: 1.8,
  passage: 1.6,
  lead: 0.3,
  beginnings: 2.7,
  previous: 0.9,
  beforeThat: 0.8,
  neighbours: 5.4,
  feedback: 1.8,
  age: -0.22,
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
  /** What an embedder adds, already weighed. */
  byMeaning: ReadonlyMap<number, number>;
}

/** The candidates, best first. */
export function fuse({ candidates, standing, question, byMeaning }: Fusion): FusedHit[] {
  const signals = signalsOf({ candidates, standing, question });
  return candidates
    .map((candidate, index) => {
      const own = signals[index] ?? noSignals;
      const superseded = candidate.status === "superseded" ? supersededLoss : 0;
      return {
        id: candidate.id,
        score: weigh(own) + (byMeaning.get(candidate.id) ?? 0) - superseded,
        signals: own,
      };
    })
    .sort((a, b) => b.score - a.score || b.id - a.id);
}

/** The signals of each candidate; the bench fits the weights on them. */
export function signalsOf({ candidates, standing, question }: Omit<Fusion, "byMeaning">): Signals[] {
  const best = Math.min(...candidates.map(({ score }) => score), -Number.MIN_VALUE);
  const newest = candidates.reduce((latest, one) => Math.max(latest, one.created_at_epoch), -Infinity);
  const base = candidates.map((one) => ({
    ...noSignals,
    fullText: one.score / best,
    age: Math.log2(1 + (newest - one.created_at_epoch) / unitMs),
  }));
  if (question === null) return base;
  const average = candidates.reduce((sum, { terms }) => sum + lengthOf(terms), 0) / candidates.length || 1;
  const features = candidates.map(({ terms }) => featuresOf(terms, question, average));
  const feedback = feedbackOf(
    candidates.map(({ terms }, index) => ({ terms, bm25: features[index]?.bm25 ?? 0 })),
    question,
  );
  const around = neighboursOf(candidates, features, standing);
  return base.map((signals, index) => {
    const own = features[index];
    if (own === undefined) return signals;
    const { coverage, files, titleShare, close, passage, lead, beginnings } = own;
    const beside = besideOf(own, around[index] ?? [], question);
    return {
      ...signals,
      ...{ coverage, files, titleShare, close, passage, lead, beginnings },
      ...beside,
      feedback: feedback[index] ?? 0,
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
};

// About half of what the best full-text score is worth: behind what says the same now, before what is about something else.
const supersededLoss = 1.5;
// Age in doublings of a month, from the newest candidate and not from a clock: the same records give the same order.
const unitMs = 30 * 24 * 60 * 60 * 1000;

function weigh(signals: Signals): number {
  let sum = 0;
  for (const name of Object.keys(signalWeights) as (keyof Signals)[]) {
    sum += signalWeights[name] * signals[name];
  }
  return sum;
}

/** Two places before, one before, one after, two after: the features of who stands there, if it was read. */
type Around = (Features | undefined)[];

function neighboursOf(
  candidates: readonly Candidate[],
  features: readonly Features[],
  standing: readonly Standing[],
): Around[] {
  const placeOf = new Map(candidates.map(({ id }, index) => [id, index]));
  const around = candidates.map((): Around => []);
  const rows = new Map<number, number[]>();
  for (const { beside, id } of standing) rows.set(beside, [...(rows.get(beside) ?? [beside]), id]);
  for (const ids of rows.values()) {
    const row = ids.sort((a, b) => a - b).map((id) => placeOf.get(id));
    for (const [here, place] of row.entries()) {
      const own = place === undefined ? undefined : around[place];
      if (own === undefined) continue;
      for (const [slot, distance] of [-2, -1, 1, 2].entries()) {
        const other = row[here + distance];
        if (other !== undefined) own[slot] = features[other];
      }
    }
  }
  return around;
}

function besideOf(own: Features, around: Around, { idf, total }: Question) {
  let added = 0;
  for (const [term, weight] of idf.entries()) {
    if (own.has[term] === 0 && around.some((one) => one?.has[term] === 1)) added += weight;
  }
  return {
    previous: around[1]?.bm25 ?? 0,
    beforeThat: around[0]?.bm25 ?? 0,
    neighbours: added / total,
  };
}
