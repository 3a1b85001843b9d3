// Rows of the audit log: who did what to which resource.
import type { JsonObject } from "../../text/json.ts";

export interface AuditRow {
  team_id: string;
  project_id: string | null;
  /** Null for a command on the server's host. */
  api_key_id: string | null;
  /** Resource and verb: `key.created`, `project.memory_purged`. */
  action: string;
  resource_type: string;
  resource_id: string | null;
  /** Counts and ids; never content, never a key. */
  details: JsonObject;
  request_id: string | null;
}

export interface AuditEntry extends Omit<AuditRow, "team_id"> {
  id: string;
  seq: number;
  created_at_epoch: number;
}

export interface AuditPage {
  action: string | null;
  project_id: string | null;
  /** Epoch milliseconds. */
  since: number | null;
  /** Entries older than this one. */
  before_seq: number | null;
  limit: number;
}
