// A message in the queue as its user sees it, and which of them a command means.

/** One message that is not finished; `session` is the host's session id. */
export interface QueuedMessage {
  id: number;
  status: "pending" | "processing" | "dead";
  session: string;
  project: string;
  kind: "observation" | "summarize";
  tool_name: string | null;
  /** Claims by the generator, and how many of them the provider failed. */
  attempts: number;
  failures: number;
  /** Why the last try failed, redacted. */
  last_error: string | null;
  /** Not before this time; null: at once. */
  next_try_at_epoch: number | null;
  created_at_epoch: number;
}

/** Messages by their ids, or all of a kind: `failed` means the dead ones, `since` those accepted at or after it. */
export interface QueueSelection {
  ids?: readonly number[] | undefined;
  failed?: boolean | undefined;
  since?: number | undefined;
}

/**
 * What a retry did: `waiting` were due already, those being processed are left to the generator. `resumed`: it lifted a
 * pause of the provider; `waitsUntil`: the vendor wants one until then, and what waits is kept.
 */
export interface QueueRetried {
  retried: number;
  waiting: number;
  processing: number;
  notFound: number;
  resumed: boolean;
  waitsUntil: number | null;
}

/** What a drop did. */
export interface QueueDropped {
  dropped: number;
  processing: number;
  notFound: number;
}
