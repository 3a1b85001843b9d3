// Records to regenerate with a model.

/** Selects records. */
export interface RegenerationRequest {
  /** Records created at or after this epoch in milliseconds. */
  since?: number | undefined;
  project?: string | undefined;
  /** `local`, or the full id of a model. */
  generator: string;
}

/** Counts of what a regeneration replaces. */
export interface RegenerationSize {
  observations: number;
  summaries: number;
  sessions: number;
  /** Raw events. */
  messages: number;
}
