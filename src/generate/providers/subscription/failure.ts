// The host CLI's errors are sentences for people: what they mean for the messages that wait.
import { redactSecrets } from "../../../domain/secrets.ts";
import { ModelFailure, type ModelFailureKind } from "../../model-failure.ts";
import { parseResetTime } from "./reset-time.ts";

interface HostCliError {
  text: string;
  /** HTTP status of the vendor's answer, where there was one. */
  status: number | null;
  /** `terminal_reason` of the result. */
  reason: string;
}

/** The failure that the CLI's words and the vendor's status stand for; unknown ones may pass by themselves. */
export function failureOf(error: HostCliError, now: number): ModelFailure {
  const kind = kindOfText(error) ?? kindOfStatus(error.status) ?? "unavailable";
  const resetsAt = kind === "quota" ? parseResetTime(error.text, now) : null;
  const pause = resetsAt === null ? {} : { retryAfterMs: Math.max(0, resetsAt - now) };
  const advice = kind === "auth" ? adviceFor(error) : "";
  return new ModelFailure(kind, `The host CLI: ${excerpt(error.text)}${advice}`, pause);
}

/** The beginning of a foreign text, for a message that is stored: one line, no secrets, no control characters. */
export function excerpt(text: string): string {
  const line = redactSecrets(text.slice(0, readChars))
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.length > keptChars ? `${line.slice(0, keptChars)}…` : line;
}

const readChars = 4_000;
const keptChars = 300;

// Tried in this order. "not your usage limit" stands in the sentence of a plain 429.
const words: readonly [RegExp, ModelFailureKind][] = [
  [/usage limit reached|you've hit your .*limit|out of (extra )?usage|credit balance is too low/i, "quota"],
  [/^prompt is too long/i, "overflow"],
  [/unknown option|issue with the selected model/i, "auth"],
  [/not logged in|please run \/login|invalid api key|failed to authenticate|oauth token/i, "auth"],
  [/^request timed out/i, "timeout"],
  [/valid structured output|maximum number of turns/i, "bad_answer"],
];

function kindOfText({ text, reason }: HostCliError): ModelFailureKind | null {
  if (reason === "prompt_too_long") return "overflow";
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

function kindOfStatus(status: number | null): ModelFailureKind | null {
  if (status === null) return null;
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "auth";
  if (status === 413) return "overflow";
  if (status === 408 || status === 504) return "timeout";
  return status >= 400 && status < 500 ? "bad_request" : "unavailable";
}

function adviceFor({ text }: HostCliError): string {
  if (/unknown option/i.test(text)) return " (it is too old: `claude update`)";
  if (/selected model/i.test(text)) return " (another one: `mem settings set MEM_PRIMARY_MODEL <model>`)";
  return " (log in: start `claude` and enter /login)";
}
