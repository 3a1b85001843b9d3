// The ways to find a page of records: the newest, by words and meaning, by beginnings of words, by parts of words.
import type { Observation, SessionSummary, UserPrompt } from "../core/records/records.ts";
import type { HitPage, ObservationLine, RecordFilter, TextHit } from "../core/records/search.ts";
import type { VocabularyPort } from "./misspelled.ts";
import type { Span } from "./named-times.ts";
import { buildMatch, buildPrefixMatch, buildWholeMatch, wordParts } from "./query.ts";
import {
  type CandidatePort,
  candidateCount,
  type MatchedBy,
  observationColumns,
  rankObservations,
  withoutTaken,
} from "./rank-observations.ts";
import { preferRecent, recencyWindow } from "./recency.ts";
import type { ScanPort } from "./selected.ts";
import type { VectorAnswer, VectorLeg } from "./vector-leg.ts";

/** What search needs of one kind of record. */
export interface SearchedKind<R> extends ScanPort, VocabularyPort {
  match(match: string, filter: RecordFilter, page: HitPage): TextHit[];
  newest(filter: RecordFilter, page: HitPage): number[];
  containing(parts: readonly string[], filter: RecordFilter, page: HitPage): TextHit[];
  byId(id: number): R | undefined;
}

export interface SearchPort {
  /** The id of a project label, or undefined when no record has it. */
  projectId(label: string): number | undefined;
  /** The person's clock, by which "yesterday" is read. */
  now(): number;
  observations: SearchedKind<Observation> &
    CandidatePort & {
      /** The columns of a line, of each that there is; whole records take four times as long. */
      lines(ids: readonly number[]): ObservationLine[];
    };
  summaries: SearchedKind<SessionSummary>;
  prompts: SearchedKind<UserPrompt> & {
    /** The prompts that agents work on now: a search meanwhile is asked because of one of them. */
    underWay(): number[];
  };
  /** Absent: words only. */
  vectors?: VectorLeg | undefined;
}

/** A search, once its project is known. */
export interface Asked {
  words: string;
  filter: RecordFilter;
  /** Scope tokens that every match carries, and those of observations alone. */
  scope: readonly string[];
  typeScope: readonly string[];
  page: HitPage;
  kinds: { observations: boolean; sessions: boolean; prompts: boolean };
  isPrompt: boolean;
  /** The few observations that the filters let through, if they are known. */
  only?: readonly number[] | undefined;
  /** What is of then goes first. */
  span?: Span | undefined;
}

/** The filter of observations. */
function ofObservations({ filter, only }: Asked): RecordFilter {
  return only === undefined ? filter : { ...filter, only };
}

export interface Chosen {
  id: number;
  rank?: number;
  matched_by: MatchedBy[];
}

/** One way to find a page of each kind. */
export interface Way {
  observations(kind: SearchPort["observations"], asked: Asked): Chosen[];
  others<R>(kind: SearchedKind<R>, asked: Asked): Chosen[];
}

/** No words: what the filters let through. */
export const newest: Way = { observations: newestOf, others: newestOf };

/** Observations by all legs, the other kinds by full text with a prior for the new. */
export function byWords(vectors: VectorAnswer): Way {
  return {
    observations: (kind, asked) => rankedPage(kind, asked, vectors),
    others: (kind, asked) =>
      textPage(kind, asked, buildMatch(asked.words, bodyColumns, asked.scope), "words"),
  };
}

/** Words that are in no record, as beginnings of words; null when they begin none either. */
export function beginnings(port: SearchPort, asked: Asked): Way | null {
  const columns = { observations: observationColumns, others: bodyColumns };
  const form = (names: readonly string[], scope: readonly string[]) =>
    buildPrefixMatch(asked.words, names, scope);
  if (!isMatched(port, asked, form)) return null;
  return {
    observations: (kind, { scope, typeScope }) =>
      routineLast(kind, textPage(kind, asked, form(columns.observations, [...scope, ...typeScope]), "parts")),
    others: (kind, { scope }) => textPage(kind, asked, form(columns.others, scope), "parts"),
  };
}

