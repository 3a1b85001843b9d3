// Logs of the hub's accounts: push, read, compact. An account is the tenant of its statements.
import {
  type AddedOp,
  decidePush,
  type HubCaller,
  type HubChange,
  type HubPage,
  type HubStatus,
  type KnownOp,
  linkPage,
  type Push,
  type PushState,
  type PushVerdict,
} from "../../core/records/hub.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Connections, Database, Queryable } from "./open.ts";
import { inTenant, inTransaction } from "./tenant.ts";

/** Channel that notifies every server process of accounts whose log or tokens changed. */
export const hubChanges = "mem_hub_changed";

/** Operations of the routes and of the upkeep. */
export function createHubLog({ app, system }: Pick<Database, "app" | "system">) {
  const inAccount = <T>(account_id: string, work: (connection: Queryable) => Promise<T>) =>
    inTenant(app, { team_id: account_id, project_id: null }, work);
  return {
    findToken: (hash: Buffer) => findToken(system, hash),
    touchToken: ({ account_id, token_id }: HubCaller, now: number) =>
      inAccount(account_id, (connection) => touchToken(connection, { account_id, token_id, now })),
    push: (push: Push) => inAccount(push.account_id, (connection) => pushIn(connection, push)),
    changes: (account_id: string, wish: PageWish) =>
      inAccount(account_id, (connection) => readPage(connection, account_id, wish)),
    status: (account_id: string) => inAccount(account_id, (connection) => readStatus(connection, account_id)),
    follow: (account_id: string) => inAccount(account_id, (connection) => follow(connection, account_id)),
    compact: (step: CompactStep) => compact(system, step),
    sweep: (limit: number) => sweep(system, limit),
  };
}

interface PageWish {
  since: bigint;
  limit: number;
  maxBytes: number;
}

interface CompactStep {
  before_epoch: number;
  limit: number;
}

/** The account of a token that is not revoked, before its tenant is known. As `mem_system`. */
async function findToken(system: Queryable, hash: Buffer): Promise<HubCaller | undefined> {
  const { rows } = await system.query<HubCaller>({
    name: "hub-token",
    text: `select t.team_id as account_id, t.id as token_id, ${epochMs("t.last_used_at")} as last_used_at_epoch
      from hub_tokens t
      join hub_accounts a on a.team_id = t.team_id
      where t.token_hash = $1 and t.revoked_at is null and a.deleted_at is null`,
    values: [hash],
  });
  return rows[0];
}

async function touchToken(
  connection: Queryable,
  { account_id, token_id, now }: { account_id: string; token_id: string; now: number },
): Promise<void> {
  await connection.query({
    text: "update hub_tokens set last_used_at = to_timestamp($3::float8 / 1000) where team_id = $1 and id = $2",
    values: [account_id, token_id, now],
  });
}

interface LogRow {
  log: number;
  epoch: string;
  head_seq: string;
}

async function pushIn(connection: Queryable, push: Push): Promise<PushVerdict | undefined> {
  const { account_id } = push;
  // Pushes of an account take turns, so sequences are stored in their order and readers never see a hole.
  const { rows } = await connection.query<LogRow>({
    name: "hub-lock-log",
    text: `select log, epoch, head_seq::text as head_seq
      from hub_accounts
      where team_id = $1 and deleted_at is null
      for update`,
    values: [account_id],
  });
  const [log] = rows;
  if (log === undefined) return undefined;
  const verdict = decidePush(await readState(connection, log, push), push);
  if (verdict.is === "accepted") await store(connection, log, push, verdict);
  return verdict;
}

// A separate statement after the lock: it sees what the push before it committed.
async function readState(
  connection: Queryable,
  { log, epoch, head_seq }: LogRow,
  { account_id, device, ops }: Push,
): Promise<PushState> {
  const { rows: devices } = await connection.query<{ device_count: number; nonce: string | null }>({
    name: "hub-device",
    text: `select count(*)::int as device_count, max(nonce) filter (where id = $2) as nonce
      from hub_devices
      where team_id = $1`,
    values: [account_id, device.id],
  });
  const { rows: known } = await connection.query<KnownOp>({
    name: "hub-known-ops",
    text: `select o.kind, o.id, o.revision, o.seq::text as seq, o.deleted, o.sha256, o.replaced_at is null as is_current
      from unnest($4::text[], $5::text[], $6::text[]) as asked (kind, id, revision)
      join hub_ops o on o.kind = asked.kind and o.id = asked.id
        and (o.revision = asked.revision or o.replaced_at is null)
      where o.team_id = $1 and o.log = $2 and o.device = $3`,
    values: [account_id, log, device.id, ...identitiesOf(ops)],
  });
  const { device_count = 0, nonce = null } = devices[0] ?? {};
  return { epoch, head_seq: BigInt(head_seq), device_count, nonce: nonce ?? undefined, known };
}

