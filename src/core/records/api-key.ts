// An API key without its secret.
import type { Scope, Tenant } from "./tenancy.ts";

export interface ApiKey extends Tenant {
  id: string;
  /** The key that created it; null for one created on the server's host. */
  parent_id: string | null;
  prefix: string;
  last_four: string;
  label: string;
  scopes: readonly Scope[];
  created_at_epoch: number;
  expires_at_epoch: number;
  revoked_at_epoch: number | null;
  last_used_at_epoch: number | null;
}

/** A team, all or one of its projects, and the permissions there. */
export type Reach = Tenant & Pick<ApiKey, "scopes">;

/** A key to store, with the hash of its secret. */
export interface NewKey
  extends Reach,
    Pick<ApiKey, "id" | "parent_id" | "prefix" | "last_four" | "label" | "expires_at_epoch"> {
  key_hash: Buffer;
}

/** True when `outer` covers `inner`. Over HTTP, a key creates, lists and revokes only keys within its own reach. */
export function isWithin(inner: Reach, outer: Reach): boolean {
  return (
    inner.team_id === outer.team_id &&
    (outer.project_id === null || inner.project_id === outer.project_id) &&
    inner.scopes.every((scope) => outer.scopes.includes(scope))
  );
}