/** Words that no word begins with, anywhere within words. */
export const insideWords: Way = {
  observations: (kind, asked) =>
    routineLast(kind, insideOf(kind, { ...asked, filter: ofObservations(asked) })),
  others: insideOf,
};

/** True when a word of the search is in some record that it may return, be it on another page. */
export function isInSomeRecord(port: SearchPort, asked: Asked): boolean {
  return isMatched(port, asked, (columns, scope) => buildMatch(asked.words, columns, scope));
}

/** True when some record that the search may return holds every word of it. */
export function isWholeInSomeRecord(port: SearchPort, asked: Asked): boolean {
  return isMatched(port, asked, (columns, scope) => buildWholeMatch(asked.words, columns, scope));
}

const bodyColumns = ["body"];

function isMatched(
  { observations, summaries, prompts }: SearchPort,
  asked: Asked,
  form: (columns: readonly string[], scope: readonly string[]) => string | null,
): boolean {
  const { filter, scope, typeScope, kinds } = asked;
  const first = { limit: 1, offset: 0 };
  const own = form(observationColumns, [...scope, ...typeScope]);
  const body = form(bodyColumns, scope);
  return (
    (kinds.observations &&
      own !== null &&
      observations.match(own, ofObservations(asked), first).length > 0) ||
    (kinds.sessions && body !== null && summaries.match(body, filter, first).length > 0) ||
    (kinds.prompts && body !== null && prompts.match(body, filter, first).length > 0)
  );
}

function newestOf<R>(kind: SearchedKind<R>, { filter, page }: Asked): Chosen[] {
  return kind.newest(filter, page).map((id) => ({ id, matched_by: ["filters"] }));
}

function insideOf<R>(kind: SearchedKind<R>, { words, filter, page }: Asked): Chosen[] {
  const parts = wordParts(words);
  if (parts.length === 0) return [];
  return kind
    .containing(parts, filter, page)
    .map(({ id, score }) => ({ id, rank: score, matched_by: ["parts"] }));
}

// Within the page: few records hold only parts of the words.
function routineLast(kind: SearchPort["observations"], chosen: readonly Chosen[]): Chosen[] {
  const lines = kind.lines(chosen.map(({ id }) => id));
  const routine = new Set(lines.filter((line) => line.routine === 1).map(({ id }) => id));
  return [...chosen.filter(({ id }) => !routine.has(id)), ...chosen.filter(({ id }) => routine.has(id))];
}

// The candidates are one list whatever the page, so that pages neither repeat nor lose a record; behind it full text.
function rankedPage(kind: SearchPort["observations"], asked: Asked, vectors: VectorAnswer): Chosen[] {
  const { words, page, isPrompt, span } = asked;
  const filter = ofObservations(asked);
  const scope = [...asked.scope, ...asked.typeScope];
  const { hits, read } = rankObservations(kind, { words, filter, scope, vectors, isPrompt, span });
  const end = page.offset + page.limit;
  const shown = hits.slice(page.offset, end);
  const match = buildMatch(words, observationColumns, scope);
  if (end <= hits.length || read < candidateCount || match === null) return shown;
  const taken = new Set(hits.map(({ id }) => id));
  // Some of what follows may stand among the candidates already, as a neighbour.
  const behind = kind.match(match, filter, { limit: end - read, offset: read });
  const rest = withoutTaken(behind, taken);
  return [...shown, ...rest.slice(Math.max(0, page.offset - hits.length), end - hits.length)];
}

// The window is one list whatever the page, so that pages neither repeat nor lose a record; behind it the score rules.
function textPage<R>(
  kind: SearchedKind<R>,
  { filter, page, span }: Asked,
  match: string | null,
  by: MatchedBy,
): Chosen[] {
  if (match === null) return [];
  const chosen = (hits: readonly TextHit[]): Chosen[] =>
    hits.map(({ id, score }) => ({ id, rank: score, matched_by: [by] }));
  if (page.offset >= recencyWindow) return chosen(kind.match(match, filter, page));
  const end = page.offset + page.limit;
  const hits = kind.match(match, filter, { limit: Math.max(recencyWindow, end), offset: 0 });
  const ordered = [...preferRecent(hits.slice(0, recencyWindow), span), ...hits.slice(recencyWindow)];
  return chosen(ordered.slice(page.offset, end));
}
