// Logs of the hub's accounts: push and read. An account is the tenant of its statements.
import {
  decidePush,
  type Followed,
  type HubCaller,
  type HubChange,
  type HubDevice,
  type HubDevices,
  type HubPage,
  type HubStatus,
  type KnownOp,
  linkPage,
  type PageWish,
  type Push,
  type PushState,
  type PushVerdict,
} from "../../core/records/hub.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Database, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";

/** Channel that notifies every server process of accounts whose log or tokens changed. */
export const hubChanges = "mem_hub_changed";

/** Operations of the routes. */
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
    devices: (account_id: string) =>
      inAccount(account_id, (connection) => readDevices(connection, account_id)),
    follow: (account_id: string) => inAccount(account_id, (connection) => follow(connection, account_id)),
  };
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
  // One index lookup per operation, planned at each push. A plan that is kept from the time of a small table, or a join
  // planned without statistics, reads every operation of the device: 500 instead of 4,000 operations per second.
  const { rows: known } = await connection.query<KnownOp>({
    text: `select o.*
      from unnest($4::text[], $5::text[], $6::text[]) as asked (kind, id, revision)
      cross join lateral (
        select kind, id, revision, seq::text as seq, deleted, sha256, replaced_at is null as is_current
        from hub_ops
        where team_id = $1 and log = $2 and device = $3 and kind = asked.kind and id = asked.id
          and (revision = asked.revision or replaced_at is null)
        offset 0) o`,
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
  push: Push,
  { added, replaced, head_seq }: Accepted,
): Promise<void> {
  const { account_id, device, now } = push;
  if (added.length === 0) return noteDevice(connection, push);
  if (replaced.length > 0) {
    await connection.query({
      text: `update hub_ops o
        set replaced_at = to_timestamp($7::float8 / 1000)
        from unnest($4::text[], $5::text[], $6::text[]) as old (kind, id, revision)
        cross join lateral (
          select ctid
          from hub_ops
          where team_id = $1 and log = $2 and device = $3
            and kind = old.kind and id = old.id and revision = old.revision
          offset 0) found
        where o.team_id = $1 and o.ctid = found.ctid`,
      values: [account_id, log, device.id, ...identitiesOf(replaced), now],
    });
  }
  await connection.query({
    name: "hub-append-ops",
    text: appendText,
    values: [
      ...deviceValues(push),
      log,
      String(head_seq),
      hubChanges,
      ...identitiesOf(added),
      added.map(({ seq }) => String(seq)),
      added.map(({ deleted }) => deleted),
      added.map(({ is_current }) => is_current),
      added.map(({ bytes }) => bytes),
      Buffer.concat(added.map(({ sha256 }) => sha256)),
      Buffer.from(added.map(({ body }) => body).join("")),
    ],
  });
}

function deviceValues({ account_id, device: { id, name, nonce }, now }: Push): unknown[] {
  return [account_id, id, name, nonce, now];
}

async function noteDevice(connection: Queryable, push: Push): Promise<void> {
  await connection.query({ name: "hub-note-device", text: noteDeviceText, values: deviceValues(push) });
}

const noteDeviceText = `insert into hub_devices as d (team_id, id, name, nonce, first_push_at, last_push_at)
  values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($5::float8 / 1000))
  on conflict (team_id, id) do update
  set name = excluded.name, last_push_at = excluded.last_push_at
  where d.name <> excluded.name or d.last_push_at < excluded.last_push_at - interval '1 minute'`;

// One statement for one round trip. Digests and bodies come as bytes behind each other: an array of texts has every quote
// escaped here and unescaped there.
const appendText = `with noted as (
    ${noteDeviceText}
  ), op as (
    select kind, id, revision, seq, deleted, bytes,
      substring($16::bytea from (place * 32 - 31)::int for 32) as sha256,
      convert_from(substring($17::bytea from (sum(bytes) over (order by place) - bytes + 1)::int for bytes), 'UTF8') as body,
      case when not is_current then to_timestamp($5::float8 / 1000) end as replaced_at
    from unnest($9::text[], $10::text[], $11::text[], $12::bigint[], $13::boolean[], $14::boolean[], $15::integer[])
      with ordinality as each (kind, id, revision, seq, deleted, is_current, bytes, place)
  ), stored as (
    insert into hub_bodies (team_id, log, seq, body, bytes, sha256, received_at)
    select $1, $6, seq, body, bytes, sha256, to_timestamp($5::float8 / 1000)
    from op
  ), known as (
    insert into hub_ops (team_id, log, device, kind, id, revision, seq, deleted, sha256, replaced_at)
    select $1, $6, $2, kind, id, revision, seq, deleted, sha256, replaced_at
    from op
  ), advanced as (
    update hub_accounts
    set head_seq = $7, op_count = op_count + cardinality($9::text[])
    where team_id = $1
  )
  select pg_notify($8, $1::text)`;

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

interface DeviceRow extends Omit<HubDevice, "id"> {
  epoch: string;
  /** Null when the account has no device; then the other columns of a device are null too. */
  id: string | null;
}

async function readDevices(connection: Queryable, account_id: string): Promise<HubDevices | undefined> {
  const { rows } = await connection.query<DeviceRow>({
    name: "hub-devices",
    text: `select a.epoch, d.id, d.name, ${epochMs("d.first_push_at")} as first_push_at_epoch,
        ${epochMs("d.last_push_at")} as last_push_at_epoch,
        (select coalesce(max(seq), 0)::text from hub_ops where team_id = $1 and log = a.log and device = d.id) as last_seq
      from hub_accounts a
      left join hub_devices d on d.team_id = $1
      where a.team_id = $1 and a.deleted_at is null
      order by d.first_push_at, d.id`,
    values: [account_id],
  });
  const [first] = rows;
  if (first === undefined) return undefined;
  const devices = rows.flatMap(({ epoch: _epoch, id, ...device }) =>
    id === null ? [] : [{ id, ...device }],
  );
  return { epoch: first.epoch, devices };
}

async function follow(connection: Queryable, account_id: string): Promise<Followed | undefined> {
  const { rows } = await connection.query<Followed>({
    name: "hub-follow",
    text: `select epoch, head_seq::text as head_seq,
        array(select id::text from hub_tokens where team_id = $1 and revoked_at is null) as token_ids
      from hub_accounts
      where team_id = $1 and deleted_at is null`,
    values: [account_id],
  });
  return rows[0];
}
