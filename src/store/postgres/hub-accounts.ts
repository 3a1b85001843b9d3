// Accounts of the hub, their tokens and devices, for the commands on the server's host. As `mem_system`.
import type { HubAccount, HubToken, NewAccount, NewToken } from "../../core/records/hub.ts";
import { isId } from "../../core/records/tenancy.ts";
import { epochMs } from "./epoch-ms.ts";
import { hubChanges } from "./hub-log.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTransaction } from "./tenant.ts";

/** What the commands on the hub's host need. */
export function createHubAccounts(system: Connections) {
  return {
    async createAccount({ id, name, epoch, now }: NewAccount): Promise<boolean> {
      const { rowCount } = await system.query({
        text: `insert into hub_accounts (team_id, name, epoch, created_at)
          values ($1, $2, $3, to_timestamp($4::float8 / 1000))
          on conflict do nothing`,
        values: [id, name, epoch, now],
      });
      return rowCount === 1;
    },
    accounts: () => listAccounts(system),
    async addToken({ id, account_id, token_hash, prefix, last_four, now }: NewToken): Promise<void> {
      await system.query({
        text: `insert into hub_tokens (id, team_id, token_hash, prefix, last_four, created_at)
          values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000))`,
        values: [id, account_id, token_hash, prefix, last_four, now],
      });
    },
    tokens: (account_id: string) => listTokens(system, account_id),
    revokeToken: (id: string, now: number) => revokeToken(system, id, now),
    async removeDevice(account_id: string, device_id: string): Promise<boolean> {
      const { rowCount } = await system.query({
        text: "delete from hub_devices where team_id = $1 and id = $2",
        values: [account_id, device_id],
      });
      return rowCount === 1;
    },
    async reset(account_id: string, epoch: string): Promise<void> {
      await inTransaction(system, async (connection) => {
        await connection.query({
          text: `update hub_accounts
            set log = log + 1, epoch = $2, head_seq = 0, op_count = 0, compacted_through = 0
            where team_id = $1 and deleted_at is null`,
          values: [account_id, epoch],
        });
        await notify(connection, account_id);
      });
    },
    async deleteAccount(account_id: string, now: number): Promise<void> {
      await inTransaction(system, async (connection) => {
        for (const text of [
          "update hub_accounts set deleted_at = to_timestamp($2::float8 / 1000) where team_id = $1 and deleted_at is null",
          "update hub_tokens set revoked_at = to_timestamp($2::float8 / 1000) where team_id = $1 and revoked_at is null",
        ]) {
          await connection.query({ text, values: [account_id, now] });
        }
        await notify(connection, account_id);
      });
    },
  };
}

async function notify(connection: Queryable, account_id: string): Promise<void> {
  await connection.query({ text: "select pg_notify($1, $2)", values: [hubChanges, account_id] });
}

async function listAccounts(system: Queryable): Promise<HubAccount[]> {
  const { rows } = await system.query<HubAccount>({
    text: `select team_id as id, name, ${epochMs("created_at")} as created_at_epoch, epoch, head_seq::text as head_seq,
        op_count::float8 as op_count, (select count(*)::int from hub_devices d where d.team_id = a.team_id) as device_count
      from hub_accounts a
      where deleted_at is null
      order by name`,
  });
  return rows;
}

async function listTokens(system: Queryable, account_id: string): Promise<HubToken[]> {
  const { rows } = await system.query<HubToken>({
    text: `select id, team_id as account_id, prefix, last_four, ${epochMs("created_at")} as created_at_epoch,
        ${epochMs("last_used_at")} as last_used_at_epoch, ${epochMs("revoked_at")} as revoked_at_epoch
      from hub_tokens
      where team_id = $1
      order by created_at desc, id`,
    values: [account_id],
  });
  return rows;
}

function revokeToken(system: Connections, id: string, now: number): Promise<boolean | undefined> {
  return inTransaction(system, async (connection) => {
    if (!isId(id)) return undefined;
    const { rows } = await connection.query<{ account_id: string; is_live: boolean }>({
      text: `select t.team_id as account_id, t.revoked_at is null as is_live
        from hub_tokens t
        join hub_accounts a on a.team_id = t.team_id
        where t.id = $1 and a.deleted_at is null
        for update of t`,
      values: [id],
    });
    const [token] = rows;
    if (token?.is_live !== true) return token && false;
    await connection.query({
      text: "update hub_tokens set revoked_at = to_timestamp($3::float8 / 1000) where team_id = $1 and id = $2",
      values: [token.account_id, id, now],
    });
    await notify(connection, token.account_id);
    return true;
  });
}
