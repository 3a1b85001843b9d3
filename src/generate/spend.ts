// What models may cost: tokens of the day and of the month are counted, and a call is refused when a budget is spent.
//
// The bound: a call is begun only while what was used, and what the calls in flight are estimated to use, is below the
// budget. So one call at most crosses it, and a budget is exceeded by that call's tokens and by what the calls in flight
// with it used above their estimates: never by more than the calls in flight.
import type { Clock } from "../clock.ts";
import {
  localTime,
  startOfDay,
  startOfMonth,
  startOfNextDay,
  startOfNextMonth,
} from "../domain/local-days.ts";
import type { ModelCall } from "../domain/model-call.ts";
import { failOpen, MemError } from "../errors.ts";

/** The port of the ledger. */
export interface SpendLedger {
  record(call: ModelCall): Promise<void>;
  /** Input and output tokens of all calls since then, failed ones included. */
  tokensSince(epochMs: number): number;
}

export type BudgetName = "daily" | "monthly";

export interface BudgetState {
  name: BudgetName;
  limit: number;
  used: number;
  left: number;
  /** When the budget is whole again. */
  until: number;
}

/** A call that was let through; it must be settled, whatever became of it. */
export interface Reservation {
  /** Counts what the call used and enters it in the ledger. */
  settle(call: ModelCall): Promise<void>;
}

export interface Spend {
  /** Lets a call through that may use about this many tokens. Throws `BudgetSpent`. */
  reserve(estimatedTokens: number): Reservation;
  /** The budgets that are set. */
  budgets(): BudgetState[];
  /** The budget that is spent, or null; of two, the one that lasts longer. */
  spent(): BudgetState | null;
}

/** A call was not made: its budget is spent. */
export class BudgetSpent extends MemError {
  constructor(budget: BudgetState) {
    super("provider_failed", {
      message: `${budgetInWords(budget)}.`,
      hint: `See \`mem cost\`; \`mem regenerate\` makes better what local wrote.`,
    });
  }
}

/** `the daily budget of 200,000 tokens is spent; local writes until 2026-01-31 00:00`. */
export function budgetInWords({ name, limit, until }: BudgetState): string {
  const tokens = limit.toLocaleString("en-US");
  return `the ${name} budget of ${tokens} tokens is spent; local writes until ${localTime(until)}`;
}

interface SpendDeps {
  /** Tokens; 0 is no budget. */
  budgets: Readonly<Record<BudgetName, number>>;
  ledger: SpendLedger;
  clock: Clock;
}

export function createSpend({ budgets, ledger, clock }: SpendDeps): Spend {
  const counters = (["monthly", "daily"] as const)
    .filter((name) => budgets[name] > 0)
    .map((name) => createCounter(name, budgets[name], ledger));
  let reserved = 0;

  function states(): BudgetState[] {
    return counters.map((counter) => counter.state(clock.now()));
  }

  return {
    reserve(estimatedTokens) {
      const full = states().find(({ used, limit }) => used + reserved >= limit);
      if (full !== undefined) throw new BudgetSpent(full);
      reserved += estimatedTokens;
      return {
        async settle(call) {
          reserved -= estimatedTokens;
          for (const counter of counters) counter.add(call);
          // The answer is there and paid for: it is not thrown away because its price could not be noted down.
          await failOpen("entering a model call in the ledger", () => ledger.record(call));
        },
      };
    },
    budgets: () => states().reverse(),
    spent: () => states().find(({ left }) => left === 0) ?? null,
  };
}

interface Counter {
  state(now: number): BudgetState;
  add(call: ModelCall): void;
}

const periods = {
  daily: { start: startOfDay, end: startOfNextDay },
  monthly: { start: startOfMonth, end: startOfNextMonth },
};

// Counted in memory, and read from the ledger when a period begins: also when the clock is put back into another one.
function createCounter(name: BudgetName, limit: number, ledger: SpendLedger): Counter {
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
    state(now) {
      turnTo(now);
      return { name, limit, used, left: Math.max(0, limit - used), until: end };
    },
    add(call) {
      turnTo(call.at_epoch);
      used += call.input_tokens + call.output_tokens;
    },
  };
}
