import { connect, createServer } from "node:net";
import { join } from "node:path";
import type { PoolClient } from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { migrateServer, schemaVersionOf, serverSchemaVersion } from "../../../src/store/postgres/migrate.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { createDatabaseIfMissing } from "../../../src/store/postgres/reach.ts";
import { createTestDatabase, startOwnPostgres } from "../../helpers/postgres.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

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

test("a start behind an abandoned migration lock says who has it, and gives up", async () => {
  const { owner } = opened(url);
  const abandoned = await owner.connect();
  onTestFinished(() => abandoned.release(true));
  await abandoned.query("select pg_advisory_lock(6365120026)");
  const { rows } = await abandoned.query("select pg_backend_pid() as pid");
  const said: string[] = [];
  await expect(
    migrateServer(owner, "test", { say: (line) => said.push(line), waitMs: 60 }),
  ).rejects.toMatchObject({
    code: "storage_busy",
    hint: expect.stringContaining(`pg_terminate_backend(${rows[0]?.pid})`),
  });
  expect(said).toEqual([
    expect.stringContaining(`waiting for the migration lock, which process ${rows[0]?.pid} (mem, idle`),
  ]);
  await abandoned.query("select pg_advisory_unlock_all()");
  expect(await migrateServer(owner, "test")).toEqual([]);
  const held = await owner.query("select from pg_locks where locktype = 'advisory'");
  expect(held.rows).toEqual([]);
});

/** The address of a pooler before `at` that drops the options of each connection. */
async function behindPooler(at: string): Promise<string> {
  const named = new URL(at);
  const socket = join(named.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const server = createServer((client) => {
    const database = connect(socket);
    client.once("data", (first) => {
      const words = first.toString("latin1", 8).split("\0");
      const kept = Buffer.from(words.toSpliced(words.indexOf("options"), 2).join("\0"), "latin1");
      const head = Buffer.from(first.subarray(0, 8));
      head.writeUInt32BE(kept.length + 8);
      database.write(Buffer.concat([head, kept]));
      client.pipe(database).pipe(client);
    });
    for (const end of [client, database]) end.on("error", () => undefined);
  });
  const directory = tempDir();
  await new Promise<void>((resolve) => server.listen(join(directory, ".s.PGSQL.5432"), resolve));
  onTestFinished(() => void server.close());
  named.searchParams.set("host", directory);
  return named.href;
}

test("a pooler that drops the options is refused, also with the name of the role", async () => {
  const { postgres, remove } = await startOwnPostgres();
  onTestFinished(async () => {
    await postgres.stop();
    remove();
  });
  const direct = opened(postgres.url);
  await migrateServer(direct.owner, "test");
  await direct.owner.query("alter role mem_app login");
  const pooled = new URL(await behindPooler(postgres.url));
  const message = 'ignores the options of a connection: jit is "on", not "off"';
  for (const user of [pooled.username, "mem_app"]) {
    pooled.username = user;
    const { owner, app, guards, close } = openDatabase({
      url: pooled.href,
      onConnectionLost: () => undefined,
    });
    const refused = { code: "setting_invalid", message: expect.stringContaining(message) };
    await expect(migrateServer(owner, "test")).rejects.toMatchObject(refused);
    for (const pool of [app, guards])
      await expect(pool.query({ text: "select 1" })).rejects.toMatchObject(refused);
    await close();
  }
});

test("an empty database has version 0", async () => {
  expect(await schemaVersionOf(opened(await emptyDatabase()).owner)).toBe(0);
});
