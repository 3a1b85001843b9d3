// Rate limit of a key and monthly caps of its team, counted across all nodes.
import type { Clock } from "../../core/clock.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import {
  type CountRequests,
  type Limits,
  questionOf,
  type Verdict,
  verdictsOf,
  type Wish,
} from "./counting.ts";

export type Admission = ReturnType<typeof createAdmission>;

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
export function createAdmission(deps: AdmissionDeps) {
  const state: State = {
    ...deps,
    queues: new Map(),
    failures: 0,
    probeAt: Number.NEGATIVE_INFINITY,
    skipped: 0,
  };
  return {
    /** Requests that passed because the store did not answer. */
    skipped: () => state.skipped,
    admit({ team_id, key_id }: Caller, wish: Wish): Promise<Verdict> {
      if (state.clock.monotonicMs() < state.probeAt) return Promise.resolve(pass(state));
      return new Promise((resolve) => {
        let settled = false;
        const settle = (verdict: () => Verdict): void => {
          if (settled) return;
          settled = true;
          resolve(verdict());
        };
        enqueue(state, team_id, {
          ...wish,
          key_id,
          settle: (verdict) => settle(() => verdict),
          skip: () => settle(() => pass(state)),
          isSettled: () => settled,
        });
      });
    },
  };
}

interface State extends AdmissionDeps {
  queues: Map<string, TeamQueue>;
  failures: number;
  /** Until then the circuit breaker is open. */
  probeAt: number;
  skipped: number;
}

function pass(state: State): Verdict {
  state.skipped += 1;
  return { is: "unknown", rate: null };
}

function enqueue(state: State, team_id: string, request: Pending): void {
  const queue = state.queues.get(team_id) ?? { arriving: [], waiting: [], isCounting: false };
  state.queues.set(team_id, queue);
  queue.arriving.push(request);
  // The time budget starts after the whole turn of the event loop.
  if (queue.arriving.length === 1) setImmediate(() => gather(state, team_id, queue));
}

function gather(state: State, team_id: string, queue: TeamQueue): void {
  const group = queue.arriving;
  queue.arriving = [];
  queue.waiting.push(...group);
  skipAfter(state.budgetMs ?? defaultBudgetMs, group);
  if (!queue.isCounting) void drain(state, team_id, queue);
}

async function drain(state: State, team_id: string, queue: TeamQueue): Promise<void> {
  queue.isCounting = true;
  while (queue.waiting.length > 0) await countBatch(state, team_id, queue.waiting.splice(0, maxBatch));
  queue.isCounting = false;
  if (queue.arriving.length === 0) state.queues.delete(team_id);
}

async function countBatch(state: State, team_id: string, requests: readonly Pending[]): Promise<void> {
  const { limits, count, onChange } = state;
  // Open requests first: the store then needs only their number.
  const batch = [...requests].sort((one, other) => Number(other.open) - Number(one.open));
  const counted = await count(questionOf(team_id, batch, limits)).catch((cause: unknown) =>
    failed(state, cause),
  );
  if (counted === undefined) {
    for (const each of batch) each.skip();
    return;
  }
  if (state.failures > 0) onChange("answering", null);
  state.failures = 0;
  for (const [at, verdict] of verdictsOf(batch, counted, limits).entries()) batch[at]?.settle(verdict);
}

function failed(state: State, cause: unknown): undefined {
  if (state.failures === 0) state.onChange("failing", cause);
  state.failures += 1;
  if (state.failures >= openAfterFailures) state.probeAt = state.clock.monotonicMs() + openMs;
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
