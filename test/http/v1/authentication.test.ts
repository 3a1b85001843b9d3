import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { newId } from "../../../src/core/ids.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import { buildServer } from "../../../src/server/build.ts";
import { loadServerSettings } from "../../../src/settings/server.ts";
import type { Connections } from "../../../src/store/postgres/open.ts";
import { makeKey } from "../../../src/tenancy/keys/key-format.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { sendRaw } from "../../helpers/raw-http.ts";

const { app, routes, addKey, database } = await openTestServer();
const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
const right = await addKey();
const key = right.apiKey;
const other = (await addKey({ team: "other" })).apiKey;

function get(lines: readonly string[], target = "/v1/keys") {
  const head = ["Host: mem.example", ...lines, "Connection: close"].join("\r\n");
  return sendRaw(port, `GET ${target} HTTP/1.1\r\n${head}\r\n\r\n`);
}

describe("the one way to present a key", () => {
  test.each([
    `Authorization: Bearer ${key}`,
    `authorization: bearer ${key}`,
    `AUTHORIZATION: BEARER ${key}`,
    `Authorization:Bearer ${key}`,
    `Authorization:   Bearer ${key}   `,
  ])("is taken as %j", async (line) => {
    expect((await get([line])).status).toBe(200);
  });
  const shapes: [string, string[], string?][] = [
    ["nothing", []],
    ["an empty header", ["Authorization:"]],
    ["a scheme alone", ["Authorization: Bearer"]],
    ["a key alone", [`Authorization: ${key}`]],
    ["two spaces", [`Authorization: Bearer  ${key}`]],
    ["a tab", [`Authorization: Bearer\t${key}`]],
    ["another scheme", [`Authorization: Token ${key}`]],
    ["a basic user", [`Authorization: Basic ${btoa(`${key}:`)}`]],
    ["a basic password", [`Authorization: Basic ${btoa(`mem:${key}`)}`]],
    ["a scheme that begins alike", [`Authorization: Bearers ${key}`]],
    ["a colon", [`Authorization: Bearer:${key}`]],
    ["an equals sign", [`Authorization: Bearer=${key}`]],
    ["quotes", [`Authorization: Bearer "${key}"`]],
    ["a comma behind", [`Authorization: Bearer ${key},`]],
    ["a parameter behind", [`Authorization: Bearer ${key}; realm=x`]],
    ["a second word", [`Authorization: Bearer ${key} ${key}`]],
    ["two in one header", [`Authorization: Bearer ${key}, Bearer ${key}`]],
    ["the same header twice", [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
    ["two keys, the right one first", [`Authorization: Bearer ${key}`, `authorization: Bearer ${other}`]],
    ["two keys, the right one last", ["Authorization: Bearer x", `Authorization: Bearer ${key}`]],
    ["a header of its own", [`X-Api-Key: ${key}`]],
    ["the header of a proxy", [`Proxy-Authorization: Bearer ${key}`]],
    ["a cookie", [`Cookie: authorization=Bearer ${key}`]],
    ["a query", [], `/v1/keys?api_key=${key}`],
    ["a query as OAuth has it", [], `/v1/keys?access_token=${key}`],
    ["a user in the target", [], `/v1/keys?authorization=Bearer%20${key}`],
    ["lower case", [`Authorization: Bearer ${key.toLowerCase()}`]],
    ["a letter too many", [`Authorization: Bearer ${key}0`]],
    ["a letter too few", [`Authorization: Bearer ${key.slice(0, -1)}`]],
    ["something of 300 letters", [`Authorization: Bearer ${"a".repeat(300)}`]],
    ["what PostgreSQL does not store", ["Authorization: Bearer \u00ff"]],
  ];
  test.each(shapes)("is not %s", async (_what, lines, target) => {
    const answer = await get(lines, target);
    expect(answer.status).toBe(401);
    expect(answer.headers.toLowerCase()).toContain("www-authenticate: bearer");
    expect(answer.body).not.toContain(key);
  });

  test.each([
    ["a folded header", [`Authorization: Bearer\r\n ${key}`]],
    ["a space before the colon", [`Authorization : Bearer ${key}`]],
    ["a NUL", [`Authorization: Bearer ${key}\0`]],
  ])("%s is no request, or none with a key", async (_what, lines) => {
    expect([400, 401]).toContain((await get(lines)).status);
  });
});

describe("among many headers", () => {
  const filler = (count: number) => Array.from({ length: count }, () => "a:");
  const right = `Authorization: Bearer ${key}`;

  test.each([999, 1_000, 1_001, 1_024, 1_500, 2_001])(
    "of %i, a second Host or key is seen wherever it stands",
    async (count) => {
      for (const second of ["Host: evil.example", `Authorization: Bearer ${other}`]) {
        for (const place of [0, 500, 997, 1_021, count - 4].filter((at) => at <= count - 4)) {
          const lines = filler(count - 4);
          lines.splice(place, 0, second);
          const { status } = await get([right, ...lines]);
          expect([400, 401, 431], `${second} at ${place}`).toContain(status);
        }
      }
    },
  );

  test("more than 1,000 are refused before the key is looked at", async () => {
    expect((await get([right, ...filler(997)])).status).toBe(200);
    const refused = await get([right, ...filler(998)]);
    expect(refused.status).toBe(431);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code: "too_many_headers" } });
  });
});

