// Accounts of the hub, their tokens and devices.
import type { HubAccount, HubToken, NewAccount, NewToken } from "../../../core/records/hub.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";

/** What the commands on the hub's host need. */
export function createHubAccounts(db: Sqlite, commit: GroupCommit["commit"]) {
  const sql = createSql(db);
  const keyOf = "(select key from accounts where id = ? and deleted_at_epoch is null)";
  const insert = sql.changes<[string, string, string, number]>(`
    insert into accounts (id, name, epoch, created_at_epoch)
    values (?, ?, ?, ?)
    on conflict do nothing`);
  const list = sql.all<[], HubAccount>(`
    select id, name, created_at_epoch, epoch, cast(head_seq as text) as head_seq, op_count,
      (select count(*) from devices where account = key) as device_count
    from accounts
    where deleted_at_epoch is null
    order by name`);
  const insertToken = sql.run<[string, string, Buffer, string, string, number]>(`
    insert into tokens (id, account, token_hash, prefix, last_four, created_at_epoch)
    values (?, ${keyOf}, ?, ?, ?, ?)`);
  const listTokens = sql.all<[string], HubToken>(`
    select t.id, a.id as account_id, t.prefix, t.last_four, t.created_at_epoch, t.last_used_at_epoch, t.revoked_at_epoch
    from tokens t
    join accounts a on a.key = t.account
    where a.id = ? and a.deleted_at_epoch is null
    order by t.created_at_epoch desc, t.id`);
  const revokedAt = sql.get<[string], { revoked_at_epoch: number | null }>(`
    select t.revoked_at_epoch
    from tokens t
    join accounts a on a.key = t.account
    where t.id = ? and a.deleted_at_epoch is null`);
  const revoke = sql.run<[number, string]>("update tokens set revoked_at_epoch = ? where id = ?");
  const removeDevice = sql.changes<[string, string]>(
    `delete from devices where account = ${keyOf} and id = ?`,
  );
  const startLog = sql.run<[string, string]>(`
    update accounts
    set log = log + 1, epoch = ?, head_seq = 0, op_count = 0, compacted_through = 0
    where id = ? and deleted_at_epoch is null`);
  const revokeAll = sql.run<[number, string]>(`
    update tokens set revoked_at_epoch = ? where account = ${keyOf} and revoked_at_epoch is null`);
  const markDeleted = sql.run<[number, string]>(
    "update accounts set deleted_at_epoch = ? where id = ? and deleted_at_epoch is null",
  );
  return {
    createAccount: ({ id, name, epoch, now }: NewAccount) => commit(() => insert(id, name, epoch, now) > 0),
    accounts: async () => list(),
    addToken: ({ id, account_id, token_hash, prefix, last_four, now }: NewToken) =>
      commit(() => insertToken(id, account_id, token_hash, prefix, last_four, now)),
    tokens: async (account_id: string) => listTokens(account_id),
    revokeToken: (id: string, now: number) =>
      commit(() => {
        const found = revokedAt(id);
        if (found?.revoked_at_epoch === null) revoke(now, id);
        return found && found.revoked_at_epoch === null;
      }),
    removeDevice: (account_id: string, device_id: string) =>
      commit(() => removeDevice(account_id, device_id) > 0),
    reset: (account_id: string, epoch: string) => commit(() => startLog(epoch, account_id)),
    deleteAccount: (account_id: string, now: number) =>
      commit(() => {
        revokeAll(now, account_id);
        markDeleted(now, account_id);
      }),
  };
}
