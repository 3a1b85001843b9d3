// S18: every older route needs a key or is not there, and none shows or changes what another tenant has.
import { afterAll, expect, test } from "vitest";
import { requestsTo } from "../../../helpers/hosted-requests.ts";
import { openTestServer, type TestKey } from "../../../helpers/hosted-server.ts";
import { fakeWorld } from "../../support.ts";

const server = await openTestServer();
const worker = fakeWorld();
afterAll(() => worker.app.close());
const ours = await server.addKey({ team: "ours", project: "same" });
const theirs = await server.addKey({ team: "theirs", project: "same" });
const ourTeam = await server.addKey({ team: "ours" });
const sibling = await server.addKey({ team: "ours", project: "beside" });
const { get, post } = requestsTo(server, ours);

interface Route {
  method: string;
  url: string;
}

const isOlder = ({ url }: Route) => /^\/(api|sessions)(\/|$)/.test(url);
const nameOf = ({ method, url }: Route) => `${method} ${url}`;
const routesOf = (routes: readonly { method: string | string[]; url: string }[]): Route[] =>
  routes.map(({ method, url }) => ({ method: String(method), url })).filter(isOlder);
const mounted = routesOf(server.routes);
const open = ["GET /api/health", "GET /api/readiness", "GET /api/version"];
const withId = (url: string, id: string | number) => url.replace(/:\w+/g, String(id));

function ask(route: Route, { url = withId(route.url, 1), by }: { url?: string; by?: TestKey } = {}) {
  return server.app.inject({
    method: route.method as "GET",
    url,
    headers: {
      host: "x",
      ...(by === undefined ? {} : { authorization: `Bearer ${by.apiKey}` }),
      ...(route.method === "GET" ? {} : { "content-type": "application/json" }),
    },
    ...(route.method === "GET" ? {} : { payload: "{}" }),
  });
}

test("mounts the worker's routes that change nothing on one machine", () => {
  // Described for the worker too; a server answers them the same for everybody.
  const described = ["GET /api/branch/status", "GET /api/sync/status"];
  const known = [...routesOf(worker.routes).map(nameOf), ...described];
  expect(mounted.map(nameOf).filter((name) => !known.includes(name))).toEqual([]);
  expect(mounted.map(nameOf).sort()).toEqual(
    [
      ...open,
      "GET /api/branch/status",
      "GET /api/changes",
      "GET /api/context/inject",
      "GET /api/context/preview",
      "GET /api/context/recent",
      "GET /api/decisions",
      "GET /api/how-it-works",
      "GET /api/mcp/status",
      "GET /api/observation/:id",
      "GET /api/observations",
      "GET /api/observations/by-file",
      "GET /api/processing-status",
      "GET /api/projects",
      "GET /api/prompt/:id",
      "GET /api/prompts",
      "GET /api/search",
      "GET /api/search/by-concept",
      "GET /api/search/by-file",
      "GET /api/search/by-type",
      "GET /api/session/:id",
      "GET /api/settings",
      "GET /api/stats",
      "GET /api/summaries",
      "GET /api/summary/:id",
      "GET /api/sync/status",
      "GET /api/timeline",
      "GET /sessions",
      "GET /sessions/:sessionDbId/status",
      "POST /api/observations/batch",
      "POST /api/search",
      "POST /api/sessions/complete",
      "POST /api/sessions/init",
      "POST /api/sessions/observations",
      "POST /api/sessions/summarize",
      "POST /sessions/:sessionDbId/complete",
      "POST /sessions/:sessionDbId/init",
      "POST /sessions/:sessionDbId/observations",
      "POST /sessions/:sessionDbId/summarize",
    ].sort(),
  );
});

test("without a key all are 401, except three without tenant data", async () => {
  for (const route of mounted) {
    const answer = await ask(route);
    const isOpen = open.includes(nameOf(route));
    expect(answer.statusCode, nameOf(route)).toBe(isOpen ? 200 : 401);
    if (!isOpen) expect(answer.headers["www-authenticate"]).toBe("Bearer");
  }
  expect((await ask({ method: "GET", url: "/api/health" })).json()).toEqual({
    status: "ok",
    version: expect.any(String),
  });
});

