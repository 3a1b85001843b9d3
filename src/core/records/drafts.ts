// What a generator gives back: observations and summaries before they have an id.
import type { Provenance } from "./records.ts";
import type { StatementMarks } from "./statement.ts";
import type { SummaryParts } from "./summary-parts.ts";

/** The parts of an observation that its writer chooses. */
export interface RecordParts {
  /** A type of the mode. */
  obs_type: string;
  title: string;
  subtitle: string | null;
  summary: string;
  narrative: string | null;
  facts: string[];
  concepts: string[];
  files_read: string[];
  files_modified: string[];
}

export interface DraftObservation extends RecordParts {
  provenance: Provenance;
  /** Ids of the claimed messages it was made from; the first one orders and dates it. Never empty. */
  sources: number[];
  /** Set for something that was said or concluded; absent for an account of what was done. */
  statement?: StatementMarks;
  /** Ids of known records that it makes outdated. */
  replaces?: readonly number[];
  /** Reads, listings and other work of no lasting interest: searchable, ranked last, not injected. */
  routine?: boolean;
}

export interface DraftSummary extends SummaryParts {
  facts: string[];
  concepts: string[];
  files_read: string[];
  files_modified: string[];
  /** Id of the summarize message it answers. */
  source: number;
}