test("missing, malformed, unknown, expired and revoked keys get the same answer", async () => {
  const expired = await addKey({ expiresInDays: -1 });
  const revoked = await addKey();
  await app.inject({
    method: "DELETE",
    url: `/v1/keys/${revoked.id}`,
    headers: { authorization: `Bearer ${revoked.apiKey}` },
  });
  const presented = [undefined, "nonsense", makeKey(), expired.apiKey, revoked.apiKey];
  const answers = await Promise.all(
    presented.map((each) =>
      app.inject({ url: "/v1/keys", headers: each === undefined ? {} : { authorization: `Bearer ${each}` } }),
    ),
  );
  const shown = answers.map(({ statusCode, headers, body }) => {
    const { "x-request-id": id, date, ...same } = headers;
    expect([typeof id, typeof date]).toEqual(["string", "string"]);
    return JSON.stringify([statusCode, same, body]);
  });
  expect(new Set(shown).size).toBe(1);
  expect(answers[0]?.statusCode).toBe(401);
  expect(answers[0]?.headers["www-authenticate"]).toBe("Bearer");
});

test("without a key no body is read, and no route makes one", async () => {
  const body = `{"a":${"[".repeat(1_000_000)}`;
  for (const { method, url, config } of routes) {
    if (config?.access === "none" || typeof method !== "string" || method === "GET") continue;
    const answer = await app.inject({
      method: method as "POST",
      url: url.replaceAll(/:\w+/g, newId()),
      headers: { "content-type": "text/plain" },
      payload: body,
    });
    expect([url, answer.statusCode]).toEqual([url, 401]);
  }
  expect(routes.some(({ url, method }) => url === "/v1/keys" && method === "POST")).toBe(true);
});

test("a key without the scope is refused after it was known", async () => {
  const reader = await addKey({ scopes: ["memories:read"] });
  const answer = await app.inject({
    method: "POST",
    url: "/v1/keys",
    headers: { authorization: `Bearer ${reader.apiKey}` },
  });
  expect([answer.statusCode, answer.json().error.code]).toEqual([403, "insufficient_scope"]);
});

// The same server over a pool that counts queries and fails on demand.
function serverOver(settings: Record<string, string>) {
  const seen = { queries: 0, fails: false };
  const system: Connections = {
    ...database.system,
    query(statement) {
      seen.queries += 1;
      if (seen.fails) throw Object.assign(new Error("no such table"), { code: "42P01" });
      return database.system.query(statement);
    },
  };
  const built = buildServer({
    database: { ...database, system },
    role: "http",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key", ...settings }),
    log: createStderrLog("SILENT").log,
    clock: systemClock,
    address: () => ({ host: "127.0.0.1", port: 80 }),
  });
  const ask = async (presented: string, remoteAddress = "192.0.2.7") =>
    built.app.inject({ url: "/v1/keys", headers: { authorization: `Bearer ${presented}` }, remoteAddress });
  return { seen, ask };
}

test("a bad checksum costs no query, an unknown key one", async () => {
  const { seen, ask } = serverOver({ MEM_AUTH_FAILURES_PER_MIN: "0" });
  for (let turn = 0; turn < 50; turn += 1) {
    const bad = makeKey().replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect((await ask(bad)).statusCode).toBe(401);
  }
  expect(seen.queries).toBe(0);
  await ask(makeKey());
  expect(seen.queries).toBe(1);
});

test("a database that fails gives 503, never access", async () => {
  const { seen, ask } = serverOver({});
  seen.fails = true;
  const answer = await ask(key);
  expect([answer.statusCode, answer.json().error.code]).toEqual([503, "storage_failed"]);
  seen.fails = false;
  expect((await ask(key)).statusCode).toBe(200);
});

test("an address with too many wrong keys gets Retry-After; a valid key passes", async () => {
  const { ask } = serverOver({ MEM_AUTH_FAILURES_PER_MIN: "5" });
  for (let turn = 0; turn < 5; turn += 1) expect((await ask("wrong")).statusCode).toBe(401);
  const refused = await ask("wrong");
  expect([refused.statusCode, refused.json().error.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect((await ask(key)).statusCode).toBe(200);
  expect((await ask("wrong", "192.0.2.8")).statusCode).toBe(401);
});
