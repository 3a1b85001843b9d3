// Whether a request may go on: the rate of its key, then the month of its team, counted for all nodes at once.
import type { Clock } from "../../core/clock.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { type Counted, type CountRequests, questionOf, type Rate, verdictsOf } from "./counting.ts";

/** What is set; 0 is no limit. */
export interface Limits {
  perMinute: number;
  monthlyRequests: number;
  monthlyTokens: number;
}

/** Where a key's rate stands after the request: what the X-RateLimit headers say. */
export interface RateState extends Rate {
  limit: number;
}

/** What a guard says of a request. `unknown`: its store did not answer in time, so the request passes. */
export type Verdict =
  | { is: "passed" | "unknown"; rate: RateState | null }
  | { is: "rate_limited"; rate: RateState; retryAfterSeconds: number }
  | { is: "requests_used_up" | "tokens_used_up"; used: number; cap: number; rate: RateState | null };

/** What a request is about to do. */
export interface Wish {
  writes: boolean;
  /** Answered also when the month is used up; counted all the same. */
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
  /** After how long a request passes uncounted: a guard may not hold up what it guards. */
  budgetMs?: number;
  /** The store failed or came back: said once each. */
  onChange(state: "failing" | "answering", cause: unknown): void;
}

const defaultBudgetMs = 100;
// A store that failed twice is not waited for again at every request. Once is no outage: a second without limits for one
// statement that was late would be most of what passes uncounted on a busy machine.
const restAfterFailures = 2;
const restMs = 1_000;
const mostTogether = 1_000;

interface Asking extends Wish {
  key_id: string | null;
  /** Says the verdict, the first time that it is called. */
  settle(verdict: Verdict): void;
  skip(): void;
  isSettled(): boolean;
}

/** The requests of one team in this process. */
interface Line {
  /** Came since the event loop was last through. */
  arriving: Asking[];
  waiting: Asking[];
  isCounting: boolean;
}

/**
 * Requests that come while those of their team are being counted are counted together next: a burst costs two statements,
 * and a hot row is locked once. Never rejects.
 */
export function createAdmission({
  limits,
  count,
  clock,
  budgetMs = defaultBudgetMs,
  onChange,
}: AdmissionDeps): Admission {
  const lines = new Map<string, Line>();
  let failures = 0;
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let skipped = 0;

  function ask(team_id: string, asking: Asking): void {
    const line = lines.get(team_id) ?? { arriving: [], waiting: [], isCounting: false };
    lines.set(team_id, line);
    line.arriving.push(asking);
    // All that arrived in one turn of the event loop ask together; their time begins when it has come round to them.
    if (line.arriving.length === 1) setImmediate(() => gather(team_id, line));
  }

  function gather(team_id: string, line: Line): void {
    const group = line.arriving;
    line.arriving = [];
    line.waiting.push(...group);
    waitFor(group, budgetMs);
    if (!line.isCounting) void countInTurn(team_id, line);
  }

  async function countInTurn(team_id: string, line: Line): Promise<void> {
    line.isCounting = true;
    while (line.waiting.length > 0) await countTogether(team_id, line.waiting.splice(0, mostTogether));
    line.isCounting = false;
    if (line.arriving.length === 0) lines.delete(team_id);
  }

  async function countTogether(team_id: string, asking: readonly Asking[]): Promise<void> {
    // Those that no cap holds back first: so the store needs no more than numbers.
    const batch = [...asking].sort((one, other) => Number(other.open) - Number(one.open));
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
    if (failures >= restAfterFailures) askAgainAt = clock.monotonicMs() + restMs;
    return undefined;
  }

  function pass(): Verdict {
    skipped += 1;
    return { is: "unknown", rate: null };
  }

  return {
    skipped: () => skipped,
    admit({ team_id, key_id }, wish) {
      if (clock.monotonicMs() < askAgainAt) return Promise.resolve(pass());
      return new Promise((resolve) => {
        let settled = false;
        const settle = (verdict: () => Verdict): void => {
          if (settled) return;
          settled = true;
          resolve(verdict());
        };
        ask(team_id, {
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

// Patience is with the store alone. A process that has no time itself finds the answer and a timer that has run out at the
// same moment; so it is counted in steps, and after each one what has arrived is read first.
const steps = 10;
const stepMs = (budgetMs: number): number => Math.max(1, budgetMs / steps - 1);

function waitFor(group: readonly Asking[], budgetMs: number, step = 0): void {
  if (group.every(({ isSettled }) => isSettled())) return;
  if (step < steps) {
    setTimeout(() => setImmediate(waitFor, group, budgetMs, step + 1), stepMs(budgetMs)).unref();
    return;
  }
  for (const asking of group) asking.skip();
}
