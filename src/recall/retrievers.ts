// Retrievers of a page of each kind: by words and meaning, by beginnings of words, and inside words.
import type { RecordFilter, TextHit } from "../core/records/search.ts";
import { createNearness } from "./named-dates.ts";
import type { Span } from "./named-times.ts";
import { buildMatch, buildPrefixMatch, buildWholeMatch, wordParts } from "./query.ts";
import { candidateCount, observationColumns, rankObservations } from "./rank-observations.ts";
import type {
  Chosen,
  MatchedBy,
  SearchedKind,
  SearchPort,
  SearchQuery,
  VectorAnswer,
} from "./search-port.ts";

/** Finds a page of each kind. */
export interface Retriever {
  observations(kind: SearchPort["observations"], query: SearchQuery): Chosen[];
  others<R>(kind: SearchedKind<R>, query: SearchQuery): Chosen[];
}

/** Observations by the fused ranking, the other kinds by full text with a boost for recent records. */
export function byWords(vectors: VectorAnswer): Retriever {
  return {
    observations: (kind, query) => rankedPage(kind, query, vectors),
    others: (kind, query) =>
      textPage(kind, query, buildMatch(query.words, bodyColumns, query.scope), "words"),
  };
}

/** Words as beginnings of words; null when no record matches. */
export function byBeginnings(port: SearchPort, query: SearchQuery): Retriever | null {
  const form = (columns: readonly string[], scope: readonly string[]) =>
    buildPrefixMatch(query.words, columns, scope);
  if (!isMatched(port, query, form)) return null;
  return {
    observations: (kind, { scope, typeScope }) =>
      textPage(kind, query, form(observationColumns, [...scope, ...typeScope]), "parts"),
    others: (kind, { scope }) => textPage(kind, query, form(bodyColumns, scope), "parts"),
  };
}

/** Words anywhere inside words. */
export const insideWords: Retriever = {
  observations: (kind, query) => pageInsideWords(kind, { ...query, filter: observationFilter(query) }),
  others: pageInsideWords,
};

/** True when a record of any page has one of the words. */
export function isInSomeRecord(port: SearchPort, query: SearchQuery): boolean {
  return isMatched(port, query, (columns, scope) => buildMatch(query.words, columns, scope));
}

/** True when a record of any page has all of the words. */
export function isWholeInSomeRecord(port: SearchPort, query: SearchQuery): boolean {
  return isMatched(port, query, (columns, scope) => buildWholeMatch(query.words, columns, scope));
}

const bodyColumns = ["body"];

function observationFilter({ filter, only }: SearchQuery): RecordFilter {
  return only === undefined ? filter : { ...filter, only };
}

function isMatched(
  { observations, summaries, prompts }: SearchPort,
  query: SearchQuery,
  form: (columns: readonly string[], scope: readonly string[]) => string | null,
): boolean {
  const { filter, scope, typeScope, kinds } = query;
  const first = { limit: 1, offset: 0 };
  const own = form(observationColumns, [...scope, ...typeScope]);
  const body = form(bodyColumns, scope);
  return (
    (kinds.observations &&
      own !== null &&
      observations.match(own, observationFilter(query), first).length > 0) ||
    (kinds.sessions && body !== null && summaries.match(body, filter, first).length > 0) ||
    (kinds.prompts && body !== null && prompts.match(body, filter, first).length > 0)
  );
}

function pageInsideWords<R>(kind: SearchedKind<R>, { words, filter, page }: SearchQuery): Chosen[] {
  const parts = wordParts(words);
  if (parts.length === 0) return [];
  return kind
    .containing(parts, filter, page)
    .map(({ id, score }) => ({ id, rank: score, matched_by: ["parts"] }));
}

// The candidates are one list for all pages, so that pages neither repeat nor lose a record; full-text hits follow it.
function rankedPage(kind: SearchPort["observations"], query: SearchQuery, vectors: VectorAnswer): Chosen[] {
  const { words, page, isPrompt, span } = query;
  const filter = observationFilter(query);
  const scope = [...query.scope, ...query.typeScope];
  const { hits: ranked, read } = rankObservations(kind, { words, filter, scope, vectors, isPrompt, span });
  const hits = unmergedLower(ranked, othersOf(kind, ranked, query));
  const end = page.offset + page.limit;
  const shown = hits.slice(page.offset, end);
  const match = buildMatch(words, observationColumns, scope);
  if (end <= hits.length || read < candidateCount || match === null) return shown;
  const taken = new Set(hits.map(({ id }) => id));
  // Some of the next hits may be candidates already, as neighbors.
  const rest = kind
    .match(match, filter, { limit: end - read, offset: read })
    .filter(({ id }) => !taken.has(id))
    .map((hit) => chosenBy(hit, "words"));
  return [...shown, ...rest.slice(Math.max(0, page.offset - hits.length), end - hits.length)];
}

