// Retry time from a vendor: the standard header, the vendors' headers, and fields in the body.
import { errorIn, listAt, parseBody, textAt } from "./wire-values.ts";

/** Headers of an answer, names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Milliseconds from `now` (epoch ms), at most a day; undefined if the reply has none. */
export function retryAfterMs(headers: Headers, body: string, now: number): number | undefined {
  const wait =
    fromMilliseconds(header(headers, "retry-after-ms")) ??
    fromStandard(header(headers, "retry-after"), now) ??
    fromBody(body) ??
    fromResets(headers, now) ??
    fromSentence(body, now);
  return wait === undefined ? undefined : Math.min(longestWaitMs, Math.max(0, Math.round(wait)));
}

// A wrong clock or header must not stop a provider for good.
const longestWaitMs = 24 * 60 * 60_000;

function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

function fromMilliseconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function fromStandard(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

// Google: `details: [{ "@type": "…RetryInfo", retryDelay: "37s" }]`.
function fromBody(body: string): number | undefined {
  for (const detail of listAt(errorIn(parseBody(body)), "details")) {
    const delay = textAt(detail, "retryDelay");
    if (delay !== undefined) return durationMs(delay);
  }
  return undefined;
}

// `anthropic-ratelimit-<what>-reset` (a date) and `x-ratelimit-reset[-<what>]` (a duration or an epoch) count for a
// limit of which nothing remains; of several the last one decides.
function fromResets(headers: Headers, now: number): number | undefined {
  const waits = Object.keys(headers).flatMap((name) => {
    if (!/^(anthropic|x)-ratelimit-.*reset/.test(name)) return [];
    const remaining = header(headers, name.replace("reset", "remaining"));
    if (remaining === undefined ? name !== "x-ratelimit-reset" : Number(remaining) > 0) return [];
    const wait = resetMs(header(headers, name) ?? "", now);
    return wait === undefined ? [] : [wait];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function resetMs(value: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number > 1e12) return number - now;
    return number > 1e9 ? number * 1_000 - now : number * 1_000;
  }
  const duration = durationMs(value);
  if (duration !== undefined) return duration;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

// `37s`, `1.5s`, `120ms`, `6m0s`, `1h2m3s`.
function durationMs(value: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(value);
  if (match === null || value === "") return undefined;
  const [, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = match;
  return (
    Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000 + Number(milliseconds)
  );
}

// "You will regain access on 2026-12-01 at 00:00 UTC."
function fromSentence(body: string, now: number): number | undefined {
  const match = /regain access on (\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC/.exec(body.slice(0, 4_000));
  return match === null ? undefined : Date.parse(`${match[1]}T${match[2]}:00Z`) - now;
}