function identitiesOf(ops: readonly Pick<KnownOp, "kind" | "id" | "revision">[]): string[][] {
  return [ops.map(({ kind }) => kind), ops.map(({ id }) => id), ops.map(({ revision }) => revision)];
}

type Accepted = Extract<PushVerdict, { is: "accepted" }>;

async function store(
  connection: Queryable,
  { log }: LogRow,
  { account_id, device, now }: Push,
  { added, replaced, head_seq }: Accepted,
): Promise<void> {
  await connection.query({
    name: "hub-note-device",
    text: `insert into hub_devices as d (team_id, id, name, nonce, first_push_at, last_push_at)
      values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($5::float8 / 1000))
      on conflict (team_id, id) do update
      set name = excluded.name, last_push_at = excluded.last_push_at
      where d.name <> excluded.name or d.last_push_at < excluded.last_push_at - interval '1 minute'`,
    values: [account_id, device.id, device.name, device.nonce, now],
  });
  if (replaced.length > 0) {
    await connection.query({
      name: "hub-replace-ops",
      text: `update hub_ops o
        set replaced_at = to_timestamp($7::float8 / 1000)
        from unnest($4::text[], $5::text[], $6::text[]) as old (kind, id, revision)
        where o.team_id = $1 and o.log = $2 and o.device = $3
          and o.kind = old.kind and o.id = old.id and o.revision = old.revision`,
      values: [account_id, log, device.id, ...identitiesOf(replaced), now],
    });
  }
  if (added.length === 0) return;
  await insertOps(connection, [account_id, log, device.id, now], added);
  await connection.query({
    name: "hub-advance-log",
    text: `update hub_accounts
      set head_seq = $2, op_count = op_count + $3
      where team_id = $1`,
    values: [account_id, String(head_seq), added.length],
  });
  await connection.query({ text: "select pg_notify($1, $2)", values: [hubChanges, account_id] });
}

async function insertOps(
  connection: Queryable,
  front: readonly unknown[],
  added: readonly AddedOp[],
): Promise<void> {
  await connection.query({
    name: "hub-insert-ops",
    text: `with op as (
        select *
        from unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::boolean[], $10::bytea[], $11::boolean[],
          $12::text[], $13::integer[])
          as each (kind, id, revision, seq, deleted, sha256, is_current, body, bytes)
      ), stored as (
        insert into hub_bodies (team_id, log, seq, body, bytes, sha256, received_at)
        select $1, $2, seq, body, bytes, sha256, to_timestamp($4::float8 / 1000)
        from op
      )
      insert into hub_ops (team_id, log, device, kind, id, revision, seq, deleted, sha256, replaced_at)
      select $1, $2, $3, kind, id, revision, seq, deleted, sha256,
        case when not is_current then to_timestamp($4::float8 / 1000) end
      from op`,
    values: [
      ...front,
      ...identitiesOf(added),
      added.map(({ seq }) => String(seq)),
      added.map(({ deleted }) => deleted),
      added.map(({ sha256 }) => sha256),
      added.map(({ is_current }) => is_current),
      added.map(({ body }) => body),
      added.map(({ bytes }) => bytes),
    ],
  });
}

interface PageRow extends Pick<HubPage, "epoch" | "head_seq"> {
  before: string | null;
  /** Null when the page is empty; then the other columns of an operation are null too. */
  seq: string | null;
  body: string;
  sha256: Buffer;
  received_at_epoch: number;
  more: boolean;
}

// One statement, so one snapshot: a row before the page and the page fit together while a compaction runs. The window sums
// bytes without reading bodies.
async function readPage(
  connection: Queryable,
  account_id: string,
  { since, limit, maxBytes }: PageWish,
): Promise<HubPage | undefined> {
  const { rows } = await connection.query<PageRow>({
    name: "hub-page",
    text: `select a.epoch, a.head_seq::text as head_seq, op.seq::text as seq, op.body, op.sha256, op.received_at_epoch, op.more,
        (select max(seq)::text from hub_bodies where team_id = $1 and log = a.log and seq <= $2) as before
      from hub_accounts a
      left join lateral (
        select seq, body, sha256, ${epochMs("received_at")} as received_at_epoch,
          place > $3 or (place > 1 and bytes_to_here > $4) as more
        from (
          select *, row_number() over (order by seq) as place, sum(bytes) over (order by seq) as bytes_to_here
          from (
            select seq, body, sha256, received_at, bytes
            from hub_bodies
            where team_id = $1 and log = a.log and seq > $2
            order by seq
            limit $3 + 1) next) placed
        where place <= 1 or bytes_to_here - bytes <= $4) op on true
      where a.team_id = $1 and a.deleted_at is null
      order by op.seq`,
    values: [account_id, String(since), limit, maxBytes],
  });
  const [first] = rows;
  if (first === undefined) return undefined;
  const { epoch, head_seq, before } = first;
  const ops = rows.flatMap(({ seq, body, sha256, received_at_epoch, more }): Omit<HubChange, "after">[] =>
    seq === null || more ? [] : [{ seq, body, sha256, received_at_epoch }],
  );
  return { epoch, head_seq, more: rows.some(({ more }) => more), ops: linkPage(ops, before) };
}

