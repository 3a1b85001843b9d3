// What `mem report` says: what was injected, and whether it was used afterwards.
import type { InjectionMoment } from "./injection.ts";

/** Kinds of injected records. `work` is an account of what was done. */
export const shownKinds = [
  "rule",
  "fix",
  "failure",
  "statement",
  "work",
  "summary",
  "prompt",
  "gone",
] as const;
export type ShownKind = (typeof shownKinds)[number];

/** Of records shown to sessions; each record counts once a session. */
export interface Uses {
  shown: number;
  /** A file of the record was read or changed afterwards. */
  files_touched: number;
  /** A command that the record is about ran afterwards, and never failed. */
  commands_passed: number;
  /** The same, and failed at least once. */
  commands_failed: number;
  /** The agent read the whole record by its id. */
  fetched: number;
  /** Files touched, commands passed, or fetched. */
  used: number;
}

export interface UsageReport {
  since_epoch: number;
  until_epoch: number;
  /** Null for all. */
  project: string | null;
  sessions: number;
  injections: number;
  tokens: number;
  moments: { moment: InjectionMoment; injections: number; tokens: number }[];
  total: Uses;
  kinds: ({ kind: ShownKind } & Uses)[];
  projects: ({ project: string; sessions: number; tokens: number } & Uses)[];
  /** The files of the same records, in other sessions of their projects, to which they were not shown. */
  not_shown: { pairs: number; files_touched: number };
}

/** The reader under which the context ledger keeps what the report needs: no compaction clears it. */
export const reportReader = "#report";
/** Item of a record that an agent read by its id. */
export const fetchedItem = (name: string): string => `fetched:${name}`;
