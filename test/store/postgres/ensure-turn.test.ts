import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { sweepJobs } from "../../../src/store/postgres/job-leases.ts";
import { inTransaction } from "../../../src/store/postgres/tenant.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const { owner, system } = await openTestDatabase();

const ensure = (team: string) => ({ text: "select ensure_turn($1)", values: [team] });

async function turns(team: string) {
  const { rows } = await owner.query<{ id: string; key: string | null; locked: boolean }>(
    `select id, key, locked_at is not null as locked
      from graphile_worker._private_jobs
      where payload->>'team_id' = $1
      order by id`,
    [team],
  );
  return rows;
}

test("a team has one turn that waits, however often one is asked for", async () => {
  const team = newId();
  for (let n = 0; n < 3; n += 1) await system.query(ensure(team));
  await Promise.all(Array.from({ length: 8 }, () => system.query(ensure(team))));
  expect(await turns(team)).toHaveLength(1);
});

test("while a turn is worked on another one is asked for: it has perhaps looked before", async () => {
  const team = newId();
  await system.query(ensure(team));
  await owner.query(
    "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where payload->>'team_id' = $1",
    [team],
  );
  await system.query(ensure(team));
  expect((await turns(team)).map(({ locked }) => locked).sort()).toEqual([false, true]);
});

test("a turn that waits is not begun before what asked for it is committed", async () => {
  const team = newId();
  await system.query(ensure(team));
  const take = () =>
    owner.query(
      `select id from graphile_worker._private_jobs
        where payload->>'team_id' = $1 and locked_at is null
        for update skip locked`,
      [team],
    );
  await inTransaction(system, async (connection) => {
    await connection.query(ensure(team));
    expect((await take()).rowCount).toBe(0);
  });
  expect((await take()).rowCount).toBe(1);
});

test("a turn that has failed for good is replaced", async () => {
  const team = newId();
  await system.query(ensure(team));
  await owner.query(
    "update graphile_worker._private_jobs set attempts = max_attempts where payload->>'team_id' = $1",
    [team],
  );
  await system.query(ensure(team));
  const { rows } = await owner.query(
    "select 1 from graphile_worker._private_jobs where payload->>'team_id' = $1 and attempts < max_attempts",
    [team],
  );
  expect(rows).toHaveLength(1);
});

test("deletes turns that ended servers left locked, no others", async () => {
  const left = { killed: newId(), replaced: newId(), exhausted: newId() };
  const kept = { begun: newId(), waiting: newId(), later: newId() };
  const lock = (team: string, age: string) =>
    owner.query(
      `update graphile_worker._private_jobs
        set locked_at = now() - $2::interval, locked_by = 'w', attempts = attempts + 1
        where payload->>'team_id' = $1`,
      [team, age],
    );
  for (const team of [...Object.values(left), ...Object.values(kept)]) await system.query(ensure(team));
  await lock(left.killed, "16 minutes");
  await lock(left.replaced, "16 minutes");
  await lock(kept.begun, "1 minute");
  // The next request gives a locked turn its last attempt.
  for (const team of [left.replaced, kept.begun]) await system.query(ensure(team));
  await owner.query(
    "update graphile_worker._private_jobs set attempts = 25, key = null where payload->>'team_id' = $1",
    [left.exhausted],
  );
  await owner.query(
    "update graphile_worker._private_jobs set run_at = now() + interval '1 hour' where payload->>'team_id' = $1",
    [kept.later],
  );
  await sweepJobs(system, 20);
  expect(await turns(left.killed)).toEqual([]);
  expect((await turns(left.replaced)).map(({ locked }) => locked)).toEqual([false]);
  expect(await turns(left.exhausted)).toEqual([]);
  expect((await turns(kept.begun)).map(({ locked }) => locked)).toEqual([true, false]);
  for (const team of [kept.waiting, kept.later]) expect(await turns(team)).toHaveLength(1);
});
