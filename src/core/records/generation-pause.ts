// Why no model is asked at the moment, and what the user is told of it.

/** What the user mends to end a pause; none where the message itself says what to do. */
export type Mends = (typeof mendable)[number];

/** All of them: `command` is the host's CLI. */
export const mendable = ["key", "address", "model", "command"] as const;

/** A pause as it is shown: why, for how long, and what the user can do. */
export interface GenerationPause {
  /** The kind of the failure that began it: `auth`, `rate_limited`, `quota`, `unavailable`, `timeout`. */
  kind: string;
  /** What the provider said, redacted. */
  message: string;
  /** Epoch milliseconds of the next try; null when it waits for the user. */
  until: number | null;
  /** Of `auth`: what is wrong; absent where the message itself says it. */
  mends?: Mends | undefined;
  /** True while `local` writes in the place of the model, so that nothing waits for it. */
  localWrites?: boolean | undefined;
  /** True where the user never chose this provider: that `local` writes instead is no news, and nothing to repair. */
  isFallback?: boolean | undefined;
  /** The user's next step, a sentence; null when there is nothing to do but wait. */
  next: string | null;
}

/** A pause in two or three words: `rate limited`, `unknown model`. */
export function pauseReason(kind: string, mends?: Mends): string {
  if (kind === "auth" && mends !== undefined) return refusals[mends];
  return reasons.get(kind) ?? kind.replaceAll("_", " ");
}

const refusals: Readonly<Record<Mends, string>> = {
  key: "access refused",
  address: "address refused",
  model: "unknown model",
  command: "command not found",
};

const reasons = new Map([
  ["auth", "access refused"],
  ["bad_request", "requests refused"],
  ["quota", "quota used up"],
  ["unavailable", "not reachable"],
  ["timeout", "no answer in time"],
]);

/** The sentence for a pause that only the user can end, else null. */
export function pauseNotice(pause: GenerationPause | null): string | null {
  if (pause?.kind !== "auth" || pause.isFallback === true) return null;
  const what = faults[pause.mends ?? "key"];
  const outcome = pause.localWrites === true ? localInstead : "so no model writes observations.";
  return `mem: ${what}, ${outcome} ${pause.next ?? "See `mem doctor`."}`;
}

const localInstead =
  "so local rules write observations meanwhile; `mem regenerate` makes them better once a model can be asked.";

const faults: Readonly<Record<Mends, string>> = {
  key: "the model's provider refuses access",
  address: "no model can be asked at the address that is set",
  model: "the model's provider does not know the model that is set",
  command: "the host's command cannot be started",
};

/** Said when messages were accepted and nothing came out of the queue for ten minutes. */
export const stuckNotice =
  "mem: nothing has come out of the queue for 10 minutes, so observations wait. See `mem doctor`.";
