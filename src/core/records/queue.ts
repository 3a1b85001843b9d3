// Queued messages as the user sees them, and the release of claimed messages.

/** Next state of a claimed message that was not completed. `at` is an epoch in milliseconds. */
export type Release =
  /** As if it had not been claimed. */
  | { kind: "give_back" }
  /** The same, but not before `at`. */
  | { kind: "later"; at: number; error: string }
  /** Counts a failure: retried alone. */
  | { kind: "retry"; at: number; error: string }
  /** Dead-lettered. */
  | { kind: "dead"; error: string };

/** The due messages of a session; the store counts no more than it was asked to. */
export interface WaitingMessages {
  count: number;
  /** Epoch of the newest one. */
  newestAt: number;
  /** There is nothing to wait for: their turn or session is over, or they were put back before. */
  isOver: boolean;
}

/** A message that is not done; `session` is the host's session id. */
export interface QueuedMessage {
  id: number;
  status: "pending" | "processing" | "dead";
  session: string;
  project: string;
  kind: "observation" | "summarize";
  tool_name: string | null;
  /** Claims, and how many of them failed. */
  attempts: number;
  failures: number;
  /** Redacted. */
  last_error: string | null;
  /** Null: due now. */
  next_try_at_epoch: number | null;
  created_at_epoch: number;
}

/** By id, or all: `failed` selects the dead ones, `since` those accepted at or after it. */
export interface QueueSelection {
  ids?: readonly number[] | undefined;
  failed?: boolean | undefined;
  since?: number | undefined;
}

/**
 * Result of a retry. `waiting` were due already; messages in processing are left alone. `resumed`: a pause of the
 * provider ended; `waitsUntil`: the vendor asked for a pause until then.
 */
export interface QueueRetried {
  retried: number;
  waiting: number;
  processing: number;
  notFound: number;
  resumed: boolean;
  waitsUntil: number | null;
}

export interface QueueDropped {
  dropped: number;
  processing: number;
  notFound: number;
}

/** Jobs of a tenant, without completed and cancelled ones. */
export interface QueueCounts {
  pending: number;
  processing: number;
  dead: number;
  /** Null when none is pending. */
  oldestPendingAgeMs: number | null;
}
