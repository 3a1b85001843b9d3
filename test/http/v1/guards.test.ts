import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";

const capped = await openTestServer({ MEM_MONTHLY_REQUEST_CAP: "3", MEM_MONTHLY_TOKEN_CAP: "500" });
const rated = await openTestServer({ MEM_RATE_LIMIT_PER_MIN: "2" });
const every = capped.routes.flatMap((route) => [route.method].flat().map((method) => ({ method, route })));

async function send(server: typeof capped, by: TestKey, method: string, url: string) {
  const { app } = server;
  const answer = await app.inject({
    method: method === "DELETE" || method === "POST" ? method : "GET",
    url,
    headers: {
      host: "x",
      authorization: `Bearer ${by.apiKey}`,
      ...(method === "POST" ? { "content-type": "application/json" } : {}),
    },
    ...(method === "POST" ? { payload: "{}" } : {}),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
}

async function used(team_id: string, kind: string, total: number): Promise<void> {
  await capped.database.system.query({
    text: `insert into usage_rollups (team_id, month, kind, total)
      values ($1, date_trunc('month', now() at time zone 'UTC')::date, $2, $3)`,
    values: [team_id, kind, total],
  });
}

const open = [
  "GET /v1/usage",
  "DELETE /v1/memories/:id",
  "DELETE /v1/projects/:projectId/memory",
  "DELETE /v1/keys/:id",
  "POST /v1/jobs/:id/cancel",
];

test("usage and every DELETE stay open over quota", () => {
  const declared = every
    .filter(({ route }) => route.config?.openOverQuota === true)
    .map(({ method, route }) => `${method} ${route.url}`);
  expect(declared.sort()).toEqual([...open].sort());
  // The transport has no session that could be ended: 405.
  for (const { method, route } of every.filter(({ route: { url } }) => url !== "/v1/mcp"))
    if (method === "DELETE") expect(declared).toContain(`${method} ${route.url}`);
});

test.each(["request", "tokens"])(
  "a team that used up its %s gets an answer from every open route",
  async (kind) => {
    const key = await capped.addKey({ team: `over ${kind}`, project: "shop" });
    await used(key.team_id, kind, 5_000);
    for (const route of open) {
      const [method = "", path = ""] = route.split(" ");
      const url = path.replace(/:\w+/, path.includes("projects") ? (key.project_id ?? "") : newId());
      const { status } = await send(capped, key, method, url);
      expect([200, 404], route).toContain(status);
    }
    const refused = await send(capped, key, "POST", "/v1/projects");
    expect(refused.status).toBe(402);
    expect(refused.body.error.hint).toContain("GET /v1/usage");
  },
);

test("what is open is counted like other requests", async () => {
  const key = await capped.addKey({ team: "counted" });
  for (let turn = 0; turn < 5; turn += 1) await send(capped, key, "GET", "/v1/usage");
  const { body } = await send(capped, key, "GET", "/v1/usage");
  expect(body).toMatchObject({ usage: { request: 6 }, caps: { monthlyRequests: 3 } });
  expect((await send(capped, key, "GET", "/v1/projects")).status).toBe(402);
});

test("a call that the key's scopes do not allow is counted like any other", async () => {
  const key = await capped.addKey({ team: "reads", scopes: ["memories:read"] });
  for (let turn = 0; turn < 3; turn += 1)
    expect((await send(capped, key, "POST", "/v1/projects")).status).toBe(403);
  expect((await send(capped, key, "GET", "/v1/projects")).status).toBe(402);
});

test("a key over its rate is refused open routes too, with rate headers", async () => {
  const key = await rated.addKey({ team: "fast" });
  const first = await send(rated, key, "GET", "/v1/usage");
  expect(first.headers).toMatchObject({ "x-ratelimit-limit": "2", "x-ratelimit-remaining": "1" });
  await send(rated, key, "GET", "/v1/usage");
  const refused = await send(rated, key, "GET", "/v1/usage");
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({ "x-ratelimit-remaining": "0" });
  const retryAfter = Number(refused.headers["retry-after"]);
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(61);
  expect(refused.body.error.details).toEqual({ retryAfterSeconds: retryAfter });
  // Both left in the same second or in the one before: the whole limit is back when the last of them leaves.
  expect(Number.isInteger(Number(refused.headers["x-ratelimit-reset"]))).toBe(true);
});

test("the document marks routes open over quota, without a 402", async () => {
  const document = (await capped.app.inject({ url: "/v1/openapi.json", headers: { host: "x" } })).json();
  for (const { method, route } of every) {
    const operation = document.paths[route.url.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
    const isOpen = open.includes(`${method} ${route.url}`);
    expect(/used up/.test(operation.description ?? ""), route.url).toBe(isOpen);
    if (isOpen) expect(Object.keys(operation.responses)).not.toContain("402");
  }
});

test("meters calls refused by rate or quota like answered ones", async () => {
  const limited = await openTestServer({
    MEM_RATE_LIMIT_PER_MIN: "4",
    MEM_MONTHLY_REQUEST_CAP: "2",
    MEM_USAGE_METERING: "1",
  });
  const key = await limited.addKey({ team: "metered" });
  const statuses: number[] = [];
  for (let turn = 0; turn < 7; turn += 1)
    statuses.push((await send(limited, key, "GET", "/v1/projects")).status);
  expect(statuses).toEqual([200, 200, 402, 402, 429, 429, 429]);
  const count = async () => {
    const { rows } = await limited.database.system.query<{ events: number; total: number }>({
      text: `select
          (select count(*)::int from usage_events where team_id = $1 and kind = 'request') as events,
          (select total::int from usage_rollups where team_id = $1 and kind = 'request') as total`,
      values: [key.team_id],
    });
    return rows[0];
  };
  // Written behind the answers. The month's total is that of the cap, which a refused call does not use up.
  while ((await count())?.events !== 7) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await count()).toEqual({ events: 7, total: 2 });
});