async function readStatus(connection: Queryable, account_id: string): Promise<HubStatus | undefined> {
  const { rows } = await connection.query<HubStatus>({
    name: "hub-status",
    text: `select epoch, head_seq::text as head_seq, op_count::float8 as op_count,
        (select count(*)::int from hub_devices where team_id = $1) as device_count,
        nullif(compacted_through, 0)::text as compacted_through
      from hub_accounts
      where team_id = $1 and deleted_at is null`,
    values: [account_id],
  });
  return rows[0];
}

interface FollowedRow {
  epoch: string;
  head_seq: string;
  token_ids: string[];
}

async function follow(connection: Queryable, account_id: string): Promise<FollowedRow | undefined> {
  const { rows } = await connection.query<FollowedRow>({
    name: "hub-follow",
    text: `select epoch, head_seq::text as head_seq,
        array(select id::text from hub_tokens where team_id = $1 and revoked_at is null) as token_ids
      from hub_accounts
      where team_id = $1 and deleted_at is null`,
    values: [account_id],
  });
  return rows[0];
}

/** Takes the account's lock before its rows, like a push. As `mem_system`. */
function compact(system: Connections, { before_epoch, limit }: CompactStep): Promise<number> {
  return inTransaction(system, async (connection) => {
    const { rows } = await connection.query<{ account_id: string; log: number }>({
      text: `select a.team_id as account_id, a.log
        from hub_accounts a
        where a.team_id = (
          select team_id
          from hub_ops
          where replaced_at < to_timestamp($1::float8 / 1000) and not compacted
          order by replaced_at
          limit 1)
        for update`,
      values: [before_epoch],
    });
    const [due] = rows;
    if (due === undefined) return 0;
    const { rows: removed } = await connection.query<{ log: number; seq: string }>({
      text: `with due as (
          select log, device, kind, id, revision, seq
          from hub_ops
          where team_id = $1 and replaced_at < to_timestamp($2::float8 / 1000) and not compacted
          order by replaced_at
          limit $3
        ), marked as (
          update hub_ops o
          set compacted = true
          from due
          where o.team_id = $1 and o.log = due.log and o.device = due.device
            and o.kind = due.kind and o.id = due.id and o.revision = due.revision
        ), removed as (
          delete from hub_bodies b
          using due
          where b.team_id = $1 and b.log = due.log and b.seq = due.seq
        )
        select log, seq::text as seq from due`,
      values: [due.account_id, before_epoch, limit],
    });
    const ofLog = removed.filter(({ log }) => log === due.log).map(({ seq }) => seq);
    await connection.query({
      text: `update hub_accounts
        set op_count = op_count - cardinality($2::bigint[]),
          compacted_through = greatest(compacted_through, (select max(seq) from unnest($2::bigint[]) as seq))
        where team_id = $1`,
      values: [due.account_id, ofLog],
    });
    return removed.length;
  });
}

/** As `mem_system`. */
function sweep(system: Connections, limit: number): Promise<number> {
  return inTransaction(system, async (connection) => {
    const { rows } = await connection.query<{ account_id: string; below: number; is_deleted: boolean }>({
      text: `select team_id as account_id, log + (deleted_at is not null)::int as below, deleted_at is not null as is_deleted
        from hub_accounts a
        where deleted_at is not null
          or exists (select from hub_ops o where o.team_id = a.team_id and o.log < a.log)
          or exists (select from hub_bodies b where b.team_id = a.team_id and b.log < a.log)
        limit 1
        for update skip locked`,
    });
    const [ended] = rows;
    if (ended === undefined) return 0;
    const { account_id, below, is_deleted } = ended;
    let removed = 0;
    for (const table of ["hub_bodies", "hub_ops"]) {
      const { rowCount } = await connection.query({
        text: `delete from ${table}
          where team_id = $1 and ctid = any(array(select ctid from ${table} where team_id = $1 and log < $2 limit $3))`,
        values: [account_id, below, limit],
      });
      removed += rowCount ?? 0;
    }
    if (removed > 0 || !is_deleted) return removed;
    for (const table of ["hub_tokens", "hub_devices", "hub_accounts"]) {
      const { rowCount } = await connection.query({
        text: `delete from ${table} where team_id = $1`,
        values: [account_id],
      });
      removed += rowCount ?? 0;
    }
    return removed;
  });
}
