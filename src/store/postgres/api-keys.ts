// API keys: found by their hash across teams, listed and revoked within a reach.
import type { ApiKey, NewKey, Reach } from "../../core/records/api-key.ts";
import { isId } from "../../core/records/tenancy.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Queryable } from "./open.ts";

type KeyRow = ApiKey & { scopes: ApiKey["scopes"][number][] };

const epochOf = (column: string) => `${epochMs(column)} as ${column}_epoch`;

const columns = `id, team_id, project_id, parent_id, prefix, last_four, label, scopes,
  ${epochOf("created_at")}, ${epochOf("expires_at")}, ${epochOf("revoked_at")}, ${epochOf("last_used_at")}`;

/** The key with this hash, of any team and state. As `mem_system`. */
export async function findKeyByHash(system: Queryable, hash: Buffer): Promise<ApiKey | undefined> {
  const { rows } = await system.query<KeyRow>({
    name: "find-api-key",
    text: `select ${columns} from api_keys where key_hash = $1`,
    values: [hash],
  });
  return rows[0];
}

/** Notes that a key is in use, at most once a minute. As `mem_system`. */
export async function touchKey(
  system: Queryable,
  { id, team_id }: Pick<ApiKey, "id" | "team_id">,
): Promise<void> {
  await system.query({
    text: `update api_keys
      set last_used_at = now()
      where team_id = $1 and id = $2
        and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [team_id, id],
  });
}

export async function insertKey(connection: Queryable, key: NewKey): Promise<void> {
  await connection.query({
    text: `insert into api_keys
        (id, team_id, project_id, parent_id, key_hash, prefix, last_four, label, scopes, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::float8 / 1000))`,
    values: [
      key.id,
      key.team_id,
      key.project_id,
      key.parent_id,
      key.key_hash,
      key.prefix,
      key.last_four,
      key.label,
      key.scopes,
      key.expires_at_epoch,
    ],
  });
}

/**
 * Locks an active key that creates a child: it cannot be revoked before the transaction ends, and its children are created
 * one at a time.
 */
export async function lockLiveKey(
  connection: Queryable,
  { id, team_id }: Pick<ApiKey, "id" | "team_id">,
): Promise<ApiKey | undefined> {
  const { rows } = await connection.query<KeyRow>({
    text: `select ${columns}
      from api_keys
      where team_id = $1 and id = $2 and revoked_at is null and expires_at > now()
      for no key update`,
    values: [team_id, id],
  });
  return rows[0];
}

/** The number of the key's active children, and those with the oldest last use. */
export async function liveChildren(
  connection: Queryable,
  { id, team_id }: Pick<ApiKey, "id" | "team_id">,
): Promise<{ count: number; leastUsed: { id: string; label: string; lastUsedAt: string | null }[] }> {
  const { rows } = await connection.query<Awaited<ReturnType<typeof liveChildren>>>({
    text: `with child as (
        select id, label, last_used_at, created_at
        from api_keys
        where team_id = $1 and parent_id = $2 and revoked_at is null and expires_at > now())
      select (select count(*)::int from child) as count,
        coalesce((
          select json_agg(json_build_object('id', id, 'label', label, 'lastUsedAt', used))
          from (
            select id, label, to_char(last_used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as used
            from child
            order by coalesce(last_used_at, created_at), id
            limit 5) few), '[]') as "leastUsed"`,
    values: [team_id, id],
  });
  return rows[0] ?? { count: 0, leastUsed: [] };
}

/** Keys within the reach, newest first, also inactive ones. */
export async function listKeys(
  connection: Queryable,
  { team_id, project_id, scopes }: Reach,
  { limit, offset }: { limit: number; offset: number },
): Promise<ApiKey[]> {
  const { rows } = await connection.query<KeyRow>({
    text: `select ${columns}
      from api_keys
      where team_id = $1 and ($2::uuid is null or project_id = $2) and scopes <@ $3::text[]
      order by created_at desc, id
      limit $4 offset $5`,
    values: [team_id, project_id, scopes, limit, offset],
  });
  return rows;
}

/** Keys of one team or of all, with the names of team and project, newest first. As `mem_system`. */
export async function listAllKeys(system: Queryable, team: string | undefined): Promise<NamedKey[]> {
  const { rows } = await system.query<KeyRow & NamedKey>({
    text: `select k.*, t.name as team, p.name as project
      from (select ${columns} from api_keys) k
      join teams t on t.id = k.team_id
      left join projects p on p.team_id = k.team_id and p.id = k.project_id
      where $1::text is null or t.name = $1
      order by t.name, k.created_at_epoch desc, k.id`,
    values: [team ?? null],
  });
  return rows;
}

export interface NamedKey extends ApiKey {
  team: string;
  project: string | null;
}

/** The team of a key in any state. As `mem_system`. */
export async function teamOfKey(system: Queryable, id: string): Promise<string | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await system.query<{ team_id: string }>({
    text: "select team_id from api_keys where id = $1",
    values: [id],
  });
  return rows[0]?.team_id;
}

/** Channel that notifies every server process of teams whose keys were revoked. */
export const revocations = "mem_keys_revoked";

/**
 * Revokes a key within the reach and its descendants; returns the ids that were active, undefined when there is no such
 * key. In a transaction: the first statement waits for a key creation that holds the key, so that the second one sees the
 * child. The commit notifies all processes.
 */
export async function revokeKey(
  connection: Queryable,
  { team_id, project_id, scopes }: Reach,
  id: string,
): Promise<string[] | undefined> {
  if (!isId(id)) return undefined;
  const { rowCount } = await connection.query({
    text: `select 1
      from api_keys
      where team_id = $1 and id = $2 and ($3::uuid is null or project_id = $3) and scopes <@ $4::text[]
      for update`,
    values: [team_id, id, project_id, scopes],
  });
  if (rowCount === 0) return undefined;
  const { rows } = await connection.query<{ id: string }>({
    text: `with recursive family as (
        select id from api_keys where team_id = $1 and id = $2
        union
        select k.id
        from api_keys k
        join family f on k.parent_id = f.id
        where k.team_id = $1
      )
      update api_keys
      set revoked_at = now()
      where team_id = $1 and revoked_at is null and id in (select id from family)
      returning id`,
    values: [team_id, id],
  });
  if (rows.length > 0) {
    await connection.query({ text: "select pg_notify($1, $2)", values: [revocations, team_id] });
  }
  return rows.map((row) => row.id);
}
