import { afterAll, expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import { createStderrLog } from "../../src/core/log.ts";
import { revokeKeyNow } from "../../src/server/administer/administer-keys.ts";
import { buildServer } from "../../src/server/build.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { loadServerSettings } from "../../src/settings/server.ts";
import { openDatabase } from "../../src/store/postgres/open.ts";
import { openTestServer, type TestKey } from "../helpers/hosted-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const here = await openTestServer();
const { url } = here.database;
// Its clock stands still, so what it remembers never grows old: only what it hears can end a key.
const still: Clock = { now: () => Date.now(), monotonicMs: () => 0 };
const elsewhere = await otherNode();

async function otherNode() {
  const database = openDatabase({ url, onConnectionLost: () => undefined });
  const node = buildServer({
    database,
    role: "http",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key" }),
    log: createStderrLog("SILENT").log,
    clock: still,
    address: () => ({ host: "127.0.0.1", port: 81 }),
  });
  await node.ready();
  afterAll(async () => {
    await node.close();
    await database.close();
  });
  return node;
}

async function asked({ app }: Pick<typeof elsewhere, "app">, { apiKey }: Pick<TestKey, "apiKey">) {
  const headers = { host: "x", authorization: `Bearer ${apiKey}` };
  return (await app.inject({ url: "/v1/projects", headers })).statusCode;
}

async function listeners(): Promise<number[]> {
  const { rows } = await here.database.owner.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and query like 'listen %'",
  );
  return rows.map(({ pid }) => pid);
}

function revoke(id: string, by: TestKey) {
  const headers = { host: "x", authorization: `Bearer ${by.apiKey}` };
  return here.app.inject({ method: "DELETE", url: `/v1/keys/${id}`, headers });
}

test("a key that one node revokes opens no other node any more, nor does its child", async () => {
  const by = await here.addKey({ team: "rest" });
  const key = await here.addKey({ team: "rest" });
  const child = await here.addKey({ team: "rest", parent_id: key.id });
  expect([await asked(elsewhere, key), await asked(elsewhere, child)]).toEqual([200, 200]);
  expect((await revoke(key.id, by)).statusCode).toBe(200);
  await expect.poll(() => asked(elsewhere, key)).toBe(401);
  await expect.poll(() => asked(elsewhere, child)).toBe(401);
  expect(await asked(elsewhere, by)).toBe(200);
});

test("a key that is revoked on the server's host opens no node any more", async () => {
  const key = await here.addKey({ team: "host" });
  expect(await asked(elsewhere, key)).toBe(200);
  const settings = loadSettings({ dataDir: tempDir(), env: {} });
  await revokeKeyNow({ settings, server: loadServerSettings({ MEM_DATABASE_URL: url }) }, key.id);
  await expect.poll(() => asked(elsewhere, key)).toBe(401);
});

test("what was revoked while a node was deaf is known when it listens again", async () => {
  const by = await here.addKey({ team: "deaf" });
  const key = await here.addKey({ team: "deaf" });
  expect(await asked(elsewhere, key)).toBe(200);
  const stop = here.database.owner;
  for (const pid of await listeners()) await stop.query("select pg_terminate_backend($1)", [pid]);
  expect((await revoke(key.id, by)).statusCode).toBe(200);
  await expect.poll(() => asked(elsewhere, key)).toBe(401);
});

test("a node that ends leaves no connection that listens", async () => {
  // Two of each node: for revoked keys, and for changes of the hub.
  await expect.poll(async () => (await listeners()).length).toBe(4);
  const third = await otherNode();
  await expect.poll(async () => (await listeners()).length).toBe(6);
  await third.close();
  await expect.poll(async () => (await listeners()).length).toBe(4);
});
