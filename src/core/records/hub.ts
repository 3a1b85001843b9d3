// Records of a sync hub: accounts, tokens, devices, and the log of an account.
import { isNewerRevision, type SyncKind, type SyncOpHead, syncLimits } from "./sync-op.ts";

/** An account: one log that its devices share. */
export interface HubAccount {
  id: string;
  name: string;
  created_at_epoch: number;
  /** Names the present log; a reset starts a new one. */
  epoch: string;
  /** The newest sequence of the log, `0` while it is empty. */
  head_seq: string;
  /** Operations that `changes` returns. */
  op_count: number;
  device_count: number;
}

/** An account to create; `epoch` names its first log. */
export interface NewAccount {
  id: string;
  name: string;
  epoch: string;
  now: number;
}

/** A token to store, by its hash. */
export interface NewToken {
  id: string;
  account_id: string;
  token_hash: Buffer;
  prefix: string;
  last_four: string;
  now: number;
}

/** A token without its secret. */
export interface HubToken {
  id: string;
  account_id: string;
  /** Its first and last characters, by which an owner recognizes it. */
  prefix: string;
  last_four: string;
  created_at_epoch: number;
  last_used_at_epoch: number | null;
  revoked_at_epoch: number | null;
}

/** A device that has pushed. */
export interface HubDevice {
  id: string;
  name: string;
  first_push_at_epoch: number;
  last_push_at_epoch: number;
  /** Its newest operation in the present log, `0` before the first. */
  last_seq: string;
}

/** Devices of an account in the order of their first push, with the log of their sequences. */
export interface HubDevices {
  epoch: string;
  devices: HubDevice[];
}

/** The token of a request, valid, and its account. */
export interface HubCaller {
  account_id: string;
  token_id: string;
  /** When it was noted as used. */
  last_used_at_epoch: number | null;
}

/** A device as it presents itself. */
export interface PushingDevice {
  id: string;
  name: string;
  /** Made once for a data directory: a copied directory keeps the id, and its nonce tells the two apart. */
  nonce: string;
}

/** An operation as received, checked. */
export interface ReceivedOp extends Omit<SyncOpHead, "device"> {
  body: string;
  /** UTF-8 bytes of the body. */
  bytes: number;
  sha256: Buffer;
}

/** A push of one device, in the order of its request. */
export interface Push {
  account_id: string;
  device: PushingDevice;
  /** The log that the device knows; left out by one that knows none. */
  epoch: string | undefined;
  ops: readonly ReceivedOp[];
  now: number;
}

/** What a store reads, in the transaction of the push and with the account locked, before it decides. */
export interface PushState {
  epoch: string;
  head_seq: bigint;
  device_count: number;
  /** Nonce of the device; undefined when it never pushed. */
  nonce: string | undefined;
  /** Of each pushed identity: the stored operation of that revision, and the current one. */
  known: readonly KnownOp[];
}

export interface KnownOp {
  kind: SyncKind;
  id: string;
  revision: string;
  seq: string;
  deleted: boolean;
  sha256: Buffer;
  /** True when no newer revision replaced it. */
  is_current: boolean;
}

/** An operation to store. */
export interface AddedOp extends ReceivedOp {
  seq: bigint;
  /** False when a newer revision is already stored, or follows in the same push. */
  is_current: boolean;
}

export interface PushResult {
  seq: string;
  /** True for a replay: the sequence is the one of the first arrival. */
  duplicate: boolean;
}

/** The decision about a push: what to store, or why nothing is stored. `index` counts the operations of the push. */
export type PushVerdict =
  | {
      is: "accepted";
      epoch: string;
      head_seq: bigint;
      results: PushResult[];
      added: AddedOp[];
      /** Stored operations that are no longer current. */
      replaced: Pick<KnownOp, "kind" | "id" | "revision">[];
    }
  | { is: "epoch_changed"; epoch: string }
  | { is: "device_conflict" }
  | { is: "device_limit_exceeded" }
  | { is: "revision_conflict"; index: number }
  | { is: "deleted"; index: number };

