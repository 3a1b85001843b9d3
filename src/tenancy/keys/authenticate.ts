// From the text of a key to its caller: checksum, a short memory, the database; wrong keys are counted by address.
import type { Clock } from "../../core/clock.ts";
import { failOpen, MemError } from "../../core/errors.ts";
import type { ApiKey } from "../../core/records/api-key.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { createFailedAttempts } from "./failed-attempts.ts";
import { hashKey, isWellFormedKey } from "./key-format.ts";

/** What is known of a key by its hash. */
export type KnownKey = Pick<
  ApiKey,
  "id" | "team_id" | "project_id" | "scopes" | "expires_at_epoch" | "revoked_at_epoch" | "last_used_at_epoch"
>;

export interface KeyLookup {
  find(hash: Buffer): Promise<KnownKey | undefined>;
  /** Writes down that the key is in use. */
  touch(key: Pick<KnownKey, "id" | "team_id">): Promise<void>;
}

/** How often each thing has happened since the start. */
export interface AuthenticationCounts {
  accepted: number;
  /** Wrong or missing keys: answers of 401. */
  refused: number;
  /** Answers of 429. */
  limited: number;
  /** Times that the database was asked. */
  lookups: number;
  /** Times that it did not answer: answers of 503. */
  lookup_failures: number;
}

export interface Authentication {
  authenticate(presented: { key: string | null; address: string }): Promise<Caller>;
  /** After keys were revoked, here or elsewhere: what is remembered of the team's keys, or of all, is asked for anew. */
  recheck(team_id?: string): void;
  counts(): Readonly<AuthenticationCounts>;
  /** Resolves when what was begun on the side is done. */
  settled(): Promise<void>;
}

interface Options {
  keys: KeyLookup;
  clock: Clock;
  /** Wrong keys of one address in a minute; 0 is no limit. */
  failuresPerMinute: number;
  maxRemembered?: number;
}

interface Remembered {
  key: KnownKey;
  caller: Caller;
  readAt: number;
}

/**
 * A key that is revoked elsewhere opens nothing after this time, also where nobody heard of it; one that the database
 * cannot confirm neither.
 */
const rememberedMs = 10_000;
const touchAfterMs = 60_000;

/**
 * Throws `unauthenticated`, the same for a key that is missing, malformed, unknown, expired or revoked; `rate_limited`
 * for an address that goes on presenting wrong ones; `storage_failed` when the database does not answer.
 *
 * An address over its limit is refused without a question to the database, except for a key that was right before, which
 * always gets through, and a few look-ups in a second, so that a right key behind the same address is found.
 */
export function createAuthentication(options: Options): Authentication {
  const { keys, clock, failuresPerMinute, maxRemembered = 10_000 } = options;
  const remembered = new Map<string, Remembered>();
  const asked = new Map<string, Promise<KnownKey | undefined>>();
  const aside = new Set<Promise<unknown>>();
  let rechecks = 0;
  const attempts = createFailedAttempts({ clock, perMinute: failuresPerMinute });
  const counts: AuthenticationCounts = {
    accepted: 0,
    refused: 0,
    limited: 0,
    lookups: 0,
    lookup_failures: 0,
  };

  async function authenticate({ key, address }: { key: string | null; address: string }): Promise<Caller> {
    if (key === null) {
      counts.refused += 1;
      throw new MemError("unauthenticated");
    }
    if (!isWellFormedKey(key)) throw failed(address);
    const hash = hashKey(key);
    const name = hash.toString("latin1");
    const known = remembered.get(name);
    const found =
      known !== undefined && clock.monotonicMs() - known.readAt < rememberedMs
        ? known
        : await readAgain(name, hash, address, known !== undefined);
    if (found === undefined || found.key.expires_at_epoch <= clock.now()) throw failed(address);
    counts.accepted += 1;
    touch(found.key);
    return found.caller;
  }

  async function readAgain(
    name: string,
    hash: Buffer,
    address: string,
    wasRight: boolean,
  ): Promise<Remembered | undefined> {
    if (!wasRight && attempts.waitSeconds(address) > 0 && !attempts.takeLookup(address)) throw limited(1);
    const before = rechecks;
    const key = await lookUp(name, hash);
    remembered.delete(name);
    if (key === undefined || key.revoked_at_epoch !== null || key.expires_at_epoch <= clock.now())
      return undefined;
    // What was read while a key ended may be of the time before.
    const readAt = before === rechecks ? clock.monotonicMs() : Number.NEGATIVE_INFINITY;
    const found = { key, caller: callerOf(key), readAt };
    remembered.set(name, found);
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
    return found;
  }

  // A client that opens with fifty requests at once is one question.
  function lookUp(name: string, hash: Buffer): Promise<KnownKey | undefined> {
    const running = asked.get(name);
    if (running !== undefined) return running;
    counts.lookups += 1;
    const answer = keys
      .find(hash)
      .catch((cause: unknown) => {
        counts.lookup_failures += 1;
        throw unavailable(cause);
      })
      .finally(() => {
        if (asked.get(name) === answer) asked.delete(name);
      });
    asked.set(name, answer);
    return answer;
  }

  function failed(address: string): MemError {
    const waitSeconds = attempts.waitSeconds(address);
    if (waitSeconds > 0) return limited(waitSeconds);
    attempts.add(address);
    counts.refused += 1;
    return new MemError("unauthenticated");
  }

  function limited(waitSeconds: number): MemError {
    counts.limited += 1;
    return new MemError("rate_limited", {
      message: "Too many wrong keys came from this address.",
      details: { retryAfterSeconds: waitSeconds },
    });
  }

  function touch(key: KnownKey): void {
    const now = clock.now();
    if (key.last_used_at_epoch !== null && now - key.last_used_at_epoch < touchAfterMs) return;
    key.last_used_at_epoch = now;
    const done = failOpen("noting that a key is in use", () => keys.touch(key)).finally(() =>
      aside.delete(done),
    );
    aside.add(done);
  }

  return {
    authenticate,
    recheck(team_id) {
      rechecks += 1;
      asked.clear();
      for (const each of remembered.values()) {
        if (team_id === undefined || each.key.team_id === team_id) each.readAt = Number.NEGATIVE_INFINITY;
      }
    },
    counts: () => counts,
    async settled() {
      await Promise.all(aside);
    },
  };
}

function callerOf({ id, team_id, project_id, scopes, expires_at_epoch }: KnownKey): Caller {
  return { team_id, project_id, key_id: id, scopes, expires_at_epoch };
}

// Whatever the database says, it never means that a key is right, and it is no fault of the key.
function unavailable(cause: unknown): MemError {
  if (cause instanceof MemError && cause.status === 503) return cause;
  return new MemError("storage_failed", { message: "The key cannot be checked now.", cause });
}
