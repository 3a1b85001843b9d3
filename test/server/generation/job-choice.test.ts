import { expect, test } from "vitest";
import { hostedBatching, localBatching } from "../../../src/generate/batching.ts";
import { type ChosenJobs, createJobChoice } from "../../../src/server/generation/job-choice.ts";
import type { WaitingJobs } from "../../../src/store/postgres/job-leases.ts";

const now = 1_000_000;

function jobs(more: Partial<WaitingJobs> = {}): WaitingJobs {
  return {
    project_id: "p",
    session_id: more.session_seq == null ? null : `s${more.session_seq}`,
    session_seq: null,
    count: 1,
    newest_at: now - 60_000,
    has_summary: false,
    is_retry: false,
    is_completed: false,
    ...more,
  };
}

function chosen(found: ReturnType<ReturnType<typeof createJobChoice>["choose"]>): ChosenJobs {
  if ("wait" in found) throw new TypeError("nothing was chosen");
  return found;
}

const work = (...waiting: WaitingJobs[]) => ({ now, waiting, next_at: null });

test("turns of a team alternate between the longest due group and the newest one", () => {
  const { choose } = createJobChoice(localBatching);
  const waiting = Array.from({ length: 20 }, (_, n) =>
    jobs({ session_seq: n + 1, newest_at: now - 60_000 + n }),
  );
  const order = Array.from({ length: 6 }, () => {
    const found = chosen(choose("team", work(...waiting)));
    waiting.splice(waiting.indexOf(found.jobs), 1);
    return found.group;
  });
  expect(order).toEqual([1, 20, 2, 19, 3, 18]);
  // Each team has its own turns.
  expect(chosen(choose("other", work(jobs({ session_seq: 99 })))).newestFirst).toBe(false);
});

test("jobs without a session are one group of their project with one number", () => {
  const { choose } = createJobChoice(localBatching);
  const first = chosen(choose("team", work(jobs({ count: 7 }))));
  expect(first.group).toBeLessThan(0);
  first.done();
  const other = chosen(choose("team", work(jobs({ project_id: "q" }))));
  expect(other.group).not.toBe(first.group);
  other.done();
  expect(chosen(choose("team", work(jobs({ count: 3 })))).group).toBe(first.group);
});

test("jobs without a session during a call are gathered unless a batch is full", () => {
  const { choose } = createJobChoice(hostedBatching);
  const first = chosen(choose("team", work(jobs({ count: 3 }))));
  expect(choose("team", work(jobs({ count: 40 })))).toEqual({ wait: null });
  const second = chosen(choose("team", work(jobs({ count: 41 }))));
  expect(second.group).not.toBe(first.group);
  expect(first.done()).toBe(true);
  expect(second.done()).toBe(false);
});

test("a session has one batch at a time; a task that finds it taken asks again", () => {
  const { choose } = createJobChoice(localBatching);
  const first = chosen(choose("team", work(jobs({ session_seq: 5, count: 500 }))));
  expect(choose("team", work(jobs({ session_seq: 5, count: 500 })))).toEqual({ wait: null });
  expect(first.done()).toBe(true);
});

test("jobs without a session are gathered before a model is asked", () => {
  const { choose } = createJobChoice(hostedBatching);
  const found = choose("team", work(jobs({ newest_at: now - 10 })));
  expect(found).toEqual({ wait: expect.any(Number) });
  expect(chosen(choose("team", work(jobs({ count: 41, newest_at: now })))).jobs.count).toBe(41);
});
