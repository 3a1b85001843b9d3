// Classifies error answers by status, then by the vendors' words for money, length and keys.

import { reasonIn, wordsIn } from "../../core/outbound/error-text.ts";
import { type Headers, retryAfterMs } from "../../core/outbound/retry-after.ts";
import { textAt, valueAt } from "../../core/outbound/wire-values.ts";
import type { PauseFix } from "../../core/records/generation-pause.ts";
import { ModelFailure, type ModelFailureKind } from "../model-failure.ts";

interface Refusal {
  /** Host name. */
  who: string;
  status: number;
  headers: Headers;
  body: string;
  /** Texts that must not appear in the message. */
  secrets: readonly string[];
  /** Epoch in milliseconds. */
  now: number;
}

/** The failure of an answer with status 4xx or 5xx. */
export function refusalFailure({ who, status, headers, body, secrets, now }: Refusal): ModelFailure {
  const reason = reasonIn(body, secrets);
  const wait = retryAfterMs(headers, body, now);
  const words = wordsIn(body);
  const kind = kindOf(status, words);
  return new ModelFailure(kind, `${who} answered ${status}${reason === "" ? "." : `: ${reason}`}`, {
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(kind === "auth" ? { fix: fixOf(status, words) } : {}),
  });
}

/** The status for an `error` in the body of a 200 or in a stream. */
export function statusOfError(error: unknown): number {
  for (const name of ["code", "status"]) {
    const code = Number(valueAt(error, name));
    if (code >= 400 && code < 600) return code;
  }
  for (const name of ["type", "status", "code"]) {
    const status = statusOfName[textAt(error, name) ?? ""];
    if (status !== undefined) return status;
  }
  return 500;
}

const statusOfName: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  RESOURCE_EXHAUSTED: 429,
  context_length_exceeded: 400,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  UNAVAILABLE: 503,
};

/**
 * | status        | kind                                                                                    |
 * | ------------- | --------------------------------------------------------------------------------------- |
 * | 402           | quota                                                                                   |
 * | 429           | quota by its words, else rate_limited                                                   |
 * | 401           | auth                                                                                    |
 * | 403           | quota or bad_request (moderation) by its words, else auth                               |
 * | 404, 405, 410 | auth: the user has to fix the model or the address; no fault of the batch              |
 * | 413           | overflow                                                                                |
 * | 400, 422      | overflow, quota, auth by their words, else bad_request                                  |
 * | 500           | overflow by its words (some local servers), else unavailable                            |
 * | 408, 409, 425, other 5xx | unavailable                                                                  |
 * | other 4xx     | bad_request                                                                             |
 */
function kindOf(status: number, words: string): ModelFailureKind {
  switch (status) {
    case 401:
    case 404:
    case 405:
    case 410:
      return "auth";
    case 402:
      return "quota";
    case 403:
      if (money.test(words)) return "quota";
      return moderation.test(words) ? "bad_request" : "auth";
    case 408:
    case 409:
    case 425:
      return "unavailable";
    case 413:
      return "overflow";
    case 429:
      return isQuota(words) ? "quota" : "rate_limited";
    case 400:
    case 422:
      return kindOfBadRequest(words);
    default:
      if (status === 500 && tooLong.test(words)) return "overflow";
      return status >= 500 ? "unavailable" : "bad_request";
  }
}

function kindOfBadRequest(words: string): ModelFailureKind {
  if (tooLong.test(words) && !outputLimit.test(words)) return "overflow";
  if (money.test(words)) return "quota";
  return badKey.test(words) || noModel.test(words) ? "auth" : "bad_request";
}

// Only a server that knows the address names the model.
function fixOf(status: number, words: string): PauseFix {
  if (status === 401 || status === 403 || badKey.test(words)) return "key";
  if (noModel.test(words)) return "model";
  return /\bmodels?\b/i.test(words) ? "model" : "address";
}

// Some vendors mention plan and billing for a limit per minute too, which ends soon.
function isQuota(words: string): boolean {
  if (longWindow.test(words)) return true;
  return money.test(words) && !shortWindow.test(words);
}

const money =
  /insufficient[_ ](quota|credits?|balance|funds)|credit[_ ]balance|billing|payment|current quota|usage limits?|spend(ing)?[_ ]limit|out of credits|key limit exceeded|quota[_ ]exceeded/i;
const longWindow = /per[_ -]?(day|week|month)|daily|weekly|monthly/i;
const shortWindow = /per[_ -]?(second|minute)|retry in \d/i;
const tooLong =
  /context[_ ](length|window|size|limit)|maximum context|(prompt|input|request)[^.]{0,30} too (long|large)|too many (input )?tokens|token count[^.]{0,40}exceeds|exceeds?[^.]{0,60}(tokens|token limit)|reduce the length|string_above_max_length/i;
// The requested answer is longer than the model allows: a shorter batch would not help.
const outputLimit = /max(imum)?[_ ](completion[_ ]|output[_ ])?tokens[^.]{0,80}(output|completion) tokens/i;
const badKey =
  /api[ _-]?key (is )?(not valid|invalid|expired|not found)|api_key_invalid|invalid[ _]api[ _]key/i;
const noModel =
  /not a valid model|model_not_found|(unknown|invalid|no such) model|model\b.{0,80}\b(not found|does not exist|is not available)/i;
const moderation = /moderation|flagged|content[_ ]policy/i;
