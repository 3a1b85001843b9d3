// A hub that misbehaves, over real sockets: nothing is stamped or applied, nothing crashes, no message has the token.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createHubTransport } from "../../src/sync/hub-transport.ts";
import { wireDigest } from "../../src/sync/ops.ts";
import { canonicalJson, type Json } from "../../src/text/json.ts";
import { createDevice, token } from "./device.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { createVirtualTime } from "./virtual-time.ts";

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Text as it is; any other value as JSON. */
  body?: unknown;
}

type Behavior = Answer | "hang" | "drop" | "drop_in_body" | "garbage";

interface Page {
  epoch: string;
  head_seq: string;
  more: boolean;
  ops: { seq: string; after: string; body: string; sha256: string }[];
}

interface Ack {
  epoch: string;
  head_seq: string;
  results: { seq: string; duplicate: boolean }[];
}

interface Row<Good> {
  name: string;
  does(good: Good): Behavior;
  /** How the device's error begins. */
  says: string;
  state?: "stopped";
}

const big = "18446744073709551616";
const shift = (page: Page, by: number) =>
  page.ops.map((op) => ({ ...op, seq: String(Number(op.seq) + by), after: String(Number(op.after) + by) }));
const refusal = (code: string, details: Json) => ({ error: { code, message: token, hint: token, details } });

const pulls: Row<Page>[] = [
  {
    name: "HTML",
    does: () => ({ headers: { "content-type": "text/html" }, body: `<p>${token}` }),
    says: "The hub sent an answer that is not JSON",
  },
  {
    name: "text that is not JSON",
    does: () => ({ body: `{"epoch": ${token}` }),
    says: "The hub sent an answer that is not JSON",
  },
  { name: "a list", does: () => ({ body: [token] }), says: "The hub sent an answer that is not JSON" },
  {
    name: "deep nesting",
    does: () => ({ body: "[".repeat(100_000) + "]".repeat(100_000) }),
    says: "The hub sent an answer that is not JSON",
  },
  {
    name: "a compressed answer",
    does: (page) => ({ headers: { "content-encoding": "gzip" }, body: gzipSync(JSON.stringify(page)) }),
    says: "The hub sent an answer that is not JSON",
  },
  {
    name: "an endless answer",
    does: () => ({ body: "x".repeat(20_000_000) }),
    says: "The hub's answer is longer",
  },
  {
    name: "a redirect with the token",
    does: () => ({ status: 302, headers: { location: `http://127.0.0.1:1/${token}` } }),
    says: "The hub redirects",
  },
  {
    name: "an error with the token",
    does: () => ({ status: 500, body: refusal(token, { token }) }),
    says: "The hub is busy or failed (status 500)",
  },
  {
    name: "an unknown status",
    does: () => ({ status: 418, body: token }),
    says: "The hub answered with status 418",
  },
  {
    name: "a page with a hole",
    does: (page) => ({ body: { ...page, ops: page.ops.filter((_, at) => at !== 1) } }),
    says: "The hub sent a page with a hole",
  },
  {
    name: "a page that starts too late",
    does: (page) => ({ body: { ...page, head_seq: "99", ops: shift(page, 5) } }),
    says: "The hub sent a page with a hole",
  },
  {
    name: "a page from before the cursor",
    does: (page) => ({ body: { ...page, ops: shift(page, -1) } }),
    says: "The hub sent a page with a hole",
  },
  {
    name: "an operation twice",
    does: (page) => ({ body: { ...page, ops: [...page.ops, ...page.ops.slice(-1)] } }),
    says: "The hub sent a page with a hole",
  },
  {
    name: "operations in another order",
    does: (page) => ({ body: { ...page, ops: page.ops.toReversed() } }),
    says: "The hub sent a page with a hole",
  },
  {
    name: "a sequence beyond 64 bits",
    does: (page) => ({ body: { ...page, ops: page.ops.map((op) => ({ ...op, seq: big })) } }),
    says: "The hub sent an operation that is not complete",
  },
  {
    name: "a head beyond 64 bits",
    does: (page) => ({ body: { ...page, head_seq: big } }),
    says: "The hub sent a page that is not complete",
  },
  {
    name: "sequences as numbers",
    does: (page) => ({ body: { ...page, ops: page.ops.map((op) => ({ ...op, seq: Number(op.seq) })) } }),
    says: "The hub sent an operation that is not complete",
  },
  {
    name: "a head before its operations",
    does: (page) => ({ body: { ...page, head_seq: "3" } }),
    says: "The hub sent a page with a hole",
  },
  {
    name: "a log that became shorter",
    does: (page) => ({ body: { ...page, head_seq: "1", ops: [] } }),
    says: "The hub's log is shorter",
  },
  {
    name: "a body that was changed",
    does: (page) => ({
      body: { ...page, ops: page.ops.map((op) => ({ ...op, body: op.body.replace("theirs", "evil!!") })) },
    }),
    says: "The hub sent an operation that does not match",
  },
  {
    name: "a body that is too large",
    does: (page) => ({ body: { ...page, ops: [{ ...page.ops[0], body: "x".repeat(256_001) }] } }),
    says: "The hub sent an operation that is too large",
  },
  {
    name: "more operations than asked for",
    does: (page) => ({ body: { ...page, ops: Array.from({ length: 501 }, () => page.ops[0]) } }),
    says: "The hub sent a page that is not complete",
  },
  {
    name: "an empty page that more follows",
    does: (page) => ({ body: { ...page, ops: [], more: true } }),
    says: "The hub sent an empty page",
  },
  { name: "no page", does: () => ({ body: {} }), says: "The hub sent no valid name" },
  {
    name: "the token as the name of the log",
    does: (page) => ({ body: { ...page, epoch: `${token} ` } }),
    says: "The hub sent no valid name",
  },
  {
    name: "another log each time",
    does: (page) => ({ body: { ...page, epoch: `e${Math.random()}`.replace(".", "") } }),
    says: "The hub changes its log",
  },
  { name: "silence", does: () => "hang", says: "The hub gave no answer within 30 s" },
  { name: "a closed connection", does: () => "drop", says: "The hub cannot be reached" },
  { name: "half an answer", does: () => "drop_in_body", says: "The hub cannot be reached" },
  { name: "bytes that are not HTTP", does: () => "garbage", says: "The hub cannot be reached" },
  {
    name: "401 with the token",
    does: () => ({ status: 401, headers: { "www-authenticate": token }, body: token }),
    says: "The hub does not accept the token",
    state: "stopped",
  },
  {
    name: "403 with the token",
    does: () => ({ status: 403, body: refusal("account_mismatch", { token }) }),
    says: "The token belongs to another account",
    state: "stopped",
  },
];

