import { expect, test } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { newId } from "../../../src/core/ids.ts";
import type { Caller } from "../../../src/core/records/tenancy.ts";
import { scopes } from "../../../src/core/records/tenancy.ts";
import { createAdmission } from "../../../src/tenancy/limits/admission.ts";
import type { Counted, CountRequests } from "../../../src/tenancy/limits/counting.ts";

const read = { writes: false, open: false };

function callerOf(team_id: string, key_id: string | null = newId()): Caller {
  return { team_id, project_id: null, key_id, scopes, expires_at_epoch: null };
}

type Question = Parameters<CountRequests>[0];

/** Admission over a store whose answers the test releases. */
function rig({ month_granted = 1_000, granted = 1_000, budgetMs = 60_000, monthlyTokens = 0 } = {}) {
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs };
  const asked: { question: Question; answer(): void; fail(): void }[] = [];
  const said: string[] = [];
  const admission = createAdmission({
    limits: { perMinute: 5, monthlyRequests: 10, monthlyTokens },
    clock,
    budgetMs,
    count: (question) =>
      new Promise((resolve, reject) => {
        asked.push({
          question,
          answer: () => resolve(answerTo(question)),
          fail: () => reject(new Error("no")),
        });
      }),
    onChange: (state) => said.push(state),
  });
  function answerTo({ keys }: Question): Counted {
    const rate = { remaining: 0, reset_epoch_seconds: 7, retry_after_seconds: 3 };
    return {
      rates: keys.map(({ wanted }) => ({ ...rate, granted: Math.min(wanted, granted) })),
      ...{ month_granted, month_used: 10, tokens_used: 50 },
    };
  }
  async function nextQuestion(at: number): Promise<Question> {
    while (asked[at] === undefined) await new Promise(setImmediate);
    return asked[at].question;
  }
  return { admission, asked, said, nextQuestion, pass: (ms: number) => (nowMs += ms) };
}

test("four hundred requests of a team are two questions, whichever their keys", async () => {
  const { admission, asked, nextQuestion } = rig();
  const team = newId();
  const keys = Array.from({ length: 4 }, () => callerOf(team));
  const admit = (count: number) =>
    Array.from({ length: count }, (_, at) => admission.admit(keys[at % 4] ?? callerOf(team), read));
  const first = admit(8);
  expect((await nextQuestion(0)).keys.map(({ wanted }) => wanted)).toEqual([2, 2, 2, 2]);
  const rest = admit(392);
  await new Promise(setImmediate);
  expect(asked).toHaveLength(1);
  asked[0]?.answer();
  expect((await nextQuestion(1)).keys.map(({ wanted }) => wanted)).toEqual([98, 98, 98, 98]);
  asked[1]?.answer();
  await Promise.all([...first, ...rest]);
  expect(asked).toHaveLength(2);
  expect(admission.skipped()).toBe(0);
});

test("another team does not wait for the question of the first", async () => {
  const { admission, asked, nextQuestion } = rig();
  void admission.admit(callerOf(newId()), read);
  await nextQuestion(0);
  const other = admission.admit(callerOf(newId()), read);
  await nextQuestion(1);
  asked[1]?.answer();
  expect(await other).toMatchObject({ is: "passed" });
});

test("passes the first requests of a batch and reports the rest for each", async () => {
  const { admission, asked, nextQuestion } = rig({ granted: 3, month_granted: 2 });
  const caller = callerOf(newId());
  const verdicts = Array.from({ length: 5 }, () => admission.admit(caller, read));
  await nextQuestion(0);
  asked[0]?.answer();
  const found = await Promise.all(verdicts);
  expect(found.map(({ is }) => is)).toEqual([
    "passed",
    "passed",
    "requests_used_up",
    "rate_limited",
    "rate_limited",
  ]);
  expect(found.map(({ rate }) => rate?.remaining)).toEqual([2, 1, 0, 0, 0]);
  expect(found.at(-1)).toMatchObject({ retryAfterSeconds: 3, rate: { limit: 5, reset_epoch_seconds: 7 } });
});

test("an open request passes the monthly cap, not the rate", async () => {
  const { admission, asked, nextQuestion } = rig({ granted: 3, month_granted: 1, monthlyTokens: 50 });
  const [caller, other] = [callerOf(newId()), newId()];
  const verdicts = [
    admission.admit(caller, { writes: true, open: false }),
    admission.admit(caller, { writes: true, open: false }),
    admission.admit(caller, { writes: true, open: true }),
    admission.admit(caller, { writes: false, open: true }),
    admission.admit({ ...caller, key_id: other }, { writes: false, open: true }),
  ];
  expect((await nextQuestion(0)).keys).toEqual([
    { key_id: caller.key_id, wanted: 4, open: 2 },
    { key_id: other, wanted: 1, open: 1 },
  ]);
  asked[0]?.answer();
  expect((await Promise.all(verdicts)).map(({ is }) => is)).toEqual([
    "tokens_used_up",
    "rate_limited",
    "passed",
    "passed",
    "passed",
  ]);
});

test("requests pass without waiting when the store does not answer", async () => {
  const { admission, asked, nextQuestion } = rig({ budgetMs: 1, granted: 0 });
  const caller = callerOf(newId());
  const verdicts = await Promise.all([admission.admit(caller, read), admission.admit(caller, read)]);
  expect(verdicts).toEqual([
    { is: "unknown", rate: null },
    { is: "unknown", rate: null },
  ]);
  expect(await admission.admit(caller, read)).toMatchObject({ is: "unknown" });
  expect(asked).toHaveLength(1);
  asked[0]?.answer();
  await nextQuestion(1);
  expect(admission.skipped()).toBe(3);
});

test("one failure is no outage; after the second the store is left alone for a second", async () => {
  const { admission, asked, said, nextQuestion, pass } = rig();
  const caller = callerOf(newId());
  for (const at of [0, 1]) {
    const verdict = admission.admit(caller, read);
    await nextQuestion(at);
    asked[at]?.fail();
    expect(await verdict).toMatchObject({ is: "unknown" });
  }
  expect(await admission.admit(caller, read)).toMatchObject({ is: "unknown" });
  expect(asked).toHaveLength(2);
  pass(1_000);
  const verdict = admission.admit(caller, read);
  await nextQuestion(2);
  asked[2]?.answer();
  expect(await verdict).toMatchObject({ is: "passed" });
  expect(said).toEqual(["failing", "answering"]);
  expect(admission.skipped()).toBe(3);
});
