import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const [ours, theirs] = [newId(), newId()];
for (const id of [ours, theirs]) {
  await database.system.query({
    text: "insert into teams (id, name) values ($1, $2)",
    values: [id, `team ${id}`],
  });
  await database.system.query({
    text: "insert into projects (id, team_id, name) values ($1, $2, 'p')",
    values: [newId(), id],
  });
}

const count = { text: "select count(*)::int as n, min(team_id::text) as team from projects" };

test("a transaction sees its own team's rows, although the statement names no team", async () => {
  const found = await inTenant(database.app, { team_id: ours, project_id: null }, (connection) =>
    connection.query<{ n: number; team: string }>(count),
  );
  expect(found.rows).toEqual([{ n: 1, team: ours }]);
});

test("without a tenant nothing is visible, also after an earlier tenant", async () => {
  await inTenant(database.app, { team_id: ours, project_id: null }, (connection) => connection.query(count));
  for (let turn = 0; turn < 20; turn += 1) {
    expect((await database.app.query<{ n: number }>(count)).rows[0]?.n).toBe(0);
  }
});

test("a row of another team cannot be written", async () => {
  const write = inTenant(database.app, { team_id: ours, project_id: null }, (connection) =>
    connection.query({
      text: "insert into projects (id, team_id, name) values ($1, $2, 'q')",
      values: [newId(), theirs],
    }),
  );
  await expect(write).rejects.toThrow();
  expect((await database.system.query<{ n: number }>(count)).rows[0]?.n).toBe(2);
});

test("the serving roles own nothing and are bound by every team table", async () => {
  const { rows } = await database.system.query<{ table: string }>({
    text: `select c.relname as table
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'mem' and c.relkind in ('r', 'p')
        and (c.relname = 'teams' or exists (
          select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id'))
        and not (c.relrowsecurity and c.relforcerowsecurity)`,
  });
  expect(rows).toEqual([]);
  const owned = await database.system.query({
    text: `select 1 from pg_class c join pg_roles r on r.oid = c.relowner
      where r.rolname in ('mem_app', 'mem_system')`,
  });
  expect(owned.rowCount).toBe(0);
});

test("keeps options of the URL without changing roles or bounds", async () => {
  const url = new URL(database.url);
  url.searchParams.set("options", "-c work_mem=7MB -c role=none -c statement_timeout=0");
  const opened = openDatabase({ url: url.href, onConnectionLost: () => undefined });
  const text = `select current_user::text as role, current_setting('work_mem') as memory,
    current_setting('statement_timeout') as bound`;
  expect((await opened.app.query({ text })).rows).toEqual([{ role: "mem_app", memory: "7MB", bound: "15s" }]);
  expect((await opened.system.query({ text })).rows).toMatchObject([{ role: "mem_system", bound: "15s" }]);
  await opened.close();
});
