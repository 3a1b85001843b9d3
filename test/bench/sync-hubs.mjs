// Both ways to run the hub, as processes over a fresh database, and bare inserts into that database.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { importBundle } from "./bundle.mjs";
import { startHttpProcess } from "./http-process.mjs";
import { timeProcess } from "./measure.mjs";
import { serverModules, startBenchPostgres } from "./server-home.mjs";
import { Database } from "./sqlite.mjs";
import { benchHome, own, root } from "./worker.mjs";

const mem = join(root, "bin", "mem.js");

/** `mem hub` on SQLite. */
export async function sqliteHub() {
  const home = benchHome();
  const { stdout } = timeProcess(
    process.execPath,
    [mem, "hub", "account", "create", "bench", "--json"],
    home,
  );
  const account = JSON.parse(stdout);
  const hub = await startHub(home);
  const db = new Database(join(home.dataDir, "hub", "hub.db"));
  for (const pragma of [
    "synchronous = full",
    "foreign_keys = on",
    "secure_delete = on",
    "cache_size = -8000",
  ]) {
    db.pragma(pragma);
  }
  const stored = db.prepare(
    `select a.op_count as ops, cast(a.head_seq as text) as head,
      (select avg(bytes) from bodies where account = a.key) as bytes
    from accounts a
    where a.id = ?`,
  );
  return {
    name: "mem hub",
    floor: "better-sqlite3, prepared inserts, 500 rows in a transaction",
    port: hub.port,
    pid: hub.pid,
    account,
    post: poster(hub.port, account),
    insertAll: sqliteInserts(db),
    /** What the log of the account has: operations, their mean bytes, and the newest sequence. */
    stored: () => stored.get(account.id),
    async remove() {
      db.close();
      hub.stop();
      home.remove();
    },
  };
}

async function startHub(home) {
  const child = own(
    spawn(
      process.execPath,
      [...(process.env.BENCH_NODE_OPTIONS?.split(" ") ?? []), mem, "hub", "start", "--port", "0"],
      {
        env: home.env,
        stdio: ["ignore", "pipe", "ignore"],
      },
    ),
  );
  let printed = "";
  const port = await new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      printed += chunk;
      const found = /answers at http:\S+:(\d+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once("exit", () => reject(new Error("the hub ended")));
  });
  return { port, pid: child.pid, stop: () => child.kill("SIGTERM") };
}

/** Inserts the rows of the requests for another account, each request in one transaction. */
function sqliteInserts(db) {
  const account = db
    .prepare("insert into accounts (id, name, created_at_epoch, epoch) values ('bare', 'bare', 1, 'bare')")
    .run().lastInsertRowid;
  const op = db.prepare(
    "insert into ops (account, log, device, kind, id, revision, seq, deleted, sha256) values (?, 1, ?, 'observation', ?, '1', ?, 0, ?)",
  );
  const body = db.prepare(
    "insert into bodies (account, log, seq, body, bytes, sha256, received_at_epoch) values (?, 1, ?, ?, ?, ?, 1)",
  );
  let seq = 0;
  const insert = db.transaction((device, ops) => {
    for (const each of ops) {
      seq += 1;
      op.run(account, device, each.id, seq, each.digest);
      body.run(account, seq, each.body, each.bytes, each.digest);
    }
  });
  return (device, requests) => {
    for (const { ops } of requests) insert.immediate(device, ops);
  };
}

/** `mem server` on PostgreSQL, which waits for the disk. */
export async function serverHub() {
  const product = await serverModules();
  const hubs = await importBundle(
    "hub-accounts",
    `export { createServerHubStore } from "./src/server/hub/server-hub.ts";
     export { hashToken, makeToken, shownParts } from "./src/hub/token.ts";`,
  );
  const postgres = await startBenchPostgres(product, { settings: ["fsync=on"] });
  const account = await makeAccount(hubs, postgres.database);
  const server = await startHttpProcess(postgres.url);
  const client = new pg.Client({ connectionString: postgres.url, options: "-c search_path=mem" });
  await client.connect();
  return {
    name: "mem server",
    floor: "PostgreSQL, one statement for 500 rows, one connection",
    port: server.port,
    pid: server.pid,
    account,
    post: poster(server.port, account),
    insertAll: await postgresInserts(client),
    async remove() {
      server.stop();
      await client.end();
      await postgres.remove();
    },
  };
}

async function makeAccount({ createServerHubStore, hashToken, makeToken, shownParts }, database) {
  const store = createServerHubStore(database);
  const id = randomUUID();
  const token = makeToken();
  const now = Date.now();
  await store.createAccount({ id, name: "bench", epoch: randomUUID(), now });
  await store.addToken({
    id: randomUUID(),
    account_id: id,
    token_hash: hashToken(token),
    ...shownParts(token),
    now,
  });
  return { id, token };
}

async function postgresInserts(client) {
  const account = randomUUID();
  await client.query("insert into hub_accounts (team_id, name, epoch) values ($1, 'bare', 'bare')", [
    account,
  ]);
  let seq = 0;
  return async (device, requests) => {
    for (const { ops } of requests) {
      const seqs = ops.map(() => String(++seq));
      const digests = ops.map(({ digest }) => digest);
      await client.query("begin");
      await client.query({
        name: "bare-ops",
        text: `insert into hub_ops (team_id, log, device, kind, id, revision, seq, deleted, sha256)
          select $1, 1, $2, 'observation', id, '1', seq, false, sha256
          from unnest($3::text[], $4::bigint[], $5::bytea[]) as each (id, seq, sha256)`,
        values: [account, device, ops.map(({ id }) => id), seqs, digests],
      });
      await client.query({
        name: "bare-bodies",
        text: `insert into hub_bodies (team_id, log, seq, body, bytes, sha256, received_at)
          select $1, 1, seq, body, bytes, sha256, now()
          from unnest($2::bigint[], $3::text[], $4::integer[], $5::bytea[]) as each (seq, body, bytes, sha256)`,
        values: [account, seqs, ops.map(({ body }) => body), ops.map(({ bytes }) => bytes), digests],
      });
      await client.query("commit");
    }
  };
}

/** Posts a push of a device on a kept connection. */
function poster(port, { id, token }) {
  const agent = new Agent({ keepAlive: true });
  return (device, text) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "x-user-id": id,
        "x-device-id": device,
        "x-device-nonce": device,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      };
      const sent = httpRequest(
        { host: "127.0.0.1", port, path: "/v1/sync/ops", method: "POST", agent, headers },
        (answer) => {
          const chunks = [];
          answer.on("data", (chunk) => chunks.push(chunk));
          answer.on("end", () =>
            resolve({ status: answer.statusCode, json: JSON.parse(Buffer.concat(chunks).toString()) }),
          );
          answer.on("error", reject);
        },
      );
      sent.on("error", reject);
      sent.end(text);
    });
}
