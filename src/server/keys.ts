// API keys in the store: lookup for authentication; mint, list and revoke with audit rows; revocations elsewhere.

import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { ApiKey } from "../core/records/api-key.ts";
import type { Caller } from "../core/records/tenancy.ts";
import type { KeyPorts } from "../http/v1/keys.ts";
import { cleanText } from "../privacy/clean.ts";
import {
  findKeyByHash,
  insertKey,
  listKeys,
  liveChildren,
  lockLiveKey,
  revocations,
  revokeKey,
  touchKey,
} from "../store/postgres/api-keys.ts";
import { insertAudit } from "../store/postgres/audit.ts";
import type { Listening } from "../store/postgres/listen.ts";
import type { Database, Queryable } from "../store/postgres/open.ts";
import { inTenant } from "../store/postgres/tenant.ts";
import type { KeyLookup } from "../tenancy/keys/authenticate.ts";
import { childOf } from "../tenancy/keys/new-key.ts";
import { storableText } from "../text/storable.ts";

/** Lookup of a key before its tenant is known. */
export function createKeyLookup({ system }: Pick<Database, "system">): KeyLookup {
  return {
    find: (hash) => findKeyByHash(system, hash),
    touch: (key) => touchKey(system, key),
  };
}

interface KeyPortOptions {
  database: Pick<Database, "app">;
  clock: Clock;
  /** Called after keys of the team were revoked. */
  onRevoked(team_id: string): void;
}

/** Mint, list and revoke in the caller's tenant; changes and their audit rows share a transaction. */
export function createKeys({ database: { app }, clock, onRevoked }: KeyPortOptions): KeyPorts {
  return {
    mint: (caller, wish, requestId) =>
      inTenant(app, caller, async (connection) => {
        const parent = await lockLiveKey(connection, { team_id: caller.team_id, id: keyOf(caller) });
        if (parent === undefined) return undefined;
        await demandRoom(connection, parent);
        const label = labelOf(wish.label);
        const made = childOf(parent, { ...wish, label }, clock.now());
        await insertKey(connection, made);
        await insertAudit(connection, {
          team_id: made.team_id,
          project_id: made.project_id,
          api_key_id: caller.key_id,
          action: "key.created",
          resource_type: "api_key",
          resource_id: made.id,
          details: { scopes: [...made.scopes], parentId: parent.id, expiresAtEpoch: made.expires_at_epoch },
          request_id: requestId,
        });
        return made;
      }),
    list: (caller, page) => inTenant(app, caller, (connection) => listKeys(connection, caller, page)),
    async revoke(caller, id, requestId) {
      const revokedIds = await inTenant(app, caller, async (connection) => {
        const ended = await revokeKey(connection, caller, id);
        if (ended === undefined || ended.length === 0) return ended;
        await insertAudit(connection, {
          team_id: caller.team_id,
          project_id: caller.project_id,
          api_key_id: caller.key_id,
          action: "key.revoked",
          resource_type: "api_key",
          resource_id: id,
          details: { revokedIds: ended },
          request_id: requestId,
        });
        return ended;
      });
      if (revokedIds !== undefined) onRevoked(caller.team_id);
      return revokedIds;
    },
  };
}

// A bound for scripts that mint a key at each run.
const maxLiveChildren = 1_000;

async function demandRoom(connection: Queryable, parent: ApiKey): Promise<void> {
  const { count, leastUsed } = await liveChildren(connection, parent);
  if (count < maxLiveChildren) return;
  throw new MemError("conflict", {
    message: `The key has made ${count} keys that still live, and no more may.`,
    hint: "DELETE /v1/keys/<id> ends one; `details` names those used longest ago, GET /v1/keys lists all.",
    details: { limit: maxLiveChildren, leastUsed },
  });
}

/** A label as it may be stored. */
export function labelOf(text: string): string {
  return cleanText(storableText(text)).trim();
}

function keyOf({ key_id }: Caller): string {
  if (key_id === null) throw new MemError("internal", { message: "A caller without a key mints." });
  return key_id;
}

interface Deps {
  database: Pick<Database, "listen">;
  log: Log;
  /** Expires the cached keys of a team, or of all. */
  recheck(team_id?: string): void;
}

/** Listens until closed. Without a connection, a key revoked elsewhere is refused within ten seconds. */
export function hearRevocations({ database, log, recheck }: Deps): Listening {
  let wasDeaf = false;
  return database.listen({
    channel: revocations,
    hear: (team_id) => recheck(team_id),
    onListening() {
      if (wasDeaf) log.info("listening for revocations again");
      wasDeaf = false;
      recheck();
    },
    onDeaf({ message }) {
      wasDeaf = true;
      log.warn(
        { reason: message },
        "not listening for revocations: a key revoked elsewhere works for up to ten seconds",
      );
    },
  });
}
