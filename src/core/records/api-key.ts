// An API key as it is known without its text: whose it is, how far it reaches, how long it lives.
import type { Scope, Tenant } from "./tenancy.ts";

export interface ApiKey extends Tenant {
  id: string;
  /** The key that minted it; null for one made on the server's host. */
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

/** How far somebody reaches: a team, all or one of its projects, and what may be done there. */
export type Reach = Tenant & Pick<ApiKey, "scopes">;

/**
 * True when everything that `inner` reaches, `outer` reaches too. It is the rule for minting, listing and revoking over
 * HTTP: a key sees and ends the keys within its own reach, never one above it or beside it.
 */
export function isWithin(inner: Reach, outer: Reach): boolean {
  return (
    inner.team_id === outer.team_id &&
    (outer.project_id === null || inner.project_id === outer.project_id) &&
    inner.scopes.every((scope) => outer.scopes.includes(scope))
  );
}
