// Turns a batch of requests into one query of the store, and its numbers into a verdict for each request.

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

/** Counts a batch of requests of one team. */
export type CountRequests = (query: Question) => Promise<Counted>;

interface Question {
  team_id: string;
  keys: readonly { key_id: string | null; wanted: number; open: number }[];
  per_minute: number;
  month_cap: number;
}

/** The store's reply; rates are in the order of the keys. */
export interface Counted {
  rates: readonly (Rate & { granted: number; retry_after_seconds: number })[];
  month_granted: number;
  month_used: number;
  tokens_used: number;
}

interface Rate {
  remaining: number;
  /** When the whole limit is available again, by the store's clock. */
  reset_epoch_seconds: number;
}

type Request = Wish & { key_id: string | null };

/** The query for a batch in which open requests come first. */
export function questionOf(team_id: string, batch: readonly Request[], limits: Limits): Question {
  const keys = new Map<string | null, { key_id: string | null; wanted: number; open: number }>();
  for (const { key_id, open } of batch) {
    const key = keys.get(key_id) ?? { key_id, wanted: 0, open: 0 };
    keys.set(key_id, key);
    key.wanted += 1;
    key.open += open ? 1 : 0;
  }
  return {
    team_id,
    keys: [...keys.values()],
    per_minute: limits.perMinute,
    month_cap: limits.monthlyRequests,
  };
}

/** The verdicts of the same batch, in its order. */
export function verdictsOf(batch: readonly Request[], counted: Counted, limits: Limits): Verdict[] {
  const places = new Map<string | null, { place: number; seen: number }>();
  let ofMonth = 0;
  return batch.map((request) => {
    const key = places.get(request.key_id) ?? { place: places.size, seen: 0 };
    places.set(request.key_id, key);
    const before = key.seen;
    key.seen += 1;
    const found = counted.rates[key.place];
    if (found === undefined) throw new TypeError("the store left out a key");
    const rate = rateOf(request, found, { before, limit: limits.perMinute });
    if (before >= found.granted && rate !== null) {
      return { is: "rate_limited", rate, retryAfterSeconds: Math.max(1, found.retry_after_seconds) };
    }
    if (request.open) return { is: "passed", rate };
    ofMonth += 1;
    if (limits.monthlyRequests > 0 && ofMonth > counted.month_granted) {
      return { is: "requests_used_up", used: counted.month_used, cap: limits.monthlyRequests, rate };
    }
    if (request.writes && limits.monthlyTokens > 0 && counted.tokens_used >= limits.monthlyTokens) {
      return { is: "tokens_used_up", used: counted.tokens_used, cap: limits.monthlyTokens, rate };
    }
    return { is: "passed", rate };
  });
}

function rateOf(
  { key_id }: Request,
  { granted, remaining, reset_epoch_seconds }: Counted["rates"][number],
  { before, limit }: { before: number; limit: number },
): RateState | null {
  if (limit === 0 || key_id === null) return null;
  // Later requests of the batch are not counted against this one.
  const later = Math.max(0, granted - 1 - before);
  return { limit, remaining: remaining + later, reset_epoch_seconds };
}
