// Keys over HTTP: mint a read-only child of the caller's key, list and revoke keys within its reach.
import { isoTime } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import type { ApiKey } from "../../core/records/api-key.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import type { KeyWish, MadeKey } from "../../tenancy/keys/new-key.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors, keyedWriteErrors, openOf } from "../schemas/error.ts";
import { keyParams, keysAnswer, keysQuery, mintedKey, newKey, revokedKey } from "../schemas/v1-keys.ts";
import { callerOf, keyEnded } from "./authentication.ts";
import { connectionFor } from "./connect.ts";

export interface KeyPorts {
  /** Undefined when the caller's key was revoked meanwhile. Throws `insufficient_scope` for a key that cannot read. */
  mint(caller: Caller, wish: KeyWish, requestId: string): Promise<MadeKey | undefined>;
  /** Those within the caller's reach. */
  list(caller: Caller, page: { limit: number; offset: number }): Promise<ApiKey[]>;
  /** Ids of the revoked keys; undefined when the id is out of the caller's reach. */
  revoke(caller: Caller, id: string, requestId: string): Promise<string[] | undefined>;
}

/**
 * `POST` and `GET /v1/keys`, `DELETE /v1/keys/:id`. A key reaches itself and the keys of its team, and of its project
 * if it has one, whose scopes it has (see `isWithin`). Any other key is answered like an unknown one.
 */
export function keyRoutes(app: App, { keys, publicUrl }: { keys: KeyPorts; publicUrl: string }): void {
  route(app, "POST /v1/keys", {
    config: { access: "memories:write" },
    summary:
      "Make a read-only key that reaches no further and lives no longer than the caller's; its text is shown once.",
    body: newKey,
    response: { 201: mintedKey, ...keyedWriteErrors },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (caller.key_id === null) throw noKeysHere();
      // Before the key exists: a request with a bad Host must not leave a key behind.
      const connect = connectionFor(request, publicUrl);
      const made = await keys.mint(caller, request.body, request.id);
      if (made === undefined) throw keyEnded(reply);
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({
          id: made.id,
          apiKey: made.apiKey,
          teamId: made.team_id,
          projectId: made.project_id,
          label: made.label,
          scopes: [...made.scopes],
          expiresAt: isoTime(made.expires_at_epoch),
          ...connect(made.apiKey),
        });
    },
  });
  route(app, "GET /v1/keys", {
    config: { access: "memories:read" },
    summary: "The keys within the caller's reach, newest first, without their text.",
    querystring: keysQuery,
    response: { 200: keysAnswer, ...keyedErrors },
    handler: async (request) => {
      const { limit, offset } = request.query;
      const found = await keys.list(callerOf(request), { limit: limit + 1, offset });
      return { keys: found.slice(0, limit).map(onWire), hasMore: found.length > limit };
    },
  });
  route(app, "DELETE /v1/keys/:id", {
    config: { access: "memories:write", openOverQuota: true },
    summary:
      "Revoke a key within the caller's reach and all its descendants, on every node. A node without database notifications follows within ten seconds.",
    params: keyParams,
    response: { 200: revokedKey, ...openOf(keyedWriteErrors) },
    handler: async (request) => {
      const { id } = request.params;
      const revokedIds = await keys.revoke(callerOf(request), id, request.id);
      if (revokedIds === undefined) throw noSuchKey();
      return { revoked: true as const, id, revokedIds };
    },
  });
}

// A key minted without authentication would stay valid once the server requires keys.
function noKeysHere(): MemError {
  return new MemError("insufficient_scope", {
    message: "This server runs without keys, so it cannot authorize making one.",
    hint: "Make it with `mem keys create` on the server's host.",
  });
}

function noSuchKey(): MemError {
  return new MemError("not_found", {
    message: "There is no such key.",
    hint: "GET /v1/keys lists the keys within reach.",
  });
}

function onWire(key: ApiKey) {
  return {
    id: key.id,
    prefix: key.prefix,
    lastFour: key.last_four,
    label: key.label,
    scopes: [...key.scopes],
    teamId: key.team_id,
    projectId: key.project_id,
    parentId: key.parent_id,
    createdAt: isoTime(key.created_at_epoch),
    expiresAt: isoTime(key.expires_at_epoch),
    revokedAt: key.revoked_at_epoch === null ? null : isoTime(key.revoked_at_epoch),
    lastUsedAt: key.last_used_at_epoch === null ? null : isoTime(key.last_used_at_epoch),
  };
}
