import { afterAll, expect, test } from "vitest";
import { MemError } from "../../../src/core/errors.ts";
import { migrateServer, serverSchemaVersion } from "../../../src/store/postgres/migrate.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { startOwnPostgres } from "../../helpers/postgres.ts";

// Roles belong to the cluster, so this file has its own.
const { postgres, remove } = await startOwnPostgres();
afterAll(async () => {
  await postgres.stop("immediate");
  remove();
});

async function asAdministrator(database: string, ...statements: string[]): Promise<void> {
  const admin = openedAs("mem", database);
  for (const statement of statements) await admin.owner.query(statement);
  await admin.close();
}

function openedAs(user: string, database: string) {
  const at = new URL(postgres.url);
  at.username = encodeURIComponent(user);
  at.pathname = `/${database}`;
  return openDatabase({ url: at.href, onConnectionLost: () => undefined });
}

/** The statements that the refusal names; none when the user may migrate. */
async function refusedWith(user: string, database: string): Promise<string[]> {
  const { owner, close } = openedAs(user, database);
  try {
    await migrateServer(owner, "test");
    return [];
  } catch (cause) {
    if (!(cause instanceof MemError)) throw cause;
    expect(cause.code).toBe("setting_invalid");
    expect(cause.message).toContain(database);
    const [, statements = ""] = / run in that database: (.*) Then start/.exec(cause.hint ?? "") ?? [];
    return statements.split(/(?<=;) /);
  } finally {
    await close();
  }
}

async function serves(user: string, database: string): Promise<void> {
  const { app, system, owner, close } = openedAs(user, database);
  const { rows } = await owner.query("select max(version) as version from mem.schema_versions");
  expect(rows).toEqual([{ version: serverSchemaVersion }]);
  const text = "select current_user::text as role, (select count(*)::int from teams) as teams";
  expect((await app.query({ text })).rows).toEqual([{ role: "mem_app", teams: 0 }]);
  expect((await system.query({ text })).rows).toEqual([{ role: "mem_system", teams: 0 }]);
  await system.query({ text: "select request_turn(gen_random_uuid())" });
  await close();
}

async function isOlderThan16(): Promise<boolean> {
  const { owner, close } = openedAs("mem", "mem");
  const { rows } = await owner.query<{ older: boolean }>(
    "select current_setting('server_version_num')::int < 160000 as older",
  );
  await close();
  return rows[0]?.older === true;
}

test.each([
  ["may create roles", "create role hoster login createrole"],
  [
    "may only become the two roles, and inherits nothing of them",
    `create role mem_app; create role mem_system;
      create role hoster login noinherit; grant mem_app, mem_system to hoster`,
  ],
])("a user who is no superuser and %s migrates and serves", async (_, made) => {
  await asAdministrator("mem", made, "create database hosted owner hoster");
  expect(await refusedWith("hoster", "hosted")).toEqual([]);
  await serves("hoster", "hosted");
  await asAdministrator("mem", "drop database hosted with (force)", "drop role mem_app, mem_system, hoster");
});

test("tells a database owner the statements for an administrator, which suffice", async () => {
  await asAdministrator("mem", "create role owner_only login", "create database owned owner owner_only");
  const statements = await refusedWith("owner_only", "owned");
  expect(statements).toEqual([
    "create role mem_app nologin;",
    "create role mem_system nologin;",
    "grant mem_app, mem_system to owner_only;",
  ]);
  await asAdministrator("owned", ...statements);
  expect(await refusedWith("owner_only", "owned")).toEqual([]);
  await serves("owner_only", "owned");
});

test("tells a user only the missing rights, with quoted names", async () => {
  await asAdministrator("mem", 'create role "Only-Connects" login', 'create database "Shared-DB"');
  const statements = await refusedWith("Only-Connects", "Shared-DB");
  expect(statements).toEqual([
    'grant mem_app, mem_system to "Only-Connects";',
    'grant create on database "Shared-DB" to "Only-Connects";',
  ]);
  await asAdministrator("Shared-DB", ...statements);
  expect(await refusedWith("Only-Connects", "Shared-DB")).toEqual([]);
  await serves("Only-Connects", "Shared-DB");
});

test("a second user shares the roles that another user created", async () => {
  await asAdministrator(
    "mem",
    "create role second login createrole createdb",
    "create database seconds owner second",
  );
  const statements = await refusedWith("second", "seconds");
  // Since 16 only who made a role may grant it.
  expect(statements).toEqual((await isOlderThan16()) ? [] : ["grant mem_app, mem_system to second;"]);
  await asAdministrator("seconds", ...statements);
  expect(await refusedWith("second", "seconds")).toEqual([]);
  await serves("second", "seconds");
});

test("a user who does not own the schema gets an error that names its owner", async () => {
  await asAdministrator("mem", "create role later login", "create database handed owner owner_only");
  expect(await refusedWith("owner_only", "handed")).toEqual([]);
  await asAdministrator(
    "handed",
    "grant mem_app, mem_system to later",
    "delete from mem.schema_versions where version > 8",
  );
  expect(await refusedWith("later", "handed")).toEqual(["grant owner_only to later;"]);
});
