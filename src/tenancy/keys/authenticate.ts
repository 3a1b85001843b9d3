// Authenticates an API key: checksum, cache, database. Failures are counted by address.
import type { Clock } from "../../core/clock.ts";
import { failOpen, MemError } from "../../core/errors.ts";
import type { ApiKey } from "../../core/records/api-key.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { hashKey, isWellFormedKey } from "./key-format.ts";
import { createMinuteTally } from "./minute-tally.ts";

/** A key as found by its hash. */
export type KnownKey = Pick<
  ApiKey,
  "id" | "team_id" | "project_id" | "scopes" | "expires_at_epoch" | "revoked_at_epoch" | "last_used_at_epoch"
>;

export interface KeyLookup {
  find(hash: Buffer): Promise<KnownKey | undefined>;
  /** Notes that the key is in use. */
  touch(key: Pick<KnownKey, "id" | "team_id">): Promise<void>;
}

/** Counters since the start. */
export interface AuthenticationCounts {
  accepted: number;
  /** Wrong or missing keys (401). */
  refused: number;
  /** Rate limited (429). */
  limited: number;
  /** Database lookups. */
  lookups: number;
  /** Failed database lookups (503). */
  lookup_failures: number;
}

interface Options {
  keys: KeyLookup;
  clock: Clock;
  /** Wrong keys per minute and address; 0 is no limit. */
  failuresPerMinute: number;
}

interface CachedKey {
  key: KnownKey;
  caller: Caller;
  readAt: number;
}

/** A key revoked elsewhere is refused after this time at the latest, as is one that the database cannot confirm. */
const cachedMs = 10_000;
const maxCached = 10_000;
const touchAfterMs = 60_000;

/**
 * Throws `unauthenticated` for a key that is missing, malformed, unknown, expired or revoked; `rate_limited` for an address
 * with too many wrong keys; `storage_failed` when the database does not answer.
 *
 * An address over its limit is refused without a database lookup. Exceptions: a key that was valid before, and a few lookups
 * a second, so that a valid key behind the same address is found.
 */
export function createAuthentication({ keys, clock, failuresPerMinute }: Options) {
  const state: State = {
    keys,
    clock,
    attempts: createMinuteTally({ clock, perMinute: failuresPerMinute }),
    cached: new Map(),
    lookups: new Map(),
    writes: new Set(),
    rechecks: 0,
    counts: { accepted: 0, refused: 0, limited: 0, lookups: 0, lookup_failures: 0 },
  };
  return {
    authenticate: (presented: { key: string | null; address: string }) => authenticate(state, presented),
    /** Expires the cached keys of a team, or of all, after a revocation here or elsewhere. */
    recheck(team_id?: string) {
      state.rechecks += 1;
      state.lookups.clear();
      for (const each of state.cached.values()) {
        if (team_id === undefined || each.key.team_id === team_id) each.readAt = Number.NEGATIVE_INFINITY;
      }
    },
    counts: () => state.counts,
    /** Resolves when background writes are done. */
    async settled() {
      await Promise.all(state.writes);
    },
  };
}

interface State extends Pick<Options, "keys" | "clock"> {
  attempts: ReturnType<typeof createMinuteTally>;
  cached: Map<string, CachedKey>;
  /** Running lookups, by hash. */
  lookups: Map<string, Promise<KnownKey | undefined>>;
  writes: Set<Promise<unknown>>;
  rechecks: number;
  counts: AuthenticationCounts;
}

async function authenticate(
  state: State,
  { key, address }: { key: string | null; address: string },
): Promise<Caller> {
  const { clock, counts } = state;
  if (key === null) {
    counts.refused += 1;
    throw new MemError("unauthenticated");
  }
  if (!isWellFormedKey(key)) throw failed(state, address);
  const hash = hashKey(key);
  const known = state.cached.get(nameOf(hash));
  const found =
    known !== undefined && clock.monotonicMs() - known.readAt < cachedMs
      ? known
      : await lookUpAndCache(state, hash, address, known !== undefined);
  if (found === undefined || found.key.expires_at_epoch <= clock.now()) throw failed(state, address);
  counts.accepted += 1;
  touch(state, found.key);
  return found.caller;
}

function nameOf(hash: Buffer): string {
  return hash.toString("latin1");
}

async function lookUpAndCache(
  state: State,
  hash: Buffer,
  address: string,
  wasValid: boolean,
): Promise<CachedKey | undefined> {
  const { attempts, cached, clock } = state;
  if (!wasValid && attempts.waitSeconds(address) > 0 && !attempts.takeLookup(address))
    throw limited(state, 1);
  const before = state.rechecks;
  const key = await lookUp(state, hash);
  const name = nameOf(hash);
  cached.delete(name);
  if (key === undefined || key.revoked_at_epoch !== null || key.expires_at_epoch <= clock.now())
    return undefined;
  // A revocation during the lookup may have been missed.
  const readAt = before === state.rechecks ? clock.monotonicMs() : Number.NEGATIVE_INFINITY;
  const found = { key, caller: callerOf(key), readAt };
  cached.set(name, found);
  const [oldest] = cached.keys();
  if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest);
  return found;
}

// Concurrent requests with one key share a lookup.
function lookUp({ keys, lookups, counts }: State, hash: Buffer): Promise<KnownKey | undefined> {
  const name = nameOf(hash);
  const running = lookups.get(name);
  if (running !== undefined) return running;
  counts.lookups += 1;
  const answer = keys
    .find(hash)
    .catch((cause: unknown) => {
      counts.lookup_failures += 1;
      throw unavailable(cause);
    })
    .finally(() => {
      if (lookups.get(name) === answer) lookups.delete(name);
    });
  lookups.set(name, answer);
  return answer;
}

function failed(state: State, address: string): MemError {
  const waitSeconds = state.attempts.waitSeconds(address);
  if (waitSeconds > 0) return limited(state, waitSeconds);
  state.attempts.add(address);
  state.counts.refused += 1;
  return new MemError("unauthenticated");
}

function limited({ counts }: State, waitSeconds: number): MemError {
  counts.limited += 1;
  return new MemError("rate_limited", {
    message: "Too many wrong keys came from this address.",
    details: { retryAfterSeconds: waitSeconds },
  });
}

function touch({ keys, clock, writes }: State, key: KnownKey): void {
  const now = clock.now();
  if (key.last_used_at_epoch !== null && now - key.last_used_at_epoch < touchAfterMs) return;
  key.last_used_at_epoch = now;
  const done = failOpen("noting the use of a key", () => keys.touch(key)).finally(() => writes.delete(done));
  writes.add(done);
}

function callerOf({ id, team_id, project_id, scopes, expires_at_epoch }: KnownKey): Caller {
  return { team_id, project_id, key_id: id, scopes, expires_at_epoch };
}

// Fail closed: a database error neither accepts nor penalizes a key.
function unavailable(cause: unknown): MemError {
  if (cause instanceof MemError && cause.status === 503) return cause;
  return new MemError("storage_failed", { message: "The key cannot be checked now.", cause });
}
