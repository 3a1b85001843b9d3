// Logs of the hub's accounts: push, read, compact.
import {
  type AddedOp,
  decidePush,
  type HubCaller,
  type HubChange,
  type HubDevice,
  type HubPage,
  type HubStatus,
  type KnownOp,
  linkPage,
  type PageWish,
  type Push,
  type PushState,
  type PushVerdict,
} from "../../../core/records/hub.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";

interface LogRow {
  account: number;
  log: number;
  epoch: string;
  head_seq: string;
}

type Identity = [account: number, log: number, device: string, kind: string, id: string];

/** Operations of the routes and of the upkeep. */
export function createHubLog(db: Sqlite, commit: GroupCommit["commit"]) {
  const read = createReads(db);
  const write = createWrites(db);

  function push(wish: Push): PushVerdict | undefined {
    const log = read.log(wish.account_id);
    if (log === undefined) return undefined;
    const verdict = decidePush(stateOf(read, log, wish), wish);
    if (verdict.is === "accepted") store(write, log, wish, verdict);
    return verdict;
  }

  const changes = db.transaction((account_id: string, wish: PageWish) => {
    const log = read.log(account_id);
    return log && pageOf(read, log, wish);
  });

  const devices = db.transaction((account_id: string) => {
    const log = read.log(account_id);
    return log && { epoch: log.epoch, devices: read.devices(log.log, log.account) };
  });

  const compact = ({ before_epoch, limit }: { before_epoch: number; limit: number }): number => {
    const due = read.toCompact(before_epoch, limit);
    for (const { account, log, device, kind, id, revision, seq } of due) {
      write.removeBody(account, log, seq);
      write.markCompacted(account, log, device, kind, id, revision);
      write.countCompacted(seq, account, log);
    }
    return due.length;
  };

  return {
    findToken: async (hash: Buffer) => read.token(hash),
    touchToken: ({ token_id }: HubCaller, now: number) => commit(() => write.touchToken(now, token_id)),
    push: (wish: Push) => commit(() => push(wish)),
    changes: async (account_id: string, wish: PageWish) => changes(account_id, wish),
    async status(account_id: string) {
      return read.status(account_id);
    },
    devices: async (account_id: string) => devices(account_id),
    async follow(account_id: string) {
      const log = read.log(account_id);
      if (log === undefined) return undefined;
      return { epoch: log.epoch, head_seq: log.head_seq, token_ids: read.liveTokens(log.account) };
    },
    compact: (step: { before_epoch: number; limit: number }) => commit(() => compact(step)),
    sweep: (limit: number) => commit(() => sweep(read, write, limit)),
  };
}

type Reads = ReturnType<typeof createReads>;
type Writes = ReturnType<typeof createWrites>;

function createReads(db: Sqlite) {
  const sql = createSql(db);
  const known = `select kind, id, revision, cast(seq as text) as seq, deleted, sha256, replaced_at_epoch is null as is_current
    from ops
    where account = ? and log = ? and device = ? and kind = ? and id = ?`;
  return {
    token: sql.get<[Buffer], HubCaller>(`
      select a.id as account_id, t.id as token_id, t.last_used_at_epoch
      from tokens t
      join accounts a on a.key = t.account
      where t.token_hash = ? and t.revoked_at_epoch is null and a.deleted_at_epoch is null`),
    liveTokens: sql.values<[number], string>(
      "select id from tokens where account = ? and revoked_at_epoch is null",
    ),
    log: sql.get<[string], LogRow>(`
      select key as account, log, epoch, cast(head_seq as text) as head_seq
      from accounts
      where id = ? and deleted_at_epoch is null`),
    nonce: sql.value<[number, string], string>("select nonce from devices where account = ? and id = ?"),
    devices: sql.all<[log: number, account: number], HubDevice>(`
      select id, name, first_push_at_epoch, last_push_at_epoch,
        (select cast(coalesce(max(seq), 0) as text) from ops where account = d.account and log = ? and device = d.id) as last_seq
      from devices d
      where account = ?
      order by first_push_at_epoch, id`),
    deviceCount: sql.value<[number], number>("select count(*) from devices where account = ?"),
    known: sql.all<[...Identity, string], KnownOpRow>(
      `${known} and (revision = ? or replaced_at_epoch is null)`,
    ),
    status: sql.get<[string], HubStatus>(`
      select epoch, cast(head_seq as text) as head_seq, op_count,
        (select count(*) from devices where account = key) as device_count,
        cast(nullif(compacted_through, 0) as text) as compacted_through
      from accounts
      where id = ? and deleted_at_epoch is null`),
    before: sql.value<[number, number, bigint], string | null>(
      "select cast(max(seq) as text) from bodies where account = ? and log = ? and seq <= ?",
    ),
    bodies: db.prepare<[number, number, bigint, number], BodyRow>(`
      select cast(seq as text) as seq, body, sha256, received_at_epoch, bytes
      from bodies
      where account = ? and log = ? and seq > ?
      order by bodies.seq
      limit ?`),
    toCompact: sql.all<[number, number], DueRow>(`
      select account, log, device, kind, id, revision, cast(seq as text) as seq
      from ops
      where replaced_at_epoch < ? and compacted = 0
      order by replaced_at_epoch
      limit ?`),
    ended: sql.get<[], { account: number; log: number; is_deleted: 0 | 1 }>(`
      select key as account, log, deleted_at_epoch is not null as is_deleted
      from accounts
      where deleted_at_epoch is not null
        or exists (select 1 from ops o where o.account = key and o.log < accounts.log)
        or exists (select 1 from bodies b where b.account = key and b.log < accounts.log)
      limit 1`),
  };
}

