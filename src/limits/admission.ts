// Whether a request may go on: the rate of its key, then the month of its team, counted for all nodes at once.
import type { Clock } from "../clock.ts";
import type { Caller } from "../domain/tenancy.ts";

/** What is set; 0 is no limit. */
export interface Limits {
  perMinute: number;
  monthlyRequests: number;
  monthlyTokens: number;
}

/** Counts and decides for requests of one key that ask together. */
export type CountRequests = (query: {
  team_id: string;
  key_id: string | null;
  wanted: number;
  per_minute: number;
  month_cap: number;
}) => Promise<Counted>;

interface Counted {
  rate_granted: number;
  month_granted: number;
  previous: number;
  counted: number;
  elapsed_ms: number;
  month_used: number;
  tokens_used: number;
}

/** Where a key's rate stands after the request: what the X-RateLimit headers say. */
export interface RateState {
  limit: number;
  remaining: number;
  /** Seconds until there is room for the whole limit again. */
  resetSeconds: number;
}

/** What a guard says of a request. `unknown`: its store did not answer in time, so the request passes. */
export type Verdict =
  | { is: "passed" | "unknown"; rate: RateState | null }
  | { is: "rate_limited"; rate: RateState; retryAfterSeconds: number }
  | { is: "requests_used_up" | "tokens_used_up"; used: number; cap: number; rate: RateState | null };

export interface Admission {
  admit(caller: Caller, writes: boolean): Promise<Verdict>;
  /** Requests that passed because the store did not answer. */
  skipped(): number;
}

interface AdmissionDeps {
  limits: Limits;
  count: CountRequests;
  clock: Clock;
  /** After how long a request passes uncounted: a guard may not hold up what it guards. */
  budgetMs?: number;
  /** The store failed or came back: said once each. */
  onChange(state: "failing" | "answering", cause: unknown): void;
}

const defaultBudgetMs = 100;
// A store that failed is not waited for again at every request.
const restMs = 1_000;
const mostTogether = 1_000;

interface Asking {
  writes: boolean;
  settle(verdict: Verdict): void;
}

/**
 * Requests that come while their key is being counted are counted together next: a burst costs two statements, and a
 * hot key's row is locked once. Never rejects.
 */
export function createAdmission({
  limits,
  count,
  clock,
  budgetMs = defaultBudgetMs,
  onChange,
}: AdmissionDeps): Admission {
  const asking = new Map<string, Asking[]>();
  const counting = new Set<string>();
  let failing = false;
  let askAgainAt = 0;
  let skipped = 0;

  function pass(): Verdict {
    skipped += 1;
    return { is: "unknown", rate: null };
  }

  async function countTogether(key: string, caller: Caller): Promise<void> {
    counting.add(key);
    for (let batch = take(key); batch.length > 0; batch = take(key)) {
      try {
        const counted = await count({
          team_id: caller.team_id,
          key_id: caller.key_id,
          wanted: batch.length,
          per_minute: limits.perMinute,
          month_cap: limits.monthlyRequests,
        });
        if (failing) onChange("answering", null);
        failing = false;
        for (const [index, { writes, settle }] of batch.entries()) settle(verdictOf(counted, index, writes));
      } catch (cause) {
        if (!failing) onChange("failing", cause);
        failing = true;
        askAgainAt = clock.monotonicMs() + restMs;
        for (const { settle } of batch) settle(pass());
      }
    }
    counting.delete(key);
  }

  function take(key: string): Asking[] {
    const waiting = asking.get(key) ?? [];
    const batch = waiting.splice(0, mostTogether);
    if (waiting.length === 0) asking.delete(key);
    return batch;
  }

  function verdictOf(counted: Counted, index: number, writes: boolean): Verdict {
    const rate = rateOf(counted, index);
    if (index >= counted.rate_granted && rate !== null) {
      return { is: "rate_limited", rate, retryAfterSeconds: retryAfter(counted) };
    }
    if (index >= counted.month_granted) {
      return { is: "requests_used_up", used: counted.month_used, cap: limits.monthlyRequests, rate };
    }
    if (writes && limits.monthlyTokens > 0 && counted.tokens_used >= limits.monthlyTokens) {
      return { is: "tokens_used_up", used: counted.tokens_used, cap: limits.monthlyTokens, rate };
    }
    return { is: "passed", rate };
  }

  function rateOf({ previous, counted, elapsed_ms, rate_granted }: Counted, index: number): RateState | null {
    if (limits.perMinute === 0) return null;
    const within = (previous * (60_000 - elapsed_ms)) / 60_000;
    // Those of the batch that come after this one have not been let through yet.
    const later = Math.max(0, rate_granted - 1 - index);
    const remaining = Math.max(0, Math.floor(limits.perMinute - within - counted) + later);
    return { limit: limits.perMinute, remaining, resetSeconds: Math.ceil((60_000 - elapsed_ms) / 1_000) };
  }

  // When so much of the older minute has slid out that one more fits; at the next minute's start at the latest, when what
  // was counted in this one begins to slide out.
  function retryAfter({ previous, counted, elapsed_ms }: Counted): number {
    const room = limits.perMinute - counted - 1;
    const slidesOut = room < 0 || previous === 0 ? 60_000 : 60_000 - (room / previous) * 60_000;
    return Math.max(1, Math.ceil((Math.min(60_000, slidesOut) - elapsed_ms) / 1_000));
  }

  return {
    skipped: () => skipped,
    admit(caller, writes) {
      if (failing && clock.monotonicMs() < askAgainAt) return Promise.resolve(pass());
      return new Promise((resolve) => {
        let settled = false;
        const settle = (verdict: Verdict): void => {
          if (settled) return;
          settled = true;
          clearTimeout(deadline);
          resolve(verdict);
        };
        const deadline = setTimeout(() => settle(pass()), budgetMs);
        const key = `${caller.team_id} ${caller.key_id ?? ""}`;
        const waiting = asking.get(key) ?? [];
        waiting.push({ writes, settle });
        asking.set(key, waiting);
        if (!counting.has(key)) void countTogether(key, caller);
      });
    },
  };
}
