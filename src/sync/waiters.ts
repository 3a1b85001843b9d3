// Callers that wait for the end of a pull or a push, each with a deadline.
import type { Timers } from "../core/clock.ts";

/** `late`: the run goes on. `off`: sync is not running: not set up, paused or stopped. */
export type Outcome = "done" | "late" | "failed" | "off";

interface Waiter {
  until: "pull" | "push";
  resolve(outcome: Outcome): void;
}

export interface Waiters {
  /** Resolves when `settle` says so, or with `late` after `deadlineMs`. */
  wait(until: "pull" | "push", deadlineMs: number): Promise<Outcome>;
  /** Resolves the callers that wait for `until`; all of them without it. */
  settle(outcome: Outcome, until?: "pull" | "push"): void;
}

export function createWaiters(timers: Timers): Waiters {
  const waiting = new Set<Waiter>();
  return {
    wait: (until, deadlineMs) =>
      new Promise((resolve) => {
        const waiter: Waiter = {
          until,
          resolve(outcome) {
            cancel();
            waiting.delete(waiter);
            resolve(outcome);
          },
        };
        const cancel = timers.after(deadlineMs, () => waiter.resolve("late"));
        waiting.add(waiter);
      }),
    settle(outcome, until) {
      for (const waiter of [...waiting]) {
        if (until === undefined || waiter.until === until) waiter.resolve(outcome);
      }
    },
  };
}