const pushes: Row<Ack>[] = [
  {
    name: "no acknowledgment",
    does: (ack) => ({ body: { ...ack, results: [] } }),
    says: "The hub did not acknowledge each operation",
  },
  {
    name: "too many acknowledgments",
    does: (ack) => ({ body: { ...ack, results: [...ack.results, ...ack.results] } }),
    says: "The hub did not acknowledge each operation",
  },
  {
    name: "acknowledgments without sequences",
    does: (ack) => ({ body: { ...ack, results: ack.results.map(() => ({ duplicate: true })) } }),
    says: "The hub acknowledged an operation without",
  },
  {
    name: "the sequence 0",
    does: (ack) => ({ body: { ...ack, results: ack.results.map((each) => ({ ...each, seq: "0" })) } }),
    says: "The hub acknowledged an operation without",
  },
  {
    name: "sequences after the head",
    does: (ack) => ({ body: { ...ack, head_seq: "1" } }),
    says: "The hub acknowledged an operation without",
  },
  {
    name: "one sequence for all",
    does: (ack) => ({ body: { ...ack, results: ack.results.map((each) => ({ ...each, seq: "6" })) } }),
    says: "The hub gave two operations one sequence",
  },
  {
    name: "acknowledgments in another order",
    does: (ack) => ({ body: { ...ack, results: ack.results.toReversed() } }),
    says: "The hub acknowledged in another order",
  },
  {
    name: "acknowledgments of another log",
    does: (ack) => ({ body: { ...ack, epoch: "other" } }),
    says: "The hub acknowledged the push in another log",
  },
  {
    name: "a refusal with status 200",
    does: () => ({ body: refusal("deleted", { index: 0 }) }),
    says: "The hub acknowledged the push in another log",
  },
  {
    name: "a refusal of an operation that was not sent",
    does: () => ({ status: 409, body: refusal("deleted", { index: 2 }) }),
    says: "The hub refused an operation that was not sent",
  },
  {
    name: "a refusal of half an operation",
    does: () => ({ status: 409, body: refusal("deleted", { index: 0.5 }) }),
    says: "The hub refused an operation that was not sent",
  },
  {
    name: "a conflict that does not exist",
    does: () => ({ status: 409, body: refusal(token, { index: 0 }) }),
    says: "The hub refused the request for a reason",
  },
  {
    name: "a changed log that did not change",
    does: () => ({ status: 409, body: refusal("epoch_changed", { epoch: token }) }),
    says: "The hub started a new log",
  },
  {
    name: "an endless pause",
    does: () => ({ status: 503, headers: { "retry-after": "999999999" } }),
    says: "The hub is busy or failed (status 503)",
  },
  { name: "silence", does: () => "hang", says: "The hub gave no answer within 30 s" },
  { name: "half an answer", does: () => "drop_in_body", says: "The hub cannot be reached" },
  {
    name: "a full account",
    does: () => ({ status: 409, body: refusal("device_limit_exceeded", {}) }),
    says: "The account has 64 devices",
    state: "stopped",
  },
];

