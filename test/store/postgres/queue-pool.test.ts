import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { openQueuePool } from "../../../src/store/postgres/open.ts";
import { toStorageError } from "../../../src/store/postgres/storage-error.ts";
import { eventually } from "../../helpers/eventually.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

function openPool(maxStatementMs: number) {
  const pool = openQueuePool(database.owner, maxStatementMs);
  onTestFinished(() => pool.end());
  return pool;
}

test("cancels a hanging statement of the queue and frees its connection", async () => {
  const pool = openPool(100);
  const blocker = await database.owner.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query("begin; lock table graphile_worker._private_jobs in access exclusive mode");
  await expect(pool.query("select count(*) from graphile_worker._private_jobs")).rejects.toMatchObject({
    code: "57014",
  });
  await blocker.query("rollback");
  await eventually(async () => {
    const { rows } = await pool.query("select count(*)::int as n from graphile_worker._private_jobs");
    expect(rows).toEqual([{ n: 0 }]);
  });
  expect(pool.totalCount).toBe(1);
});

test("a connection whose server became read-only is replaced", async () => {
  const pool = openPool(1_000);
  const insert = () => pool.query("insert into mem.teams (id, name) values (gen_random_uuid(), 'renewed')");
  const switched = await pool.connect();
  await switched.query("set default_transaction_read_only = on");
  const refused = await switched.query("create table mem.renewed ()").catch((cause: unknown) => cause);
  expect(toStorageError(refused)).toMatchObject({ code: "storage_failed" });
  // As graphile-worker gives it back.
  switched.release();
  await insert();
});

test("ends an idle transaction, not an idle connection", async () => {
  const pool = openPool(1_000);
  const listening = await pool.connect();
  await listening.query('listen "jobs:insert"');
  const forgotten = await pool.connect();
  await forgotten.query("begin");
  await once(forgotten, "error");
  expect((await listening.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await expect(forgotten.query("select 1")).rejects.toThrow();
  listening.release();
  forgotten.release(true);
});

test("the owner's own connections have no bound: a migration may take long", async () => {
  const bound = "select current_setting('statement_timeout') as timeout, current_schema() as schema";
  expect((await database.owner.query(bound)).rows).toEqual([{ timeout: "0", schema: "mem" }]);
  expect((await openPool(30_000).query(bound)).rows).toEqual([{ timeout: "30s", schema: "mem" }]);
});
