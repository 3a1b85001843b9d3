// Rate limit of a key and monthly caps of its team, counted across all nodes.
import type { Clock } from "../../core/clock.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { type Counted, type CountRequests, questionOf, type Rate, verdictsOf } from "./counting.ts";

/** Configured limits; 0 is no limit. */
export interface Limits {
  perMinute: number;
  monthlyRequests: number;
  monthlyTokens: number;
}

/** Rate of a key after the request, for the X-RateLimit headers. */
export interface RateState extends Rate {
  limit: number;
}

/** Decision on a request. `unknown`: the store did not answer in time, so the request passes. */
export type Verdict =
  | { is: "passed" | "unknown"; rate: RateState | null }
  | { is: "rate_limited"; rate: RateState; retryAfterSeconds: number }
  | { is: "requests_used_up" | "tokens_used_up"; used: number; cap: number; rate: RateState | null };

/** A request to decide on. */
export interface Wish {
  writes: boolean;
  /** Passes the monthly caps; counted all the same. */
  open: boolean;
}

export interface Admission {
  admit(caller: Caller, wish: Wish): Promise<Verdict>;
  /** Requests that passed because the store did not answer. */
  skipped(): number;
}

interface AdmissionDeps {
  limits: Limits;
  count: CountRequests;
  clock: Clock;
  /** A request passes uncounted after this time. */
  budgetMs?: number;
  /** Called once when the store fails, and once when it answers again. */
  onChange(state: "failing" | "answering", cause: unknown): void;
}

const defaultBudgetMs = 100;
// Circuit breaker: after two failures all requests pass for a second. A single failure is one late statement on a busy
// machine, and a second without limits for it would pass too many requests.
const openAfterFailures = 2;
const openMs = 1_000;
const maxBatch = 1_000;

interface Pending extends Wish {
  key_id: string | null;
  /** Resolves the request; later calls do nothing. */
  settle(verdict: Verdict): void;
  skip(): void;
  isSettled(): boolean;
}

/** Pending requests of one team. */
interface TeamQueue {
  /** Received in this turn of the event loop. */
  arriving: Pending[];
  waiting: Pending[];
  isCounting: boolean;
}

/**
 * Requests that arrive while a batch of their team is counted form the next batch: a burst costs two statements and locks a
 * hot row once. Never rejects.
 */
export function createAdmission({
  limits,
  count,
  clock,
  budgetMs = defaultBudgetMs,
  onChange,
}: AdmissionDeps): Admission {
  const queues = new Map<string, TeamQueue>();
  let failures = 0;
  let probeAt = Number.NEGATIVE_INFINITY;
  let skipped = 0;

  function enqueue(team_id: string, request: Pending): void {
    const queue = queues.get(team_id) ?? { arriving: [], waiting: [], isCounting: false };
    queues.set(team_id, queue);
    queue.arriving.push(request);
    // The time budget starts after the whole turn of the event loop.
    if (queue.arriving.length === 1) setImmediate(() => gather(team_id, queue));
  }

  function gather(team_id: string, queue: TeamQueue): void {
    const group = queue.arriving;
    queue.arriving = [];
    queue.waiting.push(...group);
    skipAfter(budgetMs, group);
    if (!queue.isCounting) void drain(team_id, queue);
  }

  async function drain(team_id: string, queue: TeamQueue): Promise<void> {
    queue.isCounting = true;
    while (queue.waiting.length > 0) await countBatch(team_id, queue.waiting.splice(0, maxBatch));
    queue.isCounting = false;
    if (queue.arriving.length === 0) queues.delete(team_id);
  }

  async function countBatch(team_id: string, requests: readonly Pending[]): Promise<void> {
    // Open requests first: the store then needs only their number.
    const batch = [...requests].sort((one, other) => Number(other.open) - Number(one.open));
    const counted = await count(questionOf(team_id, batch, limits)).catch((cause: unknown) => failed(cause));
    if (counted === undefined) {
      for (const each of batch) each.skip();
      return;
    }
    if (failures > 0) onChange("answering", null);
    failures = 0;
    for (const [at, verdict] of verdictsOf(batch, counted, limits).entries()) batch[at]?.settle(verdict);
  }

  function failed(cause: unknown): Counted | undefined {
    if (failures === 0) onChange("failing", cause);
    failures += 1;
    if (failures >= openAfterFailures) probeAt = clock.monotonicMs() + openMs;
    return undefined;
  }

  function pass(): Verdict {
    skipped += 1;
    return { is: "unknown", rate: null };
  }

  return {
    skipped: () => skipped,
    admit({ team_id, key_id }, wish) {
      if (clock.monotonicMs() < probeAt) return Promise.resolve(pass());
      return new Promise((resolve) => {
        let settled = false;
        const settle = (verdict: () => Verdict): void => {
          if (settled) return;
          settled = true;
          resolve(verdict());
        };
        enqueue(team_id, {
          ...wish,
          key_id,
          settle: (verdict) => settle(() => verdict),
          skip: () => settle(pass),
          isSettled: () => settled,
        });
      });
    },
  };
}

// The budget is for the store alone. A busy process may find an expired timer and the store's answer together, so the
// time is counted in steps, and each step reads arrived answers first.
const steps = 10;
const stepMs = (budgetMs: number): number => Math.max(1, budgetMs / steps - 1);

function skipAfter(budgetMs: number, group: readonly Pending[], step = 0): void {
  if (group.every(({ isSettled }) => isSettled())) return;
  if (step < steps) {
    setTimeout(() => setImmediate(skipAfter, budgetMs, group, step + 1), stepMs(budgetMs)).unref();
    return;
  }
  for (const request of group) request.skip();
}