// The reordered window is one list for all pages, so that pages neither repeat nor lose a record.
function textPage<R>(
  kind: SearchedKind<R>,
  query: SearchQuery,
  match: string | null,
  by: MatchedBy,
): Chosen[] {
  const { filter, page, span } = query;
  if (match === null) return [];
  const chosen = (hits: readonly TextHit[]) => hits.map((hit) => chosenBy(hit, by));
  if (page.offset >= recencyWindow) return chosen(kind.match(match, filter, page));
  const end = page.offset + page.limit;
  const hits = kind.match(match, filter, { limit: Math.max(recencyWindow, end), offset: 0 });
  const window = hits.slice(0, recencyWindow);
  const others = othersOf(kind, window, query);
  const ordered = [...preferRecent(window, span, others), ...hits.slice(recencyWindow)];
  return chosen(ordered.slice(page.offset, end));
}

/** The branches of hits that are not merged where the reader is. */
function othersOf<R>(
  kind: Pick<SearchedKind<R>, "unmerged">,
  hits: readonly { id: number }[],
  { filter, cwd }: SearchQuery,
): ReadonlyMap<number, string> | null {
  const ids = hits.map(({ id }) => id);
  const others = kind.unmerged?.(ids, { project: filter.project, cwd });
  return others === undefined || others.size === 0 ? null : others;
}

function unmergedLower<H extends { id: number; rank: number }>(
  hits: readonly H[],
  others: ReadonlyMap<number, string> | null,
): readonly H[] {
  if (others === null) return hits;
  return hits
    .map((hit) => (others.has(hit.id) ? { ...hit, rank: hit.rank + unmergedLoss } : hit))
    .sort((a, b) => a.rank - b.rank);
}

// A third of what a superseded record loses: after an equal record, before a record with half of the words.
const unmergedLoss = 0.5;

function chosenBy({ id, score }: TextHit, by: MatchedBy): Chosen {
  return { id, rank: score, matched_by: [by] };
}

/** How many of the best hits are reordered: each costs a key lookup, and 100 gain 0.3 points over 50. */
const recencyWindow = 50;

/**
 * Reorders the hits (best first) by age: every doubling of it costs 3 % of the best score. Age counts from the newest
 * hit, not from a clock, so that the same records give the same order. Records from `span` gain half of the best score,
 * `others` lose a fifth of it.
 */
export function preferRecent(
  hits: readonly TextHit[],
  span: Span | null = null,
  others: ReadonlyMap<number, string> | null = null,
): TextHit[] {
  const best = hits[0]?.score ?? 0;
  const newest = hits.reduce((latest, hit) => Math.max(latest, hit.created_at_epoch), -Infinity);
  const nearnessOf = createNearness([], newest, span);
  const gain = ({ id, created_at_epoch: at }: TextHit) =>
    spanShare * nearnessOf(at) - ageShare(newest - at) - (others?.has(id) ? unmergedShare : 0);
  return hits
    .map((hit) => ({ ...hit, score: hit.score + best * gain(hit) }))
    .sort((a, b) => a.score - b.score || b.id - a.id);
}

// As much as ten years of age.
const unmergedShare = 0.2;
// Fitted on the development half of commit-fixes (R@10 60.5 -> 64.9, MRR 38.0 -> 41.3), held against LoCoMo, where
// time says nothing (61.5 -> 61.8). With 5 % commit-fixes gains 0.5 more; from 8 % on LoCoMo loses 3.
const sharePerDoubling = 0.03;
// A little less than the weight of a date among observations, relative to the best full-text score.
const spanShare = 0.5;
const monthMs = 30 * 24 * 60 * 60 * 1000;

function ageShare(ageMs: number): number {
  return sharePerDoubling * Math.log2(1 + ageMs / monthMs);
}