/** Decides about a push: all of it is stored, or nothing. Both stores call it, so that both decide alike. */
export function decidePush(state: PushState, { device, epoch, ops }: Push): PushVerdict {
  if (epoch !== undefined && epoch !== state.epoch) return { is: "epoch_changed", epoch: state.epoch };
  if (state.nonce !== undefined && state.nonce !== device.nonce) return { is: "device_conflict" };
  if (state.nonce === undefined && state.device_count >= syncLimits.devices) {
    return { is: "device_limit_exceeded" };
  }
  return decideOps(state, ops);
}

/** The operations of one kind and id, stored and pushed. */
interface Entity {
  byRevision: Map<string, { seq: string; sha256: Buffer }>;
  current: { revision: string; deleted: boolean; added?: AddedOp } | undefined;
}

function decideOps(state: PushState, ops: readonly ReceivedOp[]): PushVerdict {
  const entities = entitiesOf(state.known);
  const results: PushResult[] = [];
  const added: AddedOp[] = [];
  const replaced: Pick<KnownOp, "kind" | "id" | "revision">[] = [];
  for (const [index, op] of ops.entries()) {
    const entity = entityOf(entities, op);
    const first = entity.byRevision.get(op.revision);
    if (first !== undefined) {
      if (!first.sha256.equals(op.sha256)) return { is: "revision_conflict", index };
      results.push({ seq: first.seq, duplicate: true });
      continue;
    }
    const { current } = entity;
    if (current?.deleted === true) return { is: "deleted", index };
    // A tombstone ends the record whatever its revision is.
    const is_current = current === undefined || op.deleted || isNewerRevision(op.revision, current.revision);
    const made = { ...op, seq: state.head_seq + BigInt(added.length + 1), is_current };
    if (is_current) {
      if (current?.added !== undefined) current.added.is_current = false;
      else if (current !== undefined) replaced.push({ kind: op.kind, id: op.id, revision: current.revision });
      entity.current = { revision: op.revision, deleted: op.deleted, added: made };
    }
    entity.byRevision.set(op.revision, { seq: String(made.seq), sha256: op.sha256 });
    added.push(made);
    results.push({ seq: String(made.seq), duplicate: false });
  }
  const head_seq = state.head_seq + BigInt(added.length);
  return { is: "accepted", epoch: state.epoch, head_seq, results, added, replaced };
}

function entitiesOf(known: readonly KnownOp[]): Map<string, Entity> {
  const entities = new Map<string, Entity>();
  for (const op of known) {
    const entity = entityOf(entities, op);
    entity.byRevision.set(op.revision, { seq: op.seq, sha256: op.sha256 });
    if (op.is_current) entity.current = { revision: op.revision, deleted: op.deleted };
  }
  return entities;
}

function entityOf(entities: Map<string, Entity>, { kind, id }: Pick<KnownOp, "kind" | "id">): Entity {
  const name = `${kind} ${id}`;
  const found = entities.get(name) ?? { byRevision: new Map(), current: undefined };
  entities.set(name, found);
  return found;
}

/** Operations after `since` to read. */
export interface PageWish {
  since: bigint;
  limit: number;
  maxBytes: number;
}

/** What a live connection follows. */
export interface Followed {
  epoch: string;
  head_seq: string;
  /** Tokens that are not revoked. */
  token_ids: string[];
}

/** A page of the log. */
export interface HubPage {
  epoch: string;
  head_seq: string;
  /** True when more operations follow the page. */
  more: boolean;
  ops: HubChange[];
}

export interface HubChange {
  seq: string;
  /** Sequence of the operation before it in the log, `0` for the first: a reader notices a hole, but not a compaction. */
  after: string;
  body: string;
  sha256: Buffer;
  received_at_epoch: number;
}

export interface HubStatus {
  epoch: string;
  head_seq: string;
  op_count: number;
  device_count: number;
  /** The highest sequence that compaction has removed; null before the first. */
  compacted_through: string | null;
}

/** Links the rows of a page: each names the row before it, the first one the last row up to the reader's cursor. */
export function linkPage<T extends { seq: string }>(
  rows: readonly T[],
  before: string | null,
): (T & { after: string })[] {
  return rows.map((row, at) => ({ ...row, after: rows[at - 1]?.seq ?? before ?? "0" }));
}
