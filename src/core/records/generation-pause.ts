// Pauses of the model provider, and their texts for the user.

/** What the user fixes to end a pause; absent where the message says it. */
export type PauseFix = (typeof pauseFixes)[number];

/** `command` is the host's CLI. */
export const pauseFixes = ["key", "address", "model", "command"] as const;

export interface GenerationPause {
  /** Kind of the failure: `auth`, `rate_limited`, `quota`, `unavailable`, `timeout`. */
  kind: string;
  /** From the provider, redacted. */
  message: string;
  /** Epoch of the next try in milliseconds; null when only the user can end it. */
  until: number | null;
  /** Of `auth`: what to fix. */
  fix?: PauseFix | undefined;
  /** `local` writes meanwhile, so nothing waits. */
  localWrites?: boolean | undefined;
  /** The user never chose this provider: nothing to fix. */
  isFallback?: boolean | undefined;
  /** The user's next step, a sentence; null: wait. */
  next: string | null;
}

/** A pause in two or three words: `rate limited`, `unknown model`. */
export function pauseReason(kind: string, fix?: PauseFix): string {
  if (kind === "auth" && fix !== undefined) return refusals[fix];
  return reasons.get(kind) ?? kind.replaceAll("_", " ");
}

const refusals: Readonly<Record<PauseFix, string>> = {
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
  const what = faults[pause.fix ?? "key"];
  const outcome = pause.localWrites === true ? localInstead : "so no model writes observations.";
  return `mem: ${what}, ${outcome} ${pause.next ?? "See `mem doctor`."}`;
}

const localInstead =
  "so local rules write observations meanwhile; `mem regenerate` rewrites them once the model works.";

const faults: Readonly<Record<PauseFix, string>> = {
  key: "the model's provider refuses access",
  address: "no model answers at the configured address",
  model: "the model's provider does not know the configured model",
  command: "the host's command cannot be started",
};

/** Shown when no message was completed for ten minutes. */
export const stuckNotice =
  "mem: nothing has come out of the queue for 10 minutes, so observations wait. See `mem doctor`.";
