// The hub of several `mem server` processes on one database.
import { afterAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../../../src/core/clock.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import { buildServer } from "../../../src/server/build.ts";
import {
  createAccountNow,
  deleteAccountNow,
  listAccountsNow,
  revokeTokenNow,
} from "../../../src/server/hub/administer-hub.ts";
import { createServerHubStore } from "../../../src/server/hub/server-hub.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import { loadServerSettings } from "../../../src/settings/server.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { until } from "../../helpers/worker-process.ts";
import { headersOf, newAccount, op, push } from "../../hub/hub-rig.ts";

const here = await openTestServer();
const store = createServerHubStore(here.database);
const port = await otherProcess();
const device = "laptop";

/** A second server on the same database; its port. */
async function otherProcess(): Promise<number> {
  const database = openDatabase({ url: here.database.url, onConnectionLost: () => undefined });
  const server = buildServer({
    database,
    role: "http",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key" }),
    log: createStderrLog("SILENT").log,
    clock: systemClock,
    address: () => ({ host: "127.0.0.1", port: 81 }),
  });
  await server.ready();
  afterAll(async () => {
    await server.close();
    await database.close();
  });
  return Number(new URL(await server.app.listen({ host: "127.0.0.1", port: 0 })).port);
}

function connect(headers: Record<string, string>) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/sync/ws`, { headers });
  const heads: string[] = [];
  socket.on("message", (frame) => heads.push(JSON.parse(String(frame)).head_seq));
  socket.on("error", () => undefined);
  onTestFinished(() => socket.terminate());
  const closed = new Promise<number>((resolve) => void socket.once("close", resolve));
  return {
    closed,
    head: (seq: string) => until(() => heads.includes(seq) || undefined, 10_000, `a frame with ${seq}`),
  };
}

function place() {
  return {
    settings: loadSettings({ dataDir: tempDir(), env: {} }),
    server: loadServerSettings({ MEM_DATABASE_URL: here.database.url }),
    clock: systemClock,
    onServer: true,
  };
}

test("a push to one process is announced by the other, and so is a revoked token", async () => {
  const account = await newAccount({ store });
  const headers = headersOf(account, device);
  const live = connect(headers);
  await live.head("0");
  await push(here, headers, [op({ device })]);
  await live.head("1");
  expect(await revokeTokenNow(place(), account.token_id)).toBe(true);
  expect(await live.closed).toBe(4401);
  expect((await push(here, headers, [op({ device, id: "2" })])).status).toBe(401);
});

test("a process that no longer hears of changes ends its live connections", async () => {
  const headers = headersOf(await newAccount({ store }), device);
  const live = connect(headers);
  await live.head("0");
  await here.database.owner.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and (query like 'listen %' or query = 'select 1')",
  );
  expect(await live.closed).toBe(1012);
  const again = await until(
    async () => {
      const next = connect(headers);
      const first = await Promise.race([next.head("0"), next.closed]);
      return first === true ? next : undefined;
    },
    20_000,
    "the channel again",
  );
  await push(here, headers, [op({ device })]);
  await again.head("1");
});

test("the commands with --server reach the accounts of the server", async () => {
  const made = await createAccountNow(place(), "alice");
  const headers = headersOf({ ...made, token_id: made.tokenId }, device);
  expect((await push(here, headers, [op({ device })])).status).toBe(200);
  const listed = await listAccountsNow(place());
  expect(listed).toContainEqual(
    expect.objectContaining({ id: made.id, name: "alice", head_seq: "1", device_count: 1 }),
  );
  await expect(createAccountNow(place(), " alice ")).rejects.toMatchObject({ code: "conflict" });
  await deleteAccountNow(place(), "alice");
  await expect(deleteAccountNow(place(), "alice")).rejects.toMatchObject({ code: "not_found" });
  const { rows } = await here.database.owner.query("select 1 from mem.hub_bodies where team_id = $1", [
    made.id,
  ]);
  expect(rows).toEqual([]);
});
