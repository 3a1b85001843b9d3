// Records to regenerate with a model.

/** Selects records. */
export interface RegenerationRequest {
  /** Records created at or after this epoch in milliseconds. */
  since?: number | undefined;
  project?: string | undefined;
  /** `local`, or the full id of a model. */
  generator: string;
}

export interface RegenerationSize {
  observations: number;
  summaries: number;
  /** Payload bytes of each message, by session. */
  sessions: readonly (readonly number[])[];
}

/** Messages and characters of one call at most; a longer message goes alone. */
export interface CallLimits {
  messages: number;
  characters: number;
}
