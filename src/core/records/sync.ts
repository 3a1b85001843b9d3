// What sync exchanges with the store of a device: operations to push, pulled pages, failures, its own state.
import type { JsonObject } from "../../text/json.ts";
import type { SyncKind } from "./sync-op.ts";
import type { SyncedKind } from "./sync-payload.ts";

/** A version of a record, or its deletion, as this device pushes it. */
export interface OutgoingOp {
  kind: SyncKind;
  id: string;
  /** Decimal text. */
  revision: string;
  /** True for a tombstone of a record of this device. */
  deleted: boolean;
  /** State of the record; null in a tombstone. */
  payload: JsonObject | null;
  /** Where `stamp` finds the row. */
  row: SentRow;
}

export interface SentRow {
  table:
    | "observations"
    | "session_summaries"
    | "user_prompts"
    | "sessions"
    | "sync_deletions"
    | "sync_remaps";
  /** 0 for a deletion, which the id of its operation names. */
  id: number;
  revision: number;
}

/** An operation that was pulled, opened and checked. */
export interface IncomingOp {
  /** The device that wrote it. */
  device: string;
  kind: SyncKind;
  id: string;
  revision: string;
  deleted: boolean;
  payload: JsonObject | null;
}

/** A pulled page. */
export interface IncomingPage {
  epoch: string;
  /** Sequence of its last operation, or the head of the log for an empty one. */
  cursor: string;
  /** Digest of the operation at `cursor`, where it is known. */
  digest?: string | undefined;
  ops: readonly IncomingOp[];
  /** Operations that cannot be opened or read. */
  failed: readonly FailedOp[];
  now: number;
}

/** A failed operation, with the reason in words. */
export interface FailedOp {
  direction: "push" | "pull";
  /** Device that wrote it. */
  device: string;
  kind: string;
  id: string;
  revision: string;
  reason: string;
}

/** What is stored of the sync itself. */
export interface SyncState {
  /** Undefined until this data directory has an id. */
  device_id: string | undefined;
  /** Names the machine and the directory: a copy elsewhere has another one. */
  nonce: string | undefined;
  /** The log that the cursor counts in; undefined before the first contact. */
  epoch: string | undefined;
  /** Sequence up to which everything was applied. */
  cursor: string;
  /** Digest of the operation at the cursor; undefined where it is not known. */
  cursor_digest: string | undefined;
  paused: boolean;
  last_flush_at_epoch: number | null;
}

/** What waits for its push, by kind. */
export interface PendingCounts {
  observations: number;
  summaries: number;
  prompts: number;
  sessions: number;
  deletions: number;
  /** Renamed and merged projects. */
  remaps: number;
}

/** What a page changed, for the live viewer. */
export interface Applied {
  /** Records that are new or have another state. */
  changed: { kind: SyncedKind; id: number; isNew: boolean }[];
  deleted: { kind: SyncedKind; id: number; project: string }[];
  /** True when projects were renamed or merged: their records follow in steps. */
  isRemapped: boolean;
  /** Nothing was applied: the log has a record under a number of this device that this database gave to another record. */
  isCopy?: boolean;
}
