// Says which files of an observation are not as they were when it was stored.

/** A file of an observation whose content is another one now, or that is no longer there. */
export interface FileChange {
  /** As the record spells it. */
  path: string;
  is: "changed" | "gone";
}

/** Where to look: the work tree around `cwd`, else the folder where the project was seen last. */
export interface FreshnessRequest {
  observations: readonly number[];
  project: string;
  cwd?: string | null;
}

/**
 * What has changed since, by observation; those without a change are not in it. Never throws and never starts a
 * process; what cannot be looked at within the deadline and the caps is not claimed to have changed.
 */
export type ChangedSince = (request: FreshnessRequest) => Promise<ReadonlyMap<number, readonly FileChange[]>>;
