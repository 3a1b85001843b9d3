// What a generator gives back: observations and summaries before they have an id.
import type { ComparedRule, Observation, Provenance, SessionSummary } from "./records.ts";
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

/** What a generator made of some messages. A message in no draft's sources holds nothing worth recording. */
export interface Reply {
  observations: readonly DraftObservation[];
  summaries: readonly DraftSummary[];
  /** `local`, or the full id of the model that wrote it. */
  generator: string;
  /** `local` wrote it instead of a model: worth regenerating. */
  upgrade?: boolean;
  /** A model saw the whole turn: what rules wrote of it and it leaves out goes, and the session gets one summary. */
  isJudged?: boolean;
  /** Ids of open work that the turn ended. */
  closes?: readonly number[];
  /** Provisional, until the model's call at the end of the turn. */
  isDraft?: boolean;
}

/** A reply, and what the turn that it ends says about earlier records. */
export interface SettledReply extends Reply {
  /** Raw events whose observations are routine from now on. */
  routine?: readonly number[];
  /** Command families that passed. */
  passed?: readonly string[];
  /** Whether a fix takes the place of an older one of the same command family, by their texts. */
  replacesFix?: (newerText: string, olderText: string) => boolean;
  /** Whether the turn finished open work, by its text. */
  finishes?: ((openText: string) => boolean) | undefined;
  /** Whether a rule replaces or repeats an older one. */
  replaces?: (rule: ComparedRule, older: ComparedRule) => boolean;
  /** Whether two rules say the same. */
  saysSame?: (one: ComparedRule, other: ComparedRule) => boolean;
}

/** What storing a reply changed. */
export interface Made {
  observations: Observation[];
  summaries: SessionSummary[];
  /** Earlier observations that are routine or superseded from now on. */
  changed?: Observation[];
  /** Replaced records that no draft took over. */
  deleted?: readonly DeletedRecord[];
}

export interface DeletedRecord {
  kind: "observation" | "summary";
  id: number;
  project: string;
}
