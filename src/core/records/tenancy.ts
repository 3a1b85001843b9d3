// Callers of the hosted server, their reach and its projects.
import type { JsonObject } from "../../text/json.ts";

/** Permissions of a key. */
export const scopes = ["memories:read", "memories:write"] as const;
export type Scope = (typeof scopes)[number];

/** Bounds of every statement: the team, and the project of a caller limited to one. */
export interface Tenant {
  team_id: string;
  /** Null reaches every project of the team. */
  project_id: string | null;
}

/** One project of a team. */
export interface ProjectScope {
  team_id: string;
  project_id: string;
}

/** A project of the server, as stored. */
export interface HostedProject {
  id: string;
  team_id: string;
  name: string;
  metadata: JsonObject;
  created_at_epoch: number;
  updated_at_epoch: number;
}

/** The authenticated caller of a request. */
export interface Caller extends Tenant {
  /** Null on a server without keys, which has one local team. */
  key_id: string | null;
  scopes: readonly Scope[];
  /** When its key expires; null without keys. */
  expires_at_epoch: number | null;
}

/** True for a lower-case UUID. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
