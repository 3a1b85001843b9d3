import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../src/core/is-alive.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import { findServerDatabase } from "../../../src/server/postgres/own-database.ts";
import { createTestDatabase, fillCluster } from "../../helpers/postgres.ts";
import { sharedTempDir } from "../../helpers/temp-dir.ts";

const bin = fileURLToPath(new URL("../../../bin/mem.js", import.meta.url));
const { log } = createStderrLog("SILENT");
const named = await createTestDatabase();

const dataDir = sharedTempDir();
fillCluster(dataDir);

function find({ named = "", isBrief = false } = {}) {
  return findServerDatabase({ named, dataDir, log, isBrief, onLost: () => undefined });
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await delay(50);
}

function postmaster(dataDir: string): number {
  return Number(readFileSync(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8").split("\n")[0]);
}

test("uses the configured database", async () => {
  expect(await find({ named })).toMatchObject({ url: named, described: "named" });
});

test("concurrent servers and commands share one PostgreSQL", async () => {
  const command = await find({ isBrief: true });
  const server = find();
  await delay(300);
  await command.stop();
  const started = await server;
  onTestFinished(() => started.stop());
  expect([command.described, started.described]).toEqual(["private", "private"]);
  const beside = await Promise.all([find({ isBrief: true }), find({ isBrief: true }), find()]);
  expect(beside.map(({ described }) => described)).toEqual(["joined", "joined", "joined"]);
  expect(existsSync(join(dataDir, "postgres.lock"))).toBe(false);
  // A server that joined would restart it.
  for (const { stop } of beside) await stop();
});

test("a private database has no port, is joined by a second server, and ends", async () => {
  const first = await find();
  onTestFinished(() => first.stop());
  expect(first.described).toBe("private");
  const second = await find();
  expect(second).toMatchObject({ url: first.url, described: "joined" });
  await second.stop();
  expect(await answers(first.url)).toBe(true);
  const sockets = new URL(first.url).searchParams.get("host") ?? "";
  expect(statSync(sockets).mode & 0o077).toBe(0);
  const client = new Client({ connectionString: first.url });
  await client.connect();
  expect((await client.query("show listen_addresses")).rows).toEqual([{ listen_addresses: "" }]);
  await client.end();
  await first.stop();
  expect(await answers(first.url)).toBe(false);
});

test("restarts a private database after a crash with all committed data", async () => {
  const database = await find();
  onTestFinished(() => database.stop());
  const client = new Client({ connectionString: database.url });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("create table kept (n integer)");
  await client.query("insert into kept values (7)");
  process.kill(postmaster(dataDir), "SIGKILL");
  await eventually(() => answers(database.url));
  const later = new Client({ connectionString: database.url });
  await later.connect();
  expect((await later.query("select n from kept")).rows).toEqual([{ n: 7 }]);
  await later.end();
});

test("a server that is killed takes its private PostgreSQL with it", async () => {
  const server = spawn(process.execPath, [bin, "server", "--port", "0"], {
    env: { PATH: process.env.PATH, HOME: dataDir, MEM_DATA_DIR: dataDir, MEM_PROVIDER: "local" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  await new Promise<void>((resolve) => server.stdout.once("data", () => resolve()));
  const pid = postmaster(dataDir);
  expect(isAlive(pid)).toBe(true);
  server.kill("SIGKILL");
  await eventually(() => !isAlive(pid));
  expect(isAlive(pid)).toBe(false);
});
