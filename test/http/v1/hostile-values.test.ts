import { expect, test } from "vitest";
import { compatibilityRows } from "../../acceptance/tenancy-compatibility-rows.ts";
import { rowsOfV1 } from "../../acceptance/tenancy-rows.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { createRandom, testSeed } from "../../helpers/random.ts";
import { someOf, volume } from "../../helpers/volume.ts";
import { describedRoutes } from "./described-fields.ts";

const seed = testSeed();
const random = createRandom(seed);
const server = await openTestServer();
const { apiKey } = await server.addKey({ project: "one" });
const team = await server.addKey();
const routes = await describedRoutes(server);
const rows = { ...rowsOfV1, ...compatibilityRows };

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const megabyte = JSON.stringify(Array.from({ length: 200_000 }, (_, n) => `w${n.toString(36)}`).join(" "));

// JSON text, as it stands in a body.
const small: readonly string[] = [
  '"a\\u0000b"',
  '{"a\\u0000":"\\u0000"}',
  '"\\ud800 and \\udc00"',
  '{"\\ud800":1}',
  "1e999999",
  "-1e308",
  "9223372036854775808",
  "2147483648",
  "9007199254740991",
  "-1",
  "0",
  "0.1",
  "null",
  "true",
  '""',
  "[]",
  "{}",
  "[[],{}]",
  '["a\\u0000b"]',
  "[null]",
  "[9223372036854775807]",
  deep(60),
  '{"a":1,"a":2,"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}',
  '"not-a-uuid"',
  '"00000000-0000-0000-0000-000000000000"',
  '"00000000-0000-4000-8000-00000000000A"',
  '"2026-99-99T99:99:99Z"',
  '"-271821-04-20T00:00:00Z"',
  '"+275760-09-13"',
  "8640000000000001",
  "253402300799999",
  "-62135596800001",
  '"infinity"',
  '"a & | ! <-> ( \' \\\\ : * -- ;"',
  '"(((*+?[a-\\\\"',
  '"%_%\\\\"',
  '"\\u202e\\ufeff\\uffff\\u2028"',
  '"S8640000000000001"',
];
const large: readonly string[] = [
  deep(100_000),
  megabyte,
  JSON.stringify("\u{1f600}".repeat(10_000)),
  JSON.stringify("(".repeat(20_000)),
  JSON.stringify("a".repeat(600_000)),
  `[${Array.from({ length: 20_000 }, (_, n) => n).join(",")}]`,
];

let sent = 0;

async function demandNoFault(
  what: string,
  method: string,
  url: string,
  payload: string | undefined,
  by = apiKey,
): Promise<void> {
  sent += 1;
  const answer = await server.app.inject({
    method: method as "GET",
    url,
    headers: { host: "x", authorization: `Bearer ${by}`, "content-type": "application/json" },
    ...(payload === undefined ? {} : { payload }),
  });
  const told = `${what}, MEM_TEST_SEED=${seed}: ${answer.body.slice(0, 300)}`;
  expect(answer.statusCode, told).toBeLessThan(500);
}

// In full every field gets every value. Else a field gets some of the small ones, so that fields in a row get all of them,
// and few large ones. The seed chooses.
const isFull = volume(10) >= 10;
let turn = random.between(0, small.length);

function valuesOf(): string[] {
  turn += 1;
  return [...someOf(small, turn), ...large.filter(() => isFull || random.next() < 0.02)];
}

const ofUrl = (url: string, value: string) => url.replaceAll(/:\w+/g, () => encodeURIComponent(value));
const textOf = (json: string) => (json.startsWith('"') ? String(JSON.parse(json)) : json).slice(0, 8_000);

test("no value of any field of any body is answered as a fault of the server", async () => {
  for (const { name, method, url, body } of routes) {
    if (body === null) continue;
    const base = rows[name]?.body?.() ?? {};
    const by = rows[name]?.teamOnly === true ? team.apiKey : apiKey;
    for (const json of valuesOf()) {
      await demandNoFault(`${name}: ${json.slice(0, 60)}`, method, ofUrl(url, "1"), json, by);
    }
    for (const field of body) {
      const rest = Object.entries({ ...base, ...rows[name]?.body?.() }).filter(([other]) => other !== field);
      const others = rest.map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`);
      for (const json of valuesOf()) {
        const text = `{${[...others, `${JSON.stringify(field)}:${json}`].join(",")}}`;
        await demandNoFault(`${name}, ${field}: ${json.slice(0, 60)}`, method, ofUrl(url, "1"), text, by);
      }
    }
  }
});

test("no value of a path or query parameter is answered with a server error", async () => {
  const raw = ["%00", "%ed%a0%80", "%", "%2e%2e", "'", "\u{1f600}", "%F0%9F%98"];
  for (const { name, method, url, path, query, body } of routes) {
    const payload = body === null ? undefined : JSON.stringify(rows[name]?.body?.() ?? {});
    const values = [...valuesOf().map(textOf).map(encodeSafely), ...someOf(raw, turn, 2)];
    for (const value of values) {
      if (path.length > 0) {
        await demandNoFault(
          `${name} of ${value.slice(0, 60)}`,
          method,
          url.replaceAll(/:\w+/g, value),
          payload,
        );
      }
      for (const parameter of query) {
        const others = Object.entries(rows[name]?.query?.() ?? {}).filter(([other]) => other !== parameter);
        const text = [...others.map(([other, given]) => `${other}=${given}`), `${parameter}=${value}`].join(
          "&",
        );
        await demandNoFault(
          `${name}?${parameter}=${value.slice(0, 60)}`,
          method,
          `${ofUrl(url, "1")}?${text}`,
          payload,
        );
      }
    }
  }
});

test("no argument of any tool is answered as a fault of the server", async () => {
  for (const tool of ["search", "context", "recent"]) {
    for (const argument of ["projectId", "query", "limit"]) {
      for (const json of valuesOf()) {
        const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{${argument === "query" ? "" : '"query":"a",'}"${argument}":${json}}}}`;
        sent += 1;
        const answer = await server.app.inject({
          method: "POST",
          url: "/v1/mcp",
          headers: { host: "x", authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
          payload: text,
        });
        expect(answer.statusCode, `${tool}, ${argument}: ${json.slice(0, 60)}`).toBeLessThan(500);
        expect(answer.body).not.toContain("inside the server failed");
      }
    }
  }
  console.info(`hostile values: ${sent} requests, seed ${seed}`);
});

// What is no well-formed text has no encoding; it is sent as it would be on the wire.
function encodeSafely(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return "%ed%a0%80";
  }
}
