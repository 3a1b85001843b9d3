import { describe, expect, test } from "vitest";
import type { ModelFailureKind } from "../../../src/generate/model-failure.ts";
import { refusalFailure, statusOfError } from "../../../src/generate/providers/refusal.ts";

function failure(status: number, body: unknown, headers: Record<string, string> = {}) {
  return refusalFailure({
    who: "models.test",
    status,
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
    secrets: ["the-key-of-this-test"],
    now: 0,
  });
}

const messages = (type: string, message: string) => ({ type: "error", error: { type, message } });
const chat = (code: string | number, message: string) => ({ error: { message, type: code, code } });
const gemini = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, status, message, details },
});
const quotaId = (id: string) => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [{ quotaId: id }],
});

describe("what a refusal means", () => {
  test.each<[number, unknown, ModelFailureKind]>([
    [
      429,
      messages("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"),
      "rate_limited",
    ],
    [
      429,
      {
        error: {
          type: "rate_limit_error",
          message: "limit",
          details: { error_code: "enforced_spend_limit_reached" },
        },
      },
      "quota",
    ],
    [
      400,
      messages(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing",
      ),
      "quota",
    ],
    [
      400,
      messages(
        "invalid_request_error",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
      ),
      "quota",
    ],
    [
      400,
      messages("invalid_request_error", "prompt is too long: 214315 tokens > 200000 maximum"),
      "overflow",
    ],
    [
      400,
      messages(
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length or `max_tokens`",
      ),
      "overflow",
    ],
    [
      400,
      messages(
        "invalid_request_error",
        "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5",
      ),
      "bad_request",
    ],
    [413, messages("request_too_large", "Request exceeds the maximum size"), "overflow"],
    [404, messages("not_found_error", "model: claude-none"), "auth"],
    [529, messages("overloaded_error", "Overloaded"), "unavailable"],
    [
      429,
      gemini(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details. Please retry in 37s.",
        [quotaId("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")],
      ),
      "rate_limited",
    ],
    [
      429,
      gemini(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details. Please retry in 37s.",
        [quotaId("GenerateRequestsPerDayPerProjectPerModel-FreeTier")],
      ),
      "quota",
    ],
    [
      429,
      gemini(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
      "rate_limited",
    ],
    [400, gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "auth"],
    [
      400,
      gemini(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1214315) exceeds the maximum number of tokens allowed (1048576).",
      ),
      "overflow",
    ],
    [
      400,
      gemini(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name responseJsonSchema"),
      "bad_request",
    ],
    [403, gemini(403, "PERMISSION_DENIED", "Generative Language API has not been used in project"), "auth"],
    [503, gemini(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), "unavailable"],
    [
      429,
      chat(
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
      ),
      "quota",
    ],
    [
      429,
      chat(
        "rate_limit_exceeded",
        "Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000. Please try again in 6s.",
      ),
      "rate_limited",
    ],
    [
      429,
      chat(
        429,
        "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
      ),
      "quota",
    ],
    [402, chat(402, "Insufficient credits"), "quota"],
    [403, chat(403, "Key limit exceeded (daily limit)"), "quota"],
    [403, chat(403, "Your chosen model requires moderation and your input was flagged"), "bad_request"],
    [400, chat(400, "vendor/none is not a valid model ID"), "auth"],
    [
      400,
      chat(
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
      ),
      "overflow",
    ],
    [400, chat(400, "the request exceeds the available context size, try increasing it"), "overflow"],
    [500, chat(500, "context size exceeded"), "overflow"],
    [404, { error: "model 'qwen3' not found, try pulling it first" }, "auth"],
    [404, "404 page not found", "auth"],
    [422, { detail: [{ loc: ["body"], msg: "field required", input: "prompt is too long" }] }, "bad_request"],
    [408, "", "unavailable"],
    [409, "", "unavailable"],
    [418, "", "bad_request"],
    [502, "<html><body>Bad Gateway</body></html>", "unavailable"],
    [524, "", "unavailable"],
  ])("%d %j is %s", (status, body, kind) => {
    expect(failure(status, body).kind).toBe(kind);
  });

  test.each([
    [401, messages("authentication_error", "invalid x-api-key"), "key"],
    [403, gemini(403, "PERMISSION_DENIED", "Generative Language API has not been used in project"), "key"],
    [400, gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "key"],
    [404, messages("not_found_error", "model: claude-none"), "model"],
    [404, { error: "model 'qwen3' not found, try pulling it first" }, "model"],
    [400, chat(400, "vendor/none is not a valid model ID"), "model"],
    [404, "404 page not found", "address"],
    [405, "", "address"],
    [429, "", undefined],
  ])("%d %j is fixed by another %s", (status, body, fix) => {
    expect(failure(status, body).fix).toBe(fix);
  });

  test.each<[unknown, number]>([
    [{ code: 429, message: "m" }, 429],
    [{ code: "502" }, 502],
    [{ type: "overloaded_error" }, 529],
    [{ type: "authentication_error" }, 401],
    [{ status: "RESOURCE_EXHAUSTED" }, 429],
    [{ code: "insufficient_quota" }, 429],
    [{ code: 7 }, 500],
    ["broken", 500],
  ])("the error %j in the body of a 200 stands for %d", (error, status) => {
    expect(statusOfError(error)).toBe(status);
  });
});

describe("what a refusal says", () => {
  test.each<[unknown, string]>([
    [messages("api_error", "It broke."), "models.test answered 500: It broke."],
    [{ error: "plain" }, "models.test answered 500: plain"],
    [{ detail: "told" }, "models.test answered 500: told"],
    [[{ error: { message: "listed" } }], "models.test answered 500: listed"],
    ["<!DOCTYPE html><p>x", "models.test answered 500: an HTML page"],
    ["", "models.test answered 500."],
    ["line\u0007 one\r\nline\u001b[31m two", "models.test answered 500: line one line two"],
    [
      { error: { message: "Provider returned error", metadata: { raw: "upstream says no" } } },
      "models.test answered 500: Provider returned error (upstream says no)",
    ],
  ])("answers %j with: %s", (body, message) => {
    expect(failure(500, body).message).toBe(message);
  });

  test("removes the sent key and any other key before the text is cut", () => {
    const other = `sk-ant-api03-${"a1B2c3D4".repeat(6)}`;
    const said = `${"x ".repeat(120)}the-key-of-this-test and ${other} ${"y ".repeat(2_000)}`;
    const { message } = failure(401, messages("authentication_error", said));
    expect(message).not.toContain("the-key-of-this-test");
    expect(message).not.toContain(other.slice(0, 30));
    expect(message.length).toBeLessThan(360);
  });
});

const headersOf: [string, Record<string, string>, unknown, number | undefined][] = [
  ["seconds", { "retry-after": "7" }, "", 7_000],
  ["a fraction", { "retry-after": "0.5" }, "", 500],
  ["a date", { "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT" }, "", 60_000],
  ["nonsense", { "retry-after": "soon" }, "", undefined],
  ["a time in the past", { "retry-after": "Wed, 31 Dec 1969 23:00:00 GMT" }, "", 0],
  ["a year", { "retry-after": "31536000" }, "", 86_400_000],
  ["milliseconds", { "retry-after-ms": "250", "retry-after": "1" }, "", 250],
  [
    "the vendor's resets, of the limits that are used up",
    {
      "anthropic-ratelimit-requests-remaining": "3",
      "anthropic-ratelimit-requests-reset": "1970-01-01T01:00:00Z",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "1970-01-01T00:00:20Z",
    },
    "",
    20_000,
  ],
  ["a duration", { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m1s" }, "", 361_000],
  [
    "milliseconds as a duration",
    { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms" },
    "",
    120,
  ],
  [
    "nothing, while something remains",
    { "x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6m0s" },
    "",
    undefined,
  ],
  ["a delay in the body", {}, gemini(429, "RESOURCE_EXHAUSTED", "m", [{ retryDelay: "37.5s" }]), 37_500],
  [
    "a sentence",
    {},
    messages("invalid_request_error", "You will regain access on 1970-01-01 at 05:00 UTC."),
    18_000_000,
  ],
  ["nothing", {}, "", undefined],
];

describe("when to ask again", () => {
  test.each(headersOf)("%s", (_what, headers, body, expected) => {
    expect(failure(429, body, headers).retryAfterMs).toBe(expected);
  });
});
