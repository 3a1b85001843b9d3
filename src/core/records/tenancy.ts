// Who asks on the hosted server, and how far he reaches.

/** What a key may do. */
export const scopes = ["memories:read", "memories:write"] as const;
export type Scope = (typeof scopes)[number];

/** The bounds of every statement: the team always, the project when the caller has only one. */
export interface Tenant {
  team_id: string;
  /** Null reaches every project of the team. */
  project_id: string | null;
}

/** One project of a team, where a record stands. */
export interface ProjectScope {
  team_id: string;
  project_id: string;
}

/** Who a request comes from, once its key is known. */
export interface Caller extends Tenant {
  /** Null where the server runs without keys, for one local team. */
  key_id: string | null;
  scopes: readonly Scope[];
  /** When its key ends; null without keys. */
  expires_at_epoch: number | null;
}

/** True for the text of an id: what is none names nothing, like an id that was never given. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
