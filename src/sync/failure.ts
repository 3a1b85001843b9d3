// Why a request to the hub failed: one type for every cause. No message has text of the hub, so none can have the token.
import { toMemError } from "../core/errors.ts";

/**
 * - `unreachable`: no answer, or none in time.
 * - `busy`: the hub asks to come back later.
 * - `bad_answer`: an answer that is not of the protocol; nothing of it is used.
 * - `too_large`: the hub, or a proxy before it, takes smaller requests only.
 * - `refused_op`: one operation of the push, by its index; nothing was stored.
 * - `epoch_changed`: the hub has another log.
 * - `device_conflict`: another data directory uses the device id.
 * - a `StopReason`: a person must change something. `key_missing`: the log has an account key that this device lacks.
 *   Of the team's server only: `read_only`: the key may not write; `no_project`: it does not reach the project.
 */
export type HubFailureKind =
  | { kind: "unreachable" | "bad_answer" | "too_large" | "epoch_changed" | "device_conflict" }
  | { kind: StopReason }
  | { kind: "busy"; retryAfterMs: number }
  | { kind: "refused_op"; index: number; code: string; reason: string };

/** Causes that a retry does not help: a person must change something. */
export type StopReason =
  | "unauthorized"
  | "wrong_account"
  | "device_limit"
  | "bad_address"
  | "key_missing"
  | "read_only"
  | "no_project";

/** A request without a usable answer. */
export class HubFailure extends Error {
  readonly failure: HubFailureKind;

  constructor(failure: HubFailureKind, message: string) {
    super(message);
    this.name = "HubFailure";
    this.failure = failure;
  }
}

/** What went wrong, for a person. */
export function failureMessage(cause: unknown): string {
  return cause instanceof HubFailure ? cause.message : toMemError(cause).message;
}
