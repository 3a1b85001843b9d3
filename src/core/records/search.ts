// Types that recall and the store share: the filters of a search and the rows of a match.
import type { RecordTerms } from "./record-terms.ts";
import type { Observation, ObservationStatus } from "./records.ts";

/** Filters of a search. Null or an empty list means no restriction; a list matches if any entry does. */
export interface RecordFilter {
  project: string | null;
  obs_type: string | null;
  concepts: readonly string[];
  /** Whole paths, or their last parts (`auth/login.ts`). */
  files: readonly string[];
  /** Epoch milliseconds, both ends included. */
  dateStart: number | null;
  dateEnd: number | null;
  /** Made on this git branch. */
  branch?: string | undefined;
  /** Excludes routine work. */
  lasting?: boolean | undefined;
  /** The observations that pass the other filters, if they are few and already known. */
  only?: readonly number[] | undefined;
}

/** The last record that a scan from the newest to the oldest has read. */
export interface ScanPlace {
  created_at_epoch: number;
  id: number;
}

/** Ids found by a step of the scan, and where the next step starts; null at the end. */
export interface ScanStep {
  ids: number[];
  next: ScanPlace | null;
}

/** A page of a search. */
export interface HitPage {
  limit: number;
  offset: number;
}

/** A matching record; a lower score is better (SQLite's bm25 is negative). */
export interface TextHit {
  id: number;
  score: number;
  created_at_epoch: number;
}

/** The columns of an observation in a list of hits. */
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
  | "statement_kind"
  | "standing"
  | "routine"
  | "reach"
  | "branch"
  | "commit"
>;

/** A match without columns of the record. */
export type Scored = Pick<TextHit, "id" | "score">;

/** An observation with everything that its rank is computed from. */
export interface Candidate extends TextHit {
  status: ObservationStatus;
  /** 1 for routine work, which ranks last. */
  routine?: 0 | 1;
  terms: RecordTerms;
}

/** `id` is at most two places before or after `beside` in its session. */
export interface Standing {
  beside: number;
  id: number;
}