test("routes that change one machine are answered like unknown paths", async () => {
  const here = new Set(mounted.map(nameOf));
  const absent = routesOf(worker.routes).filter((route) => !here.has(nameOf(route)));
  expect(absent.map(nameOf)).toEqual(expect.arrayContaining(["POST /api/settings", "POST /api/mcp/toggle"]));
  const unknown = (url: string) => (url === "" ? "" : url.replace(/[^/]+$/, "x"));
  for (const route of absent) {
    const url = withId(route.url, 1);
    for (const by of [undefined, ours]) {
      const answer = await ask(route, { url, ...(by === undefined ? {} : { by }) });
      const other = await ask(route, { url: unknown(url), ...(by === undefined ? {} : { by }) });
      expect(answer.statusCode, nameOf(route)).toBe(404);
      expect(Object.keys(answer.json().error)).toEqual(Object.keys(other.json().error));
      expect(answer.json().error.code).toBe("not_found");
    }
  }
});

test("a key that reads cannot write, one that writes cannot read", async () => {
  const reading = await server.addKey({ team: "ours", project: "same", scopes: ["memories:read"] });
  const writing = await server.addKey({ team: "ours", project: "same", scopes: ["memories:write"] });
  for (const route of mounted.filter((each) => !open.includes(nameOf(each)))) {
    const writes = /sessions/.test(route.url) && route.method === "POST";
    expect((await ask(route, { by: writes ? reading : writing })).statusCode, nameOf(route)).toBe(403);
  }
});

const canary = "zanzibar";

/** A session with everything that the routes can show, of the canary's name; its ids. */
async function plant(by: TestKey) {
  const send = (path: string, body: object) =>
    post(`/api/sessions/${path}`, { claudeSessionId: canary, ...body }, { by });
  const { sessionDbId } = (await send("init", { prompt: `The ${canary} prompt` })).body;
  await send("observations", { tool_name: "Bash", tool_input: { command: canary } });
  const observation = (
    await post("/v1/memories", { content: `The ${canary} record`, title: canary, type: "decision" }, { by })
  ).body.memory;
  const summary = (
    await post("/v1/memories", { content: `A ${canary} summary`, kind: "session_summary" }, { by })
  ).body.memory;
  const { rows } = await server.database.system.query<{ kind: string; seq: number }>({
    text: `select kind, seq::float8 as seq from observations where id = any ($1::uuid[])
      union all
      select 'prompt', seq::float8 from agent_events where event_type = 'user_prompt' and team_id = $2`,
    values: [[observation.id, summary.id], by.team_id],
  });
  const of = (kind: string) => rows.find((row) => row.kind === kind)?.seq ?? 0;
  return { sessionDbId, observation: of("manual"), summary: of("session_summary"), prompt: of("prompt") };
}

const planted = await plant(theirs);

function readsOf({ sessionDbId, observation, summary, prompt }: typeof planted): string[] {
  const project = "project=same";
  return [
    ...["observations", "summaries", "prompts"].map((list) => `/api/${list}?${project}`),
    "/api/observations?limit=100",
    "/sessions",
    `/api/observation/${observation}`,
    `/api/summary/${summary}`,
    `/api/prompt/${prompt}`,
    `/api/session/${sessionDbId}`,
    `/sessions/${sessionDbId}/status`,
    "/api/stats",
    "/api/projects",
    `/api/search?${project}`,
    `/api/search?${project}&query=${canary}`,
    `/api/search?${project}&query=${canary}&format=full`,
    `/api/search?project=${theirs.project_id}&query=${canary}`,
    "/api/search/by-type?type=decision",
    "/api/search/by-concept?concept=gotcha",
    "/api/search/by-file?filePath=a.ts",
    ...["decisions", "changes", "how-it-works"].map((topic) => `/api/${topic}`),
    `/api/timeline?anchor=${observation}`,
    `/api/timeline?anchor=S${summary}&${project}`,
    `/api/timeline?anchor=P${prompt}&project=${theirs.project_id}`,
    "/api/timeline?anchor=2026-01-01",
    `/api/timeline?query=${canary}&${project}`,
    "/api/observations/by-file?path=a.ts",
    `/api/context/recent?limit=100&${project}`,
    `/api/context/inject?projects=same,${theirs.project_id}`,
    `/api/context/preview?project=${theirs.project_id}`,
  ];
}

