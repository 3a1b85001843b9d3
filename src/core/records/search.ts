// The words that recall and the store share: which records a search may return, and what a match gives back.
import type { RecordTerms } from "./record-terms.ts";
import type { Observation, ObservationStatus } from "./records.ts";

/** Filters of a search; null or an empty list means no restriction, a list matches when any of its entries does. */
export interface RecordFilter {
  project: string | null;
  obs_type: string | null;
  concepts: readonly string[];
  /** Paths: the whole one, or its end from a separator on (`auth/login.ts`). */
  files: readonly string[];
  /** Epoch milliseconds, both ends included. */
  dateStart: number | null;
  dateEnd: number | null;
  /** Routine work is left out. */
  lasting?: boolean | undefined;
  /** The observations that all the others let through, where they are few and known already. */
  only?: readonly number[] | undefined;
}

/** Where a walk from the newest record to the oldest stands: the record itself was looked at. */
export interface WalkPlace {
  created_at_epoch: number;
  id: number;
}

/** What a step of such a walk found, and where it goes on; null at the end. */
export interface WalkStep {
  ids: number[];
  next: WalkPlace | null;
}

/** A page of a search. */
export interface HitPage {
  limit: number;
  offset: number;
}

/** A record that matched; the lower the score the better (SQLite's bm25 is negative). */
export interface TextHit {
  id: number;
  score: number;
  created_at_epoch: number;
}

/** What an answer of lines says of an observation. */
export type ObservationLine = Pick<
  Observation,
  | "id"
  | "obs_type"
  | "title"
  | "summary"
  | "project"
  | "created_at_epoch"
  | "status"
  | "superseded_by"
  | "provenance"
  | "said_by"
  | "standing"
  | "routine"
>;

/** The same, as the full-text index alone knows it. */
export type Scored = Pick<TextHit, "id" | "score">;

/** An observation that may be an answer, with what its place among the others is computed from. */
export interface Candidate extends TextHit {
  status: ObservationStatus;
  /** 1 for routine work, which goes behind everything else. */
  routine?: 0 | 1;
  terms: RecordTerms;
}

/** `id` stands beside `beside` in its session, at most two places away. */
export interface Standing {
  beside: number;
  id: number;
}
