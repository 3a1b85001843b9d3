import type { PoolClient } from "pg";
import { afterAll, expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { migrateServer, schemaVersionOf, serverSchemaVersion } from "../../../src/store/postgres/migrate.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { createDatabaseIfMissing } from "../../../src/store/postgres/reach.ts";
import { createTestDatabase } from "../../helpers/postgres.ts";

const url = await createTestDatabase();

/** An empty database on the tests' cluster. */
async function emptyDatabase(): Promise<string> {
  const empty = new URL(url);
  empty.pathname = `/test_${newId().replaceAll("-", "")}`;
  await createDatabaseIfMissing(empty.href);
  return empty.href;
}

function opened(at: string) {
  const database = openDatabase({ url: at, onConnectionLost: () => undefined });
  afterAll(() => database.close());
  return database;
}

test("five servers that start concurrently migrate once", async () => {
  const at = await emptyDatabase();
  const servers = Array.from({ length: 5 }, () => opened(at));
  const applied = await Promise.all(servers.map(({ owner }) => migrateServer(owner, "test")));
  const { rows } = await opened(at).owner.query("select version from mem.schema_versions order by version");
  const all: number[] = rows.map(({ version }) => version);
  expect(applied.filter((versions) => versions.length > 0)).toEqual([all]);
  expect([all[0], all.at(-1)]).toEqual([1, serverSchemaVersion]);
});

test("a database of a newer version is refused and left as it is", async () => {
  const at = await emptyDatabase();
  const { owner } = opened(at);
  await migrateServer(owner, "test");
  await owner.query("insert into mem.schema_versions (version, name, product) values (9000, 'later', '99')");
  await expect(migrateServer(owner, "test")).rejects.toMatchObject({ code: "database_newer" });
  expect(await schemaVersionOf(owner)).toBe(9000);
});

// No PostgreSQL that old is at hand: the answer to the question for its version is the only thing that is made up.
test.each([
  ["130016", 13],
  ["90624", 9],
])("a PostgreSQL that says it is %s is refused before anything is written", async (number, major) => {
  const at = await emptyDatabase();
  const { owner } = opened(at);
  const older = new Proxy(owner, {
    get: (pool, name) => (name === "connect" ? () => pool.connect().then(says) : Reflect.get(pool, name)),
  });
  const says = (client: PoolClient): PoolClient => {
    const query = client.query.bind(client) as (...words: unknown[]) => unknown;
    const answered = (...words: unknown[]) =>
      String(words[0]).includes("server_version_num")
        ? Promise.resolve({ rows: [{ number }] })
        : query(...words);
    return Object.assign(client, { query: answered });
  };
  await expect(migrateServer(older, "test")).rejects.toMatchObject({
    code: "setting_invalid",
    message: `MEM_DATABASE_URL is PostgreSQL ${major}; mem server needs 14 or later.`,
  });
  const { rows } = await opened(at).owner.query(
    "select from pg_namespace where nspname in ('mem', 'graphile_worker')",
  );
  expect(rows).toEqual([]);
});

test("an empty database has version 0", async () => {
  expect(await schemaVersionOf(opened(await emptyDatabase()).owner)).toBe(0);
});