test("their key finds the canary on the routes, ours and those beside it never do", async () => {
  const seen = await Promise.all(readsOf(planted).map((url) => textOf(url, theirs)));
  expect(seen.filter((text) => text.includes(canary)).length).toBeGreaterThan(15);
  for (const by of [ours, ourTeam, sibling]) {
    for (const url of readsOf(planted)) expect(await textOf(url, by), url).not.toContain(canary);
  }
  const batch = await post("/api/observations/batch", { ids: [planted.observation, planted.summary] });
  expect(batch.body).toEqual([]);
});

test("another tenant's record is answered like one that does not exist", async () => {
  const nobodys = { sessionDbId: 900_001, observation: 900_001, summary: 900_001, prompt: 900_001 };
  const others = readsOf(nobodys);
  const named = readsOf(planted).map((url, at) => ({ url, other: others[at] ?? "" }));
  const numbered = named.filter(({ url, other }) => url !== other);
  expect(numbered.length).toBeGreaterThanOrEqual(8);
  const ofId = (text: string) => text.replaceAll(/\d+/g, "N");
  for (const { url, other } of numbered) {
    const [one, two] = [await get(url), await get(other)];
    expect(one.status, url).toBe(404);
    expect(ofId(one.text), url).toBe(ofId(two.text));
  }
});

test("writes by another tenant's number or name change nothing of theirs", async () => {
  const before = await counts(theirs);
  const url = `/sessions/${planted.sessionDbId}`;
  for (const [path, body] of [
    ["init", { userPrompt: "Mine" }],
    ["observations", { tool_name: "Bash" }],
    ["summarize", {}],
    ["complete", {}],
  ] as const) {
    for (const by of [ours, ourTeam, sibling]) {
      expect((await post(`${url}/${path}`, body, { by })).status, path).toBe(404);
    }
  }
  await post("/api/sessions/complete", { claudeSessionId: canary });
  await post("/api/sessions/init", { claudeSessionId: canary, prompt: "<private>mine</private>" });
  expect(await counts(theirs)).toEqual(before);
});

test("each answered read of records leaves one row in the audit log, without its words", async () => {
  const auditRows = async () =>
    (
      await server.database.system.query<{ details: { by: string } }>({
        text: "select details from audit_log where team_id = $1 and action = 'observation.read'",
        values: [theirs.team_id],
      })
    ).rows;
  const before = (await auditRows()).length;
  for (const url of [
    "/api/search?query=zanzibar",
    "/api/observations",
    "/api/context/recent",
    "/api/decisions",
  ]) {
    await get(url, theirs);
  }
  const after = await auditRows();
  expect(after).toHaveLength(before + 4);
  expect(JSON.stringify(after)).not.toContain(canary);
});

async function textOf(url: string, by: TestKey): Promise<string> {
  const answer = await server.app.inject({
    url,
    headers: { host: "x", authorization: `Bearer ${by.apiKey}` },
  });
  // What was asked for comes back with an answer or a refusal; whether anything was found does not.
  return answer.body.replaceAll(`"query":"${canary}"`, "").replaceAll(`fits \\"${canary}\\"`, "");
}

async function counts({ team_id }: TestKey) {
  const { rows } = await server.database.system.query({
    text: `select
        (select count(*) from agent_events where team_id = $1) as events,
        (select json_agg(to_json(s)) from sessions s where team_id = $1) as sessions,
        (select count(*) from generation_jobs where team_id = $1) as jobs,
        (select count(*) from observations where team_id = $1) as observations`,
    values: [team_id],
  });
  return rows[0];
}
