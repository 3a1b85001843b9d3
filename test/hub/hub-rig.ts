// The hub over both stores, with accounts, and devices that push and read through the app.
import { join } from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { digestOf, newId } from "../../src/core/ids.ts";
import { createStderrLog } from "../../src/core/log.ts";
import type { SyncOpHead } from "../../src/core/records/sync-op.ts";
import type { HubStore } from "../../src/hub/store.ts";
import { hashToken, makeToken, shownParts } from "../../src/hub/token.ts";
import { buildHub } from "../../src/server/hub/build-hub.ts";
import { createServerHubStore } from "../../src/server/hub/server-hub.ts";
import type { Environment } from "../../src/settings/environment.ts";
import { loadServerSettings } from "../../src/settings/server.ts";
import { openHubStore } from "../../src/store/sqlite/hub/hub-store.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import { canonicalJson, type JsonObject } from "../../src/text/json.ts";
import { openTestServer } from "../helpers/hosted-server.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

type App = ReturnType<typeof buildHub>["app"];

export interface TestHub {
  app: App;
  store: HubStore;
  /** Continues the log of an account from a sequence, as after that many operations. */
  continueFrom(accountId: string, seq: string): Promise<void>;
}

/** Without limits on requests, unless `env` sets them. */
const unlimited = { MEM_AUTH_FAILURES_PER_MIN: "0", MEM_HUB_RATE_LIMIT_PER_MIN: "0" };

/** Both ways to run the hub; each test file opens its own. */
export const testHubs: readonly { name: string; open(env?: Environment): Promise<TestHub> }[] = [
  { name: "SQLite", open: openSqliteHub },
  { name: "PostgreSQL", open: openPostgresHub },
];

async function openSqliteHub(env: Environment = {}): Promise<TestHub> {
  const path = join(sharedTempDir(), "hub.db");
  const store = openHubStore(path, { product: "test", now: systemClock.now() });
  const hub = buildHub({
    store,
    settings: loadServerSettings({ ...unlimited, ...env }),
    log: createStderrLog("SILENT").log,
    clock: systemClock,
  });
  hub.start();
  afterAll(async () => {
    await hub.close();
    store.close();
  });
  return {
    app: hub.app,
    store,
    async continueFrom(accountId, seq) {
      const db = new Database(path);
      db.prepare("update accounts set head_seq = cast(? as integer) where id = ?").run(seq, accountId);
      db.close();
    },
  };
}

async function openPostgresHub(env: Environment = {}): Promise<TestHub> {
  const server = await openTestServer({ ...unlimited, ...env });
  return {
    app: server.app,
    store: createServerHubStore(server.database),
    async continueFrom(accountId, seq) {
      const text = "update hub_accounts set head_seq = $1 where team_id = $2";
      await server.database.system.query({ text, values: [seq, accountId] });
    },
  };
}

export interface TestAccount {
  id: string;
  name: string;
  token: string;
  token_id: string;
}

export async function newAccount({ store }: Pick<TestHub, "store">): Promise<TestAccount> {
  const account = { id: newId(), name: `account ${newId()}` };
  const now = systemClock.now();
  await store.createAccount({ ...account, epoch: newId(), now });
  return { ...account, ...(await newToken(store, account.id)) };
}

export async function newToken(store: HubStore, account_id: string) {
  const token = makeToken();
  const token_id = newId();
  const parts = { token_hash: hashToken(token), ...shownParts(token) };
  await store.addToken({ id: token_id, account_id, ...parts, now: systemClock.now() });
  return { token, token_id };
}

/** An operation, sealed as a device does it. */
export interface Op {
  body: string;
  sha256: string;
}

export function op(head: Partial<SyncOpHead> & { device: string }, payload: JsonObject = {}): Op {
  const defaults = { v: 1, kind: "observation", id: "1", revision: "1", deleted: false };
  return sealed(canonicalJson({ ...payload, ...defaults, ...head }));
}

export function sealed(body: string): Op {
  return { body, sha256: digestOf(body).toString("base64url") };
}

/** An operation whose body has exactly `bytes` UTF-8 bytes, filled with a letter of three bytes. */
export function opOfSize(head: Partial<SyncOpHead> & { device: string }, bytes: number): Op {
  const room = bytes - Buffer.byteLength(op(head, { text: "" }).body);
  return op(head, { text: "\u20ac".repeat(Math.floor(room / 3)) + "x".repeat(room % 3) });
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the answers of a test are read field by field
  body: any;
}

export type Headers = Readonly<Record<string, string>>;

/** Headers of a device; its nonce follows from its id. */
export function headersOf(account: TestAccount, device: string): Record<string, string> {
  return {
    host: "hub.example",
    authorization: `Bearer ${account.token}`,
    "x-user-id": account.id,
    "x-device-id": device,
    "x-device-nonce": `nonce-of-${device}`,
    "x-device-name": `name%20of%20${device}`,
  };
}

export async function push(
  { app }: Pick<TestHub, "app">,
  headers: Headers,
  ops: readonly unknown[],
  more: JsonObject = {},
): Promise<Answer> {
  const payload = JSON.stringify({ ...more, ops });
  const json = { ...headers, "content-type": "application/json" };
  const answer = await app.inject({ method: "POST", url: "/v1/sync/ops", headers: json, payload });
  return { status: answer.statusCode, body: answer.json() };
}

export async function get({ app }: Pick<TestHub, "app">, headers: Headers, url: string): Promise<Answer> {
  const answer = await app.inject({ url, headers });
  return { status: answer.statusCode, body: answer.json() };
}

/** Every operation of the log from `since` on, read page by page as a device does it; throws on a hole. */
export async function readAll(
  hub: Pick<TestHub, "app">,
  headers: Headers,
  { since = "0", limit = 500 }: { since?: string; limit?: number } = {},
): Promise<{ seq: string; body: string }[]> {
  const all: { seq: string; body: string }[] = [];
  for (let cursor = since; ; ) {
    const { body } = await get(hub, headers, `/v1/sync/changes?since=${cursor}&limit=${limit}`);
    demandWhole(body.ops, cursor);
    all.push(...body.ops);
    cursor = body.ops.at(-1)?.seq ?? cursor;
    if (!body.more) return all;
  }
}

/** The rule by which a device refuses a page with a hole. */
export function demandWhole(ops: readonly { seq: string; after: string }[], since: string): void {
  for (const [at, { seq, after }] of ops.entries()) {
    const before = ops[at - 1]?.seq;
    const fits =
      before === undefined
        ? BigInt(after) <= BigInt(since) && BigInt(since) < BigInt(seq)
        : after === before && BigInt(before) < BigInt(seq);
    if (!fits) throw new Error(`a hole before ${seq}: after ${after}, since ${since}`);
  }
}