interface KnownOpRow extends Omit<KnownOp, "deleted" | "is_current"> {
  deleted: 0 | 1;
  is_current: 0 | 1;
}

interface BodyRow extends Omit<HubChange, "after"> {
  bytes: number;
}

interface DueRow {
  account: number;
  log: number;
  device: string;
  kind: string;
  id: string;
  revision: string;
  seq: string;
}

function createWrites(db: Sqlite) {
  const sql = createSql(db);
  return {
    touchToken: sql.run<[number, string]>("update tokens set last_used_at_epoch = ? where id = ?"),
    device: sql.run<[number, string, string, string, number, number]>(`
      insert into devices (account, id, name, nonce, first_push_at_epoch, last_push_at_epoch)
      values (?, ?, ?, ?, ?, ?)
      on conflict do update set name = excluded.name, last_push_at_epoch = excluded.last_push_at_epoch`),
    replace: sql.run<[number, ...Identity, string]>(`
      update ops
      set replaced_at_epoch = ?
      where account = ? and log = ? and device = ? and kind = ? and id = ? and revision = ?`),
    op: sql.run<[...Identity, string, bigint, 0 | 1, Buffer, number | null]>(`
      insert into ops (account, log, device, kind, id, revision, seq, deleted, sha256, replaced_at_epoch)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    body: sql.run<[number, number, bigint, string, number, Buffer, number]>(`
      insert into bodies (account, log, seq, body, bytes, sha256, received_at_epoch)
      values (?, ?, ?, ?, ?, ?, ?)`),
    head: sql.run<[bigint, number, number]>(
      "update accounts set head_seq = ?, op_count = op_count + ? where key = ?",
    ),
    removeBody: sql.run<[number, number, string]>(
      "delete from bodies where account = ? and log = ? and seq = cast(? as integer)",
    ),
    markCompacted: sql.run<[...Identity, string]>(`
      update ops
      set compacted = 1
      where account = ? and log = ? and device = ? and kind = ? and id = ? and revision = ?`),
    countCompacted: sql.run<[string, number, number]>(`
      update accounts
      set op_count = op_count - 1, compacted_through = max(compacted_through, cast(? as integer))
      where key = ? and log = ?`),
    sweepBodies: sql.changes<[number, number, number]>(`
      delete from bodies
      where rowid in (select rowid from bodies where account = ? and log < ? limit ?)`),
    sweepOps: sql.changes<[number, number, number]>(`
      delete from ops
      where (account, log, device, kind, id, revision) in (
        select account, log, device, kind, id, revision from ops where account = ? and log < ? limit ?)`),
    removeTokens: sql.changes<[number]>("delete from tokens where account = ?"),
    removeDevices: sql.changes<[number]>("delete from devices where account = ?"),
    removeAccount: sql.changes<[number]>("delete from accounts where key = ?"),
  };
}

function stateOf(read: Reads, { account, log, epoch, head_seq }: LogRow, { device, ops }: Push): PushState {
  const known = ops.flatMap(({ kind, id, revision }) =>
    read.known(account, log, device.id, kind, id, revision),
  );
  return {
    epoch,
    head_seq: BigInt(head_seq),
    device_count: read.deviceCount(account) ?? 0,
    nonce: read.nonce(account, device.id),
    known: known.map((op) => ({ ...op, deleted: op.deleted === 1, is_current: op.is_current === 1 })),
  };
}

function store(
  write: Writes,
  { account, log }: LogRow,
  { device, now }: Push,
  { added, replaced, head_seq }: Extract<PushVerdict, { is: "accepted" }>,
): void {
  write.device(account, device.id, device.name, device.nonce, now, now);
  for (const { kind, id, revision } of replaced) {
    write.replace(now, account, log, device.id, kind, id, revision);
  }
  for (const op of added) {
    const { kind, id, revision, seq, sha256, body, bytes }: AddedOp = op;
    const replacedAt = op.is_current ? null : now;
    write.op(account, log, device.id, kind, id, revision, seq, op.deleted ? 1 : 0, sha256, replacedAt);
    write.body(account, log, seq, body, bytes, sha256, now);
  }
  if (added.length > 0) write.head(head_seq, added.length, account);
}

function pageOf(
  read: Reads,
  { account, log, epoch, head_seq }: LogRow,
  { since, limit, maxBytes }: PageWish,
): HubPage {
  const rows: Omit<HubChange, "after">[] = [];
  let bytesLeft = maxBytes;
  let more = false;
  for (const { bytes, ...row } of read.bodies.iterate(account, log, since, limit + 1)) {
    more = rows.length === limit || (rows.length > 0 && bytes > bytesLeft);
    if (more) break;
    bytesLeft -= bytes;
    rows.push(row);
  }
  return { epoch, head_seq, more, ops: linkPage(rows, read.before(account, log, since) ?? null) };
}

function sweep(read: Reads, write: Writes, limit: number): number {
  const ended = read.ended();
  if (ended === undefined) return 0;
  const { account, is_deleted } = ended;
  // A deleted account has no present log.
  const log = ended.log + is_deleted;
  const rows = write.sweepBodies(account, log, limit) + write.sweepOps(account, log, limit);
  if (rows > 0 || is_deleted === 0) return rows;
  return write.removeTokens(account) + write.removeDevices(account) + write.removeAccount(account);
}
