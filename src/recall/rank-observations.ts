// Ranks observations: the best by words, their neighbors in the session, and the nearest by meaning.
import { codeOf, type RecordTerms } from "../core/records/record-terms.ts";
import type { Candidate, RecordFilter, Standing } from "../core/records/search.ts";
import { bestOfSplit, type RareWords, rareWords, type SplitWords, splitWords } from "./common-words.ts";
import { type FusedHit, fuse } from "./fusion.ts";
import { type Span, within } from "./named-times.ts";
import { buildMatch, matchOf, phraseMatch } from "./query.ts";
import { createQuestion, type Question } from "./question.ts";
import type { CandidatePort, Chosen, VectorAnswer } from "./search-port.ts";

export interface Ranking {
  /** Every candidate, best first. */
  hits: (Chosen & { rank: number })[];
  /** How many of the best full-text rows are among them. */
  read: number;
}

interface RankRequest {
  words: string;
  filter: RecordFilter;
  /** Scope tokens that every match carries. */
  scope: readonly string[];
  vectors: VectorAnswer;
  /** The words are a prompt: only the rare ones are searched. */
  isPrompt?: boolean | undefined;
  /** Records from this time get a boost. */
  span?: Span | null | undefined;
}

/** The columns of an observation that are matched. */
export const observationColumns = ["title", "facts", "narrative", "files"];

/** How many nearest vectors are requested. */
export const nearestCount = 100;

export function rankObservations(port: CandidatePort, request: RankRequest): Ranking {
  const { vectors } = request;
  const gathered = gatherCandidates(port, request);
  const near = vectors.state === "ok" ? vectors.hits : [];
  const byMeaning = new Map(near.map(({ id, similarity }) => [id, similarity]));
  const hits = fuse({ ...gathered, byMeaning })
    // A mere neighbor of an answer is not an answer.
    .filter(({ id, signals }) => signals.coverage > 0 || gathered.own.has(id) || byMeaning.has(id))
    .map((hit) => ({
      id: hit.id,
      rank: -hit.score,
      words: hit.signals.coverage,
      matched_by: reasonsOf(hit, byMeaning.has(hit.id)),
    }));
  return { hits, read: gathered.read };
}

/** The candidates by words, neighbors and vectors, with everything their signals are computed from. */
export function gatherCandidates(port: CandidatePort, request: RankRequest): Gathered {
  const { words, filter, scope, vectors } = request;
  const population = port.population(filter.project);
  const asked = { words, filter, columns: observationColumns, scope, population };
  const rare = request.isPrompt ? rareWords(port, asked) : null;
  const match =
    rare === null
      ? buildMatch(words, observationColumns, scope)
      : matchOf(rare.phrases, observationColumns, scope);
  const split = rare === null ? splitWords(port, asked) : null;
  const matched = match === null ? [] : bestOf(port, { ...asked, match, split });
  const best = withoutRepeats([...matched, ...bestBeyond(port, request, { match, matched })]).filter(
    ({ status }) => status !== "rejected",
  );
  const standing = best.length === 0 ? [] : port.beside(best.slice(0, expandedCount).map(({ id }) => id));
  const near = vectors.state === "ok" ? vectors.hits : [];
  const own = new Set(best.map(({ id }) => id));
  const others = [...new Set([...standing, ...near].map(({ id }) => id))].filter((id) => !own.has(id));
  const candidates = others.length === 0 ? best : [...best, ...port.some(others, filter)];
  const question =
    candidates.length === 0
      ? null
      : questionOf(port, request, { match, matched, population, countOf: (rare ?? split)?.countOf });
  return { candidates, standing, own, read: matched.length, question };
}

interface Wanted extends Omit<RankRequest, "vectors"> {
  columns: readonly string[];
  population: number;
  match: string;
  split: SplitWords | null;
}

function bestOf(port: CandidatePort, { split, match, ...asked }: Wanted): Candidate[] {
  return split === null || split.common.length === 0
    ? port.best(match, asked.filter, candidateCount)
    : port.candidates(bestOfSplit(port, { ...asked, split, limit: candidateCount }));
}

// In a large project the best records may hold none of the requested time, and only routine work, which ranks last.
function bestBeyond(
  port: CandidatePort,
  { filter, span }: RankRequest,
  { match, matched }: Pick<Found, "match" | "matched">,
): Candidate[] {
  if (match === null || matched.length < candidateCount) return [];
  const ofThen = span ? port.best(match, { ...filter, ...within(span, filter) }, candidatesOfThen) : [];
  const lasting = matched.filter(({ routine }) => routine !== 1).length;
  if (lasting >= lastingCount) return ofThen;
  return [...ofThen, ...port.best(match, { ...filter, lasting: true }, lastingCount)];
}

function withoutRepeats(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<number>();
  return candidates.filter(({ id }) => !seen.has(id) && seen.add(id));
}

interface Gathered {
  candidates: Candidate[];
  standing: Standing[];
  /** Ids found by their own words. */
  own: ReadonlySet<number>;
  read: number;
  question: Question | null;
}

interface Found {
  match: string | null;
  /** Known counts. */
  countOf: (RareWords | SplitWords)["countOf"] | undefined;
  population: number;
  matched: readonly Candidate[];
}

function questionOf(
  port: CandidatePort,
  { words, filter, scope, span }: RankRequest,
  { match, matched, population, countOf }: Found,
): Question | null {
  // In a small project all matches are in memory, and counting them takes a tenth of the time.
  const isComplete = matched.length < candidateCount && !isNarrowed(filter);
  const records = isComplete ? matched.map(({ terms }) => terms) : [];
  return createQuestion(words, {
    span,
    population,
    frequency: ({ term, phrase }) =>
      countOf?.(phrase) ??
      (isComplete && match?.includes(phrase)
        ? recordsWith(codeOf(term), records)
        : port.frequency(
            phraseMatch(phrase, observationColumns, scope),
            scope.length === 0 ? term : undefined,
          )),
  });
}

// The type is a token of the match, as the project is.
function isNarrowed({ concepts, files, dateStart, dateEnd, branch }: RecordFilter): boolean {
  const isDated = dateStart !== null || dateEnd !== null;
  return isDated || branch !== undefined || concepts.length > 0 || files.length > 0;
}

function recordsWith(code: number, records: readonly RecordTerms[]): number {
  let count = 0;
  for (const { codes, title, end } of records) {
    let at = title;
    while (at < end && codes[at] !== code) at += 1;
    if (at < end) count += 1;
  }
  return count;
}

// With 80 and the built-in vectors CoSQA loses (nDCG@10 41.8 for 42.1): records found by vectors alone have no text score.
export const candidateCount = 120;
const candidatesOfThen = 40;
const lastingCount = 40;
// Neighbors of 40 brought nothing (R@10 of LoCoMo's turns 76.2 with both, of commit-fixes 68.7 for 69.0).
const expandedCount = 20;

function reasonsOf({ signals }: FusedHit, isNear: boolean): Chosen["matched_by"] {
  const reasons: Chosen["matched_by"] = [];
  if (signals.fullText > 0 || signals.coverage > 0) reasons.push("words");
  if (signals.neighbours > 0) reasons.push("neighbours");
  if (isNear) reasons.push("vectors");
  return reasons;
}