const server = createServer((request, response) => void serve(request, response));
let hub = createMemoryHub();
let behavior: ((path: string, good: never) => Behavior | undefined) | undefined;
let onHang: () => void = () => undefined;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const { method, url: path = "" } = request;
  const good = await hub.transport.exchange(
    { method: method === "POST" ? "POST" : "GET", path, headers, body, maxAnswerBytes: 0 },
    new AbortController().signal,
  );
  const parsed: never = JSON.parse(good.json ?? "null") as never;
  const does = good.status === 200 ? behavior?.(path, parsed) : undefined;
  if (does === undefined) send(response, { status: good.status, body: good.json });
  else misbehave(response, does);
}

function misbehave(response: ServerResponse, does: Behavior): void {
  if (does === "hang") onHang();
  else if (does === "drop") response.destroy();
  else if (does === "drop_in_body") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"epoch":', () => response.destroy());
  } else if (does === "garbage") response.socket?.end(`${token}\r\n${token}\r\n\r\n`);
  else send(response, does);
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Answer): void {
  // Every answer tries to leak.
  response.writeHead(status, token.slice(0, 20), {
    "content-type": "application/json",
    "x-token": token,
    ...headers,
  });
  response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

/** A device with a record on the hub, two more to push, and three to pull. */
async function prepare() {
  hub = createMemoryHub();
  behavior = undefined;
  const time = createVirtualTime();
  const { port } = server.address() as AddressInfo;
  const address = { origin: `http://127.0.0.1:${port}`, prefix: "" };
  const device = createDevice(createHubTransport({ address, timers: time.timers }), { time });
  onTestFinished(() => device.engine.close());
  device.store.write({ text: "first" });
  device.engine.start();
  expect(await device.engine.syncNow({ deadlineMs: 1e9 })).toBe("done");
  const other = createDevice(hub.transport, { nonce: "other" });
  for (let n = 0; n < 2; n += 1) other.store.write({ text: `theirs ${n}` });
  other.engine.start();
  await other.time.advance(0);
  device.store.write({ text: "mine" });
  device.store.write({ text: "mine too" });
  return { ...device, other };
}

async function run(at: string, { does, says, state = undefined }: Row<never>): Promise<void> {
  const { engine, store, time, other, failures } = await prepare();
  const before = { cursor: store.state().cursor, records: store.digest(), stamped: store.stamped() };
  behavior = (path, good) => (path.includes(at) ? does(good) : undefined);
  onHang = () => void time.advance(30_000);
  expect(await engine.syncNow({ deadlineMs: 1e9 })).toBe("failed");
  const status = engine.status();
  expect(status.lastError).toMatch(new RegExp(`^${says.replace(/[()]/g, "\\$&")}`));
  expect(status.state).toBe(state ?? "backoff");
  expect(JSON.stringify([status, store.failed(), failures.map(String)])).not.toContain(token.slice(7));
  // A new log takes stamps away; nothing gives one.
  expect(before.stamped).toEqual(expect.arrayContaining(store.stamped()));
  if (at === "changes") {
    // Another log is adopted, with nothing of it.
    if (status.epoch === "epoch-1") expect(store.state().cursor).toBe(before.cursor);
    expect(store.digest()).toEqual(before.records);
  }
  expect(store.failed()).toEqual([]);
  behavior = undefined;
  expect(await engine.syncNow({ deadlineMs: 1e9 })).toBe("done");
  await other.engine.syncNow({ deadlineMs: 1e9 });
  expect(store.unsynced()).toEqual([]);
  expect(store.digest()).toEqual(other.store.digest());
  expect(Object.keys(store.digest())).toHaveLength(5);
}

test.each(pulls)("a pull survives $name", (row) => run("changes", row as Row<never>));
test.each(pushes)("a push survives $name", (row) => run("ops", row as Row<never>));

test("an operation that a hub planted is shown, and the rest is applied", async () => {
  const { engine, store } = await prepare();
  const head = { v: 1, device: "x", kind: "observation", id: "1", revision: "0", deleted: false };
  const planted = [
    "{}",
    `{ "v": 1 }`,
    canonicalJson({ ...head, payload: "text" }),
    canonicalJson({ ...head, kind: token, payload: {} }),
    canonicalJson({ ...head, sealed: "AQ" }),
  ];
  behavior = (path, good: Page) => {
    if (!path.includes("changes") || good.ops.length === 0) return undefined;
    const last = Number(good.ops.at(-1)?.seq);
    const ops = planted.map((body, at) => ({
      ...{ seq: String(last + at + 1), after: String(last + at), body, sha256: wireDigest(body) },
    }));
    return { body: { ...good, head_seq: String(last + planted.length), ops: [...good.ops, ...ops] } };
  };
  await engine.syncNow({ deadlineMs: 1e9 });
  expect(store.failed()).toHaveLength(planted.length);
  expect(JSON.stringify(store.failed())).not.toContain(token.slice(7));
  expect(Object.values(store.digest()).filter((each) => each.includes("theirs"))).toHaveLength(2);
});
