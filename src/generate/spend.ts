// Token budgets of the day and the month.
//
// A call starts only when its estimate fits into the budget beside the used tokens and the upper bounds of the running
// calls. So a budget is exceeded only by what calls use above their estimates.
import type { Clock } from "../core/clock.ts";
import { failOpen, MemError } from "../core/errors.ts";
import { localTime, startOfDay, startOfMonth, startOfNextDay, startOfNextMonth } from "../core/local-days.ts";
import type { ModelCall } from "../core/records/model-call.ts";

export interface SpendLedger {
  record(call: ModelCall): Promise<void>;
  /** Input and output tokens of all calls since then, including failed ones. */
  tokensSince(epochMs: number): number;
}

export type BudgetName = "daily" | "monthly";

export interface BudgetState {
  name: BudgetName;
  limit: number;
  used: number;
  left: number;
  /** Epoch at which the next period begins. */
  until: number;
}

/** An admitted call: it must be settled in any case. */
export interface Reservation {
  /** Counts the call and records it in the ledger. */
  settle(call: ModelCall): Promise<void>;
}

export type Spend = ReturnType<typeof createSpend>;

/** The call was not made. */
export class BudgetSpent extends MemError {
  constructor(budget: BudgetState) {
    super("provider_failed", {
      message: `${budgetInWords(budget)}.`,
      hint: `See \`mem cost\`. Rewrite what local wrote: \`mem regenerate\`.`,
    });
  }
}

/** `the daily budget of 200,000 tokens is spent; local writes until 2026-01-31 00:00`. */
export function budgetInWords({ name, limit, left, until }: BudgetState): string {
  const tokens = limit.toLocaleString("en-US");
  const state = left === 0 ? "is spent" : `has ${left.toLocaleString("en-US")} left, too few for a call`;
  return `the ${name} budget of ${tokens} tokens ${state}; local writes until ${localTime(until)}`;
}

interface SpendDeps {
  /** Tokens; 0: no budget. */
  budgets: Readonly<Record<BudgetName, number>>;
  ledger: SpendLedger;
  clock: Clock;
}

export function createSpend({ budgets, ledger, clock }: SpendDeps) {
  const counters = (["monthly", "daily"] as const)
    .filter((name) => budgets[name] > 0)
    .map((name) => createCounter(name, budgets[name], ledger));
  let reserved = 0;
  // Of the last call, when it was refused.
  let refusedTokens = 0;

  function states(): BudgetState[] {
    return counters.map((counter) => counter.state(clock.now()));
  }

  return {
    /** Admits a call of about `needed` and at most `atMost` tokens. Throws `BudgetSpent` when it does not fit. */
    reserve(needed: number, atMost: number = needed): Reservation {
      const full = states().find(({ used, limit }) => used + reserved + needed > limit);
      refusedTokens = full === undefined ? 0 : needed;
      if (full !== undefined) throw new BudgetSpent(full);
      reserved += atMost;
      return {
        async settle(call) {
          reserved -= atMost;
          for (const counter of counters) counter.add(call);
          // The answer is paid for: a ledger error must not lose it.
          await failOpen("recording a model call in the ledger", () => ledger.record(call));
        },
      };
    },
    /** The configured budgets. */
    budgets: () => states().reverse(),
    /** The spent budget, or null; of two, the monthly one. */
    spent: () => states().find(({ left }) => left === 0) ?? null,
    /** The spent budget, or one that the last call did not fit into. */
    exhausted: () => states().find(({ left }) => left === 0 || left < refusedTokens) ?? null,
  };
}

const periods = {
  daily: { start: startOfDay, end: startOfNextDay },
  monthly: { start: startOfMonth, end: startOfNextMonth },
};

// Counts in memory. Reads the ledger when a period begins, also when the clock is put back into another one.
function createCounter(name: BudgetName, limit: number, ledger: SpendLedger) {
  let start = 0;
  let end = 0;
  let used = 0;

  function turnTo(now: number): void {
    if (now >= start && now < end) return;
    start = periods[name].start(now);
    end = periods[name].end(now);
    used = ledger.tokensSince(start);
  }

  return {
    state(now: number): BudgetState {
      turnTo(now);
      return { name, limit, used, left: Math.max(0, limit - used), until: end };
    },
    add(call: ModelCall) {
      turnTo(call.at_epoch);
      used += call.input_tokens + call.output_tokens;
    },
  };
}
