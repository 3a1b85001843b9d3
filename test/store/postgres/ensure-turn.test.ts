import { expect, test } from "vitest";
import { newId } from "../../../src/ids.ts";
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
