// What search reads: records of each kind, word counts, and optionally vectors.
import type { Observation, SessionSummary, UserPrompt } from "../core/records/records.ts";
import type {
  Candidate,
  HitPage,
  ObservationLine,
  RecordFilter,
  ScanPlace,
  ScanStep,
  Scored,
  Standing,
  TextHit,
} from "../core/records/search.ts";
import type { Span } from "./named-times.ts";

/** What search reads of one kind of record. */
export interface SearchedKind<R> {
  match(match: string, filter: RecordFilter, page: HitPage): TextHit[];
  newest(filter: RecordFilter, page: HitPage): number[];
  /** The next ids that pass the filter, from the newest on; each step reads a bounded number of rows. */
  scan(filter: RecordFilter, limit: number, from: ScanPlace | null): ScanStep;
  containing(parts: readonly string[], filter: RecordFilter, page: HitPage): TextHit[];
  /** The stems that begin with `prefix`, in alphabetical order, at most `limit`. */
  termsFrom(prefix: string, limit: number): { term: string; records: number }[];
  /** The id of a record that has this stem. */
  recordWith(term: string): number | undefined;
  byId(id: number): R | undefined;
  /** The branch of each record that is not merged where somebody asks. Default: all are merged. */
  unmerged?: ((ids: readonly number[], at: AskedAt) => ReadonlyMap<number, string>) | undefined;
}

/** Where somebody asks: a project, and a directory of a work tree, if known. */
export interface AskedAt {
  project: string | null;
  cwd: string | null;
}

/** How many records a match finds. With a term: the match asks for that term alone, in all records. */
export interface FrequencyPort {
  frequency(match: string, term?: string): number;
  /** The same; the count ends at `limit`. */
  frequencyUpTo(match: string, limit: number): number;
  population(project: string | null): number;
}

/** What the ranking of observations reads. */
export interface CandidatePort extends FrequencyPort {
  best(match: string, filter: RecordFilter, limit: number): Candidate[];
  /** The ids and scores of `best`, and the candidates of such. */
  scores(match: string, filter: RecordFilter, limit: number): Scored[];
  candidates(scored: readonly Scored[]): Candidate[];
  some(ids: readonly number[], filter: RecordFilter): Candidate[];
  beside(ids: readonly number[]): Standing[];
}

export interface SearchPort {
  /** The id of a project label, or undefined when no record has it. */
  projectId(label: string): number | undefined;
  /** The user's clock, by which "yesterday" is read. */
  now(): number;
  observations: SearchedKind<Observation> &
    CandidatePort & {
      /** The columns of a line; whole records take four times as long. */
      lines(ids: readonly number[]): ObservationLine[];
    };
  summaries: SearchedKind<SessionSummary>;
  prompts: SearchedKind<UserPrompt> & {
    /** Prompts that agents are working on: one of them probably caused this search. */
    underWay(): number[];
  };
  /** Absent: words only. */
  vectors?: VectorLeg | undefined;
}

/** Observations by meaning: `similarity` is a cosine. */
export type VectorAnswer =
  | { state: "ok"; hits: { id: number; similarity: number }[] }
  | { state: "off" }
  | { state: "unavailable"; reason: string };

export interface VectorLeg {
  nearest(request: { text: string; project: string | null; limit: number }): Promise<VectorAnswer>;
}

/** A search with its project and filters resolved. */
export interface SearchQuery {
  words: string;
  filter: RecordFilter;
  /** Scope tokens of every match, and of observations alone. */
  scope: readonly string[];
  typeScope: readonly string[];
  page: HitPage;
  kinds: { observations: boolean; sessions: boolean; prompts: boolean };
  isPrompt: boolean;
  /** The observations that pass the filters, if they are few and known. */
  only?: readonly number[] | undefined;
  /** The directory of the reader, if known. */
  cwd: string | null;
  /** Records from this time get a boost. */
  span?: Span | undefined;
}

/**
 * Why a record is in an answer: its own words, parts of words, its neighbors' words, its meaning, filters alone, the
 * requested time, or because it is open work and the question asks for that.
 */
export type MatchedBy = "words" | "parts" | "neighbours" | "vectors" | "filters" | "time" | "open";

/** A hit; a lower rank is better. `words`: its share of the question's weight, if known. */
export interface Chosen {
  id: number;
  rank?: number;
  words?: number;
  matched_by: MatchedBy[];
}
