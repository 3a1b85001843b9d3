// Why no model is asked at the moment, and what the user is told of it.

/** What the user mends to end a pause; none where the message itself says what to do. */
export type Mends = "key" | "address" | "model";

/** A pause as it is shown: why, for how long, and what the user can do. */
export interface GenerationPause {
  /** The kind of the failure that began it: `auth`, `rate_limited`, `quota`, `unavailable`, `timeout`. */
  kind: string;
  /** What the provider said, redacted. */
  message: string;
  /** Epoch milliseconds of the next try; null when it waits for the user. */
  until: number | null;
  /** The user's next step, a sentence; null when there is nothing to do but wait. */
  next: string | null;
}

/** The kind of a pause in two or three words: `rate limited`. */
export function pauseReason(kind: string): string {
  return reasons.get(kind) ?? kind.replaceAll("_", " ");
}

const reasons = new Map([
  ["auth", "access refused"],
  ["bad_request", "requests refused"],
  ["quota", "quota used up"],
  ["unavailable", "not reachable"],
  ["timeout", "no answer in time"],
]);

/** The sentence for a pause that only the user can end, else null. */
export function pauseNotice(pause: GenerationPause | null): string | null {
  if (pause?.kind !== "auth") return null;
  return `mem: the model's provider refuses access, so no model writes observations. ${pause.next ?? "See `mem doctor`."}`;
}

/** Said when messages were accepted and nothing came out of the queue for ten minutes. */
export const stuckNotice =
  "mem: nothing has come out of the queue for 10 minutes, so observations wait. See `mem doctor`.";
