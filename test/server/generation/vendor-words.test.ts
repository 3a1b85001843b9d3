import { expect, test } from "vitest";
import { ModelFailure } from "../../../src/generate/model-failure.ts";
import type { GenerationBatch } from "../../../src/generate/provider.ts";
import { withoutQuotes } from "../../../src/server/generation/vendor-words.ts";

const batch: GenerationBatch = {
  session: {
    id: 1,
    claude_session_id: "s",
    project: "p",
    user_prompt: "Raise the salary of Ann to five thousand",
  },
  messages: [
    {
      id: 1,
      session_id: 1,
      message: {
        type: "observation",
        tool_name: "Bash",
        tool_input: { command: "cat payroll.csv" },
        tool_response: { stdout: 'Ann,\n  "4,200 a month"' },
      },
      created_at_epoch: 1,
      attempts: 0,
      failures: 0,
    },
  ],
  recentTitles: ["Payroll moved to the new bank", "Оклад Анны: 请求参数错误 (Zoë)"],
};

async function said(message: string): Promise<string> {
  const failing = withoutQuotes({
    name: "m",
    generate: () => Promise.reject(new ModelFailure("auth", message, { retryAfterMs: 7, fix: "key" })),
  });
  const failure = await failing
    .generate(batch, new AbortController().signal)
    .catch((cause: unknown) => cause);
  expect(failure).toMatchObject({ kind: "auth", retryAfterMs: 7, fix: "key" });
  return failure instanceof Error ? failure.message : "";
}

test.each([
  "api.example.com answered 401: invalid x-api-key",
  "api.example.com answered 404: The model `gpt-9` does not exist or you do not have access to it.",
  "api.example.com answered 429: You exceeded your current quota, please check your plan and billing details.",
  "no answer within 60 s",
  "api.example.com answered 400: 余额不足, top up “now” – it’s empty",
  String.raw`api.example.com answered 400: no such key: '\u00e9' or "--"`,
])("what names no word of a team is said as it is: %s", async (message) => {
  expect(await said(message)).toBe(message);
});

test.each([
  String.raw`x answered 400: bad content \u043e\u043A\u043b\u0430\u0434 near 3`,
  String.raw`x answered 400: bad content {\"t\":\"\\u0410\\u043d\\u043d\\u044b\"}`,
  "x answered 400: bad content АННЫ",
  "x answered 400: at 参数错误",
  String.raw`x answered 400: in '\u6c42' at 1`,
  String.raw`x answered 400: in 'zo\u00eb' at 1`,
])("removes quotations in other scripts, escaped or short: %s", async (message) => {
  const told = await said(message);
  expect(told).toContain("x answered 400");
  expect(told).not.toMatch(/u0|u6|[а-я]|\p{sc=Han}/iu);
});

test.each([
  [
    "api.example.com answered 400: flagged: raise the salary of Ann to five thousand",
    "api.example.com answered 400",
  ],
  [
    "localhost:8080 answered 400: bad input 'payroll.csv' at 3",
    "localhost:8080 answered 400: bad input '…' at 3",
  ],
  [String.raw`x answered 500: in {\"stdout\":\"Ann,\n  \\\"4,200 a month\\\"\"}`, "x answered 500"],
  ["x answered 400: PAYROLL MOVED TO THE NEW BANK", "x answered 400"],
])("what a vendor quotes of a team is left out: %s", async (message, left) => {
  const told = await said(message);
  expect(told).toContain(left);
  expect(told).not.toMatch(/salary|payroll|4,200|bank/i);
});
