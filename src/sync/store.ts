// The port of sync: what it reads from and writes to the worker's store.
import type {
  Applied,
  FailedOp,
  IncomingPage,
  OutgoingOp,
  PendingCounts,
  SyncState,
} from "../core/records/sync.ts";

export interface SyncStore {
  state(): SyncState;
  /**
   * Operations to push, the oldest of each kind first, of projects that are synced; not more than `limit`. Notes that they
   * are sent: a record that is deleted from now on is deleted on the hub too.
   */
  outgoing(limit: number): Promise<OutgoingOp[]>;
  /** Marks rows as pushed; one that was changed meanwhile, or is gone, stays unpushed. */
  stamp(sent: readonly OutgoingOp[], now: number): Promise<void>;
  /**
   * Gives what waits another revision, unless it was changed meanwhile: the hub has this one with other bytes, as after a new
   * account key, or after the database came back from a backup.
   */
  revise(sent: readonly OutgoingOp[]): Promise<void>;
  /** Keeps an operation from being pushed until its record changes, or `retryFailed`. */
  fail(op: OutgoingOp, reason: string, now: number): Promise<void>;
  failed(): FailedOp[];
  /** Returns the cursor to 0 where another reader than `name` set pulled operations aside, and drops these. */
  noteReader(name: string): Promise<void>;
  /** Retries failed operations. */
  retryFailed(): Promise<void>;
  /** Writes records and cursor in one transaction. Applies nothing when the epoch is not the stored one, and for a copy. */
  apply(page: IncomingPage): Promise<Applied>;
  /** The hub lost a part of its log: the cursor returns to 0, and own records are pushed again as newer revisions. */
  restartLog(): Promise<void>;
  /** Takes the hub's log. Another one than before: the cursor returns to 0 and own records are pushed again. */
  adoptEpoch(epoch: string): Promise<void>;
  /** Gives the data directory an id; what it pushed under an earlier one stays that device's. */
  adoptDevice(device_id: string, nonce: string): Promise<void>;
  setPaused(paused: boolean): Promise<void>;
  pending(): PendingCounts;
}
