// Background work on the logs of the hub's accounts: removes replaced bodies, ended logs and deleted accounts.
import type { Connections } from "./open.ts";
import { inTransaction } from "./tenant.ts";

/** Operations of the upkeep. As `mem_system`. */
export function createHubUpkeepSteps(system: Connections) {
  return {
    compact: (step: CompactStep) => compact(system, step),
    sweep: (limit: number) => sweep(system, limit),
  };
}

interface CompactStep {
  before_epoch: number;
  limit: number;
}

// Takes the account's lock before its rows, like a push.
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
