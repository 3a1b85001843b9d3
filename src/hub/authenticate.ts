// Authenticates a hub token. Wrong tokens are counted by address, requests by account.
import type { Clock } from "../core/clock.ts";
import { failOpen, MemError } from "../core/errors.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { HubCaller } from "../core/records/hub.ts";
import { createMinuteTally } from "../tenancy/keys/minute-tally.ts";
import type { HubLogStore } from "./store.ts";
import { hashToken, isToken } from "./token.ts";

interface Options {
  store: Pick<HubLogStore, "findToken" | "touchToken">;
  clock: Clock;
  /** Wrong tokens per minute and address; 0 is no limit. */
  failuresPerMinute: number;
  /** Requests per minute and account; 0 is no limit. */
  requestsPerMinute: number;
}

export interface Presented {
  token: string | null;
  /** The account that X-User-Id names. */
  account_id: string | null;
  address: string;
}

/** Throws `unauthenticated`, `account_mismatch`, `rate_limited`, or an error of the store. */
export type AuthenticateToken = (presented: Presented) => Promise<HubCaller>;

const touchAfterMs = 60_000;
const maxKnown = 10_000;

/**
 * The account follows from the token alone; a request that names another account is refused. An address with too many wrong
 * tokens is refused without a lookup, except for tokens that were valid before and a few lookups a second.
 */
export function createTokenAuthentication(options: Options): AuthenticateToken {
  const { store, clock, failuresPerMinute, requestsPerMinute } = options;
  const failures = createMinuteTally({ clock, perMinute: failuresPerMinute });
  const requests = createMinuteTally({ clock, perMinute: requestsPerMinute });
  const wereValid = new RecentMap<string, true>(maxKnown);

  function failed(address: string): MemError {
    const waitSeconds = failures.waitSeconds(address);
    if (waitSeconds > 0) return tooMany("Too many wrong tokens came from this address.", waitSeconds);
    failures.add(address);
    return noToken();
  }

  async function find(token: string, address: string): Promise<HubCaller> {
    if (!isToken(token)) throw failed(address);
    const hash = hashToken(token);
    const name = hash.toString("latin1");
    if (!wereValid.has(name) && failures.waitSeconds(address) > 0 && !failures.takeLookup(address)) {
      throw tooMany("Too many wrong tokens came from this address.", 1);
    }
    const caller = await store.findToken(hash);
    if (caller === undefined) {
      wereValid.delete(name);
      throw failed(address);
    }
    wereValid.set(name, true);
    return caller;
  }

  return async ({ token, account_id, address }) => {
    if (token === null) throw noToken();
    const caller = await find(token, address);
    if (account_id === null) throw new MemError("invalid_request", { message: "X-User-Id is missing." });
    if (account_id !== caller.account_id) throw new MemError("account_mismatch");
    const waitSeconds = requests.waitSeconds(caller.account_id);
    if (waitSeconds > 0) throw tooMany("The account sent too many requests.", waitSeconds);
    requests.add(caller.account_id);
    const now = clock.now();
    if (caller.last_used_at_epoch === null || now - caller.last_used_at_epoch >= touchAfterMs) {
      await failOpen("noting the use of a token", () => store.touchToken(caller, now));
    }
    return caller;
  };
}

/** The refusal of a token that is missing, wrong or revoked. */
export function noToken(): MemError {
  return new MemError("unauthenticated", {
    message: "A valid hub token is required.",
    hint: "Send `Authorization: Bearer <token>`; create one on the hub's host with `mem hub account token`.",
  });
}

function tooMany(message: string, retryAfterSeconds: number): MemError {
  return new MemError("rate_limited", { message, details: { retryAfterSeconds } });
}
