// Why nothing comes out of the queue though it waits: the provider's pause, as those see it who look at the queue.
import type { Health } from "../client/worker-client.ts";
import { pauseReason } from "../core/records/generation-pause.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { counted, localTime } from "./words.ts";

/** A pause that what waits waits for. */
export interface Halt {
  /** Epoch of the next try, or null when only the user can end it. */
  until: number | null;
  /** `primary is paused until 14:05: rate limited`: who, until when, and why. */
  what: string;
  next: string | null;
}

type Generation = Pick<Health, "provider" | "paused" | "budget">;

/** What holds the queue up, or null: also while `local` writes in place of a paused model. */
export function haltOf({ provider, paused, budget }: Generation, nowEpochMs: number): Halt | null {
  if (paused === null || paused.localWrites === true || budget !== null || provider.active === "local")
    return null;
  const until = paused.until !== null && paused.until > nowEpochMs ? paused.until : null;
  // Refused access is tried again by itself too, but it is the user who ends it.
  const when = until === null || paused.kind === "auth" ? "" : ` until ${localTime(until, nowEpochMs)}`;
  return {
    until,
    what: `${provider.active} is paused${when}: ${pauseReason(paused.kind, paused.mends)}`,
    next: paused.next === null ? null : terminalLine(paused.next),
  };
}

/** The halt as sentences. */
export function haltInWords({ what, next }: Halt): string {
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  return next === null ? sentence : `${sentence} ${next}`;
}

/** A pause that a retry has lifted: what waits is asked for now, though nothing of it had failed. */
export function resumedInWords({ provider, queue }: Pick<Health, "provider" | "queue">): string {
  const { depth } = queue;
  const waits = depth === 0 ? "" : ` ${counted(depth, "message")} ${depth === 1 ? "waits" : "wait"} for it.`;
  return `The pause of ${provider.name} is lifted: it is asked again.${waits}`;
}

/** A pause that the vendor wants, which no retry lifts. */
export function keptInWords(
  { provider }: Pick<Health, "provider">,
  until: number,
  nowEpochMs: number,
): string {
  return `${provider.name} wants to be left alone until ${localTime(until, nowEpochMs)}: until then it is not asked.`;
}
