// Classifies the host CLI's errors, which are sentences for people.

import { cleanReason } from "../../../core/outbound/error-text.ts";
import type { PauseFix } from "../../../core/records/generation-pause.ts";
import { ModelFailure, type ModelFailureKind } from "../../model-failure.ts";
import type { TokenUsage } from "../../token-usage.ts";
import { parseResetTime } from "./reset-time.ts";

interface HostCliError {
  text: string;
  /** HTTP status of the vendor's answer, if any. */
  status: number | null;
  /** `terminal_reason` of the result. */
  reason: string;
  /** Tokens of the failed run. */
  usage?: TokenUsage;
}

export interface FailureContext {
  /** Epoch in milliseconds. */
  now: number;
  /** Texts that must not appear in a message. */
  secrets: readonly string[];
}

/** The failure by the CLI's words, then the vendor's status; unknown ones are `unavailable`. */
export function failureOf(error: HostCliError, { now, secrets }: FailureContext): ModelFailure {
  const kind = kindOfText(error) ?? kindOfStatus(error.status) ?? "unavailable";
  const resetsAt = kind === "quota" ? parseResetTime(error.text, now) : null;
  const pause = resetsAt === null ? {} : { retryAfterMs: Math.max(0, resetsAt - now) };
  const billed = error.usage === undefined ? {} : { usage: error.usage };
  const advice = kind === "auth" ? adviceFor(error) : "";
  const fix = kind === "auth" ? fixOf(advice) : {};
  const text = error.text.replace(ownAdvice, "");
  return new ModelFailure(kind, `The host CLI: ${cleanReason(text, secrets)}${advice}`, {
    ...pause,
    ...billed,
    ...fix,
  });
}

// In this order: the sentence of a plain 429 contains "not your usage limit".
const words: readonly [RegExp, ModelFailureKind][] = [
  [/usage limit reached|you've hit your .*limit|out of (extra )?usage|credit balance is too low/i, "quota"],
  [/^prompt is too long/i, "overflow"],
  [/unknown option|issue with the selected model/i, "auth"],
  [/not logged in|please run \/login|invalid api key|failed to authenticate|oauth token/i, "auth"],
  [/^request timed out/i, "timeout"],
  [/stream ended without|StreamTruncated/i, "bad_answer"],
];

function kindOfText({ text, reason }: HostCliError): ModelFailureKind | null {
  if (reason === "prompt_too_long") return "overflow";
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

// As in refusal.ts.
function kindOfStatus(status: number | null): ModelFailureKind | null {
  switch (status) {
    case null:
      return null;
    case 401:
    case 403:
    case 404:
      return "auth";
    case 402:
      return "quota";
    case 413:
      return "overflow";
    case 429:
      return "rate_limited";
    case 408:
    case 409:
      return "unavailable";
    default:
      return status >= 400 && status < 500 ? "bad_request" : "unavailable";
  }
}

const otherModel = " (another one: `mem settings set MEM_MODEL <model>`)";
// The next step that is shown beside the message knows which login fits the user.
const ownAdvice = /\s*(?:[·.,;-]\s*)?please run \/login\.?/i;

function adviceFor({ text, status }: HostCliError): string {
  if (/unknown option/i.test(text)) return " (it is too old: `claude update`)";
  if (/selected model/i.test(text) || status === 404) return otherModel;
  return "";
}

function fixOf(advice: string): { fix?: PauseFix } {
  if (advice === "") return { fix: "key" };
  return advice === otherModel ? { fix: "model" } : {};
}
