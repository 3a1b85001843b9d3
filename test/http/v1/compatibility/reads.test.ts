import { expect, test } from "vitest";
import type { NewHostedObservation } from "../../../../src/core/records/hosted-record.ts";
import { insertObservations } from "../../../../src/store/postgres/observations.ts";
import { inTenant } from "../../../../src/store/postgres/tenant.ts";
import { hostedObservation } from "../../../helpers/hosted-records.ts";
import { requestsTo } from "../../../helpers/hosted-requests.ts";
import { openTestServer, type TestKey } from "../../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "shop" });
const other = await server.addKey({ project: "blog" });
const teamKey = await server.addKey();
const { get, post } = requestsTo(server, key);
const day = (n: number) => Date.UTC(2026, 0, n, 12);

/** Stores records, oldest first; their numbers. */
async function store({ team_id, project_id }: TestKey, ...given: Partial<NewHostedObservation>[]) {
  const scope = { team_id, project_id: project_id ?? "" };
  const stored = await inTenant(server.database.app, scope, (connection) =>
    insertObservations(
      connection,
      given.map((one) => hostedObservation(scope, one)),
    ),
  );
  return stored.map(({ seq }) => seq);
}

const decision = {
  title: "Sessions stay in Redis",
  obs_type: "decision",
  concepts: ["trade-off"],
  narrative: "They outlive a deploy there.",
  created_at_epoch: day(1),
};
const mended = {
  title: "Login redirect mended",
  obs_type: "bugfix",
  concepts: ["gotcha", "what-changed"],
  files_read: ["src/router.ts", "/w/shop/src/index.ts"],
  files_modified: ["src/auth/login.ts"],
  facts: ["the query was lost"],
  created_at_epoch: day(2),
};
const explained = {
  title: "How the cart is priced",
  concepts: ["how-it-works"],
  files_read: ["src/cart/price.ts"],
  provenance: "web",
  created_at_epoch: day(3),
};
const summary = {
  kind: "session_summary",
  obs_type: "session_summary",
  title: "Mend the login",
  summary: "The redirect keeps its query.",
  narrative: "Mend the login\n\nThe redirect keeps its query.",
  created_at_epoch: day(4),
};
const [first = 0, second = 0, third = 0, summed = 0] = await store(key, decision, mended, explained, summary);
const [beside = 0] = await store(other, { title: "A login elsewhere", created_at_epoch: day(2) });
for (const prompt of ["Why is the login broken?", "Explain the cart", "Thanks"]) {
  await post("/api/sessions/init", { claudeSessionId: "s", prompt });
}

const idsIn = (items: { id: number }[]) => items.map(({ id }) => id);

test("pages are newest first and end where the records end", async () => {
  const { body } = await get("/api/observations?limit=2");
  expect(body).toMatchObject({ hasMore: true, offset: 0, limit: 2 });
  expect(idsIn(body.items)).toEqual([third, second]);
  const rest = (await get("/api/observations?limit=2&offset=2")).body;
  expect([idsIn(rest.items), rest.hasMore]).toEqual([[first], false]);
  expect((await get("/api/observations?offset=9007199254740991")).body.items).toEqual([]);
  expect(idsIn((await get("/api/summaries")).body.items)).toEqual([summed]);
  const prompts = (await get("/api/prompts?limit=2")).body;
  expect(prompts.hasMore).toBe(true);
  expect(prompts.items.map((one: { prompt_text: string }) => one.prompt_text)).toEqual([
    "Thanks",
    "Explain the cart",
  ]);
});

test("a key of the team reads every project of it, or the one that it names", async () => {
  const read = async (query: string) => idsIn((await get(`/api/observations${query}`, teamKey)).body.items);
  expect(await read("")).toEqual([beside, third, second, first]);
  expect(await read("?project=blog")).toEqual([beside]);
  expect(await read(`?project=${other.project_id}`)).toEqual([beside]);
  expect(await read("?project=none")).toEqual([]);
  expect((await get("/api/projects", teamKey)).body).toEqual({ projects: ["blog", "shop"] });
  expect((await get("/api/projects")).body).toEqual({ projects: ["shop"] });
  expect((await get("/api/observations?project=blog")).body.items).toEqual([]);
  expect((await get(`/api/observations?project=${other.project_id}`)).body.items).toEqual([]);
  const { database } = (await get("/api/stats")).body;
  expect(database).toEqual({
    path: "",
    size: 0,
    observations: 3,
    sessions: 1,
    summaries: 1,
    prompts: 3,
    firstObservationAt: day(1),
  });
});

test("a record has the columns of a worker's, its lists as text", async () => {
  expect((await get(`/api/observation/${second}`)).body).toMatchObject({
    id: second,
    project: "shop",
    obs_type: "bugfix",
    title: "Login redirect mended",
    facts: '["the query was lost"]',
    files_touched: '["src/auth/login.ts","src/router.ts","/w/shop/src/index.ts"]',
    provenance: "agent",
    status: "active",
    pinned: 0,
    created_at_epoch: day(2),
  });
  expect((await get(`/api/summary/${summed}`)).body).toMatchObject({
    request: "Mend the login",
    completed: "The redirect keeps its query.",
    summary_text: summary.narrative,
  });
  // A summary is no observation, and an observation no summary.
  expect((await get(`/api/observation/${summed}`)).status).toBe(404);
  expect((await get(`/api/summary/${second}`)).status).toBe(404);
  const batch = await post("/api/observations/batch", { ids: [third, 900_001, first, summed, beside] });
  expect(idsIn(batch.body)).toEqual([third, first]);
  expect(batch.body[0].concepts).toEqual(["how-it-works"]);
});

test("search finds by words, and narrows by every filter", async () => {
  const found = async (query: string) => {
    const { body } = await get(`/api/search?${query}`);
    return [idsIn(body.observations), idsIn(body.sessions), body.prompts.length];
  };
  expect(await found("query=login+redirect")).toEqual([[second], [summed], 1]);
  expect(await found("query=login&type=observations")).toEqual([[second], [], 0]);
  expect(await found("query=login&type=decision")).toEqual([[], [], 0]);
  expect(
    await found("query=login&concepts=gotcha&files=login.ts&dateStart=2026-01-02&dateEnd=2026-01-02"),
  ).toEqual([[second], [], 0]);
  expect(await found("query=login&dateEnd=2026-01-01")).toEqual([[], [], 0]);
  expect(await found("query=login&offset=1")).toEqual([[], [], 0]);
  expect(await found("")).toEqual([[third, second, first], [summed], 3]);
  expect(await found("dateStart=2026-01-02&dateEnd=2026-01-03")).toEqual([[third, second], [], 0]);
  expect(await found("files=price.ts,router.ts")).toEqual([[third, second], [], 0]);
  expect(await found("files=ice.ts")).toEqual([[], [], 0]);
  expect(await found("project=blog&query=login")).toEqual([[], [], 0]);
  expect((await get("/api/search?query=login")).body.observations[0]).toMatchObject({
    title: "Login redirect mended",
    obs_type: "bugfix",
    rank: expect.any(Number),
    matched_by: ["words"],
  });
  expect((await get("/api/search?query=login", teamKey)).status).toBe(400);
  expect(idsIn((await get("/api/search?query=login&project=blog", teamKey)).body.observations)).toEqual([
    beside,
  ]);
});

test("the fixed questions and the records of a concept, a file, a type", async () => {
  const found = async (url: string) => idsIn((await get(url)).body.observations);
  expect(await found("/api/decisions")).toEqual([first]);
  expect(await found("/api/changes")).toEqual([second]);
  expect(await found("/api/how-it-works")).toEqual([third]);
  expect(await found("/api/search/by-concept?concept=gotcha")).toEqual([second]);
  expect(await found("/api/search/by-type?type=bugfix")).toEqual([second]);
  expect(await found("/api/search/by-file?filePath=auth/login.ts")).toEqual([second]);
});

test("finds a file by its whole path, an end of it, and from its project's root", async () => {
  const found = async (path: string) => {
    const { body } = await get(`/api/observations/by-file?path=${encodeURIComponent(path)}`);
    return [idsIn(body.observations), body.count, body.total];
  };
  expect(await found("src/auth/login.ts")).toEqual([[second], 1, 1]);
  expect(await found("login.ts")).toEqual([[second], 1, 1]);
  expect(await found("auth\\login.ts")).toEqual([[second], 1, 1]);
  expect(await found("/home/me/shop/src/auth/login.ts")).toEqual([[second], 1, 1]);
  expect(await found("/elsewhere/index.ts")).toEqual([[], 0, 0]);
  expect(await found("/w/shop/src/index.ts")).toEqual([[second], 1, 1]);
  const ofTeam = await get("/api/observations/by-file?path=login.ts&projects=shop,none", teamKey);
  expect(ofTeam.body).toMatchObject({ count: 1, total: 1 });
});

test("the timeline stands around its anchor, in the order of time, within the project", async () => {
  const around = async (query: string, by = key) => {
    const { body } = await get(`/api/timeline?${query}`, by);
    return body.map((one: { type: string; id: number; anchor?: true }) =>
      one.type === "prompt" ? "prompt" : `${one.id}${one.anchor ? " anchor" : ""}`,
    );
  };
  const all = [`${first}`, `${second} anchor`, `${third}`, `${summed}`, "prompt", "prompt", "prompt"];
  expect(await around(`anchor=${second}`)).toEqual(all);
  expect(await around(`anchor=${second}`, teamKey)).toEqual(all);
  expect(await around(`anchor=${second}&depth_before=0&depth_after=1`)).toEqual([
    `${second} anchor`,
    `${third}`,
  ]);
  expect(await around(`anchor=S${summed}&depth_before=2&depth_after=0`)).toEqual([
    `${second}`,
    `${third}`,
    `${summed} anchor`,
  ]);
  expect(await around("anchor=2026-01-02T12:00:00Z&depth_before=5&depth_after=2")).toEqual([
    `${first}`,
    `${second}`,
    `${third}`,
  ]);
  expect(await around("query=cart&depth_before=1&depth_after=0")).toEqual([`${second}`, `${third} anchor`]);
  for (const query of [
    `anchor=${beside}`,
    `anchor=${second}&project=blog`,
    "query=zzzz",
    `anchor=S${second}`,
  ]) {
    expect((await get(`/api/timeline?${query}`)).status, query).toBe(404);
  }
});

test("an anchor whose moment is finer than a millisecond stands there once", async () => {
  const by = await server.addKey({ project: "fine" });
  for (const title of ["one", "two", "three"]) await post("/v1/memories", { content: title, title }, { by });
  const [, two] = (await get("/api/observations", by)).body.items;
  const { body } = await get(`/api/timeline?anchor=${two.id}`, by);
  expect(body.map(({ title }: { title: string }) => title)).toEqual(["one", "two", "three"]);
});

test("context tells of what its project holds, and of nothing else", async () => {
  const text = async (url: string, by = key) =>
    (await server.app.inject({ url, headers: { host: "x", authorization: `Bearer ${by.apiKey}` } })).body;
  const shop = await text("/api/context/inject?project=shop");
  expect(shop).toContain("Login redirect mended");
  expect(shop).toContain("Sessions stay in Redis");
  expect(shop).not.toContain("elsewhere");
  expect(await text("/api/context/inject?project=shop")).toBe(shop);
  expect(await text("/api/context/inject?project=blog")).toBe("");
  // The key's own project needs no name; one of the whole team has none.
  expect(await text("/api/context/inject")).toBe(shop);
  expect(await text("/api/context/preview")).toBe(await text("/api/context/preview?project=shop"));
  expect(JSON.parse(await text("/api/context/inject", teamKey)).error).toMatchObject({
    code: "invalid_request",
    message: "`project`: is needed, since the key reaches every project of its team",
  });
  const ofBoth = await text("/api/context/inject?projects=shop,blog", teamKey);
  expect(ofBoth).toContain("elsewhere");
  expect(ofBoth).toContain("Login redirect mended");
  expect(await text("/api/context/preview?project=shop")).toContain("\u001b[");
  const plain = await text("/api/context/preview?project=shop&colors=false");
  expect(plain).toContain("Login redirect mended");
  expect(plain).not.toContain("\u001b");
  const recent = (await get("/api/context/recent?limit=2")).body;
  expect([idsIn(recent.observations), idsIn(recent.summaries)]).toEqual([[third, second], [summed]]);
});

test("a server without keys serves its one team", async () => {
  const local = await openTestServer({ MEM_AUTH_MODE: "local" });
  const send = async (url: string, body?: object) => {
    const answer = await local.app.inject({
      method: body === undefined ? "GET" : "POST",
      url,
      headers: { host: "127.0.0.1:80", "content-type": "application/json" },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const begun = await send("/api/sessions/init", { claudeSessionId: "s", prompt: "Hello" });
  expect(begun).toMatchObject({ status: "initialized", promptNumber: 1 });
  expect(await send(`/api/session/${begun.sessionDbId}`)).toMatchObject({ project: "default" });
  expect(await send("/api/search?query=hello")).toMatchObject({ totalResults: 1 });
});

test("a name that no index entry holds is a name all the same", async () => {
  const letters = Array.from({ length: 1_000 }, (_, n) =>
    String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)),
  );
  const claudeSessionId = letters.join("");
  expect((await post("/api/sessions/init", { claudeSessionId, prompt: "Long" })).body.promptNumber).toBe(1);
  expect((await post("/api/sessions/complete", { claudeSessionId }, { by: teamKey })).body).toEqual({
    success: true,
  });
});

test("a key sees its own queue; constants of the server are the same for all keys", async () => {
  const busy = await server.addKey({ team: "queue", project: "busy" });
  const beside = await server.addKey({ team: "queue", project: "beside" });
  const whole = await server.addKey({ team: "queue" });
  const stranger = await server.addKey({ team: "stranger", project: "busy" });
  for (let n = 0; n < 3; n += 1) {
    const event = {
      sourceType: "api",
      eventType: "tool_use",
      occurredAtEpoch: 1_700_000_000_000,
      payload: { n },
    };
    expect((await post("/v1/events", event, { by: busy })).status).toBe(201);
  }
  const status = async (by: TestKey) => (await get("/api/processing-status", by)).body;
  for (const by of [busy, whole]) {
    expect(await status(by)).toEqual({
      ...{ isProcessing: false, queueDepth: 3, pending: 3, processing: 0, dead: 0 },
      oldestPendingAgeMs: expect.any(Number),
    });
  }
  for (const by of [beside, stranger]) {
    expect(await status(by)).toMatchObject({ queueDepth: 0, oldestPendingAgeMs: null });
  }
  const fixed: [path: string, body: object][] = [
    ["settings", { sidebarOpen: true, selectedProject: null }],
    ["mcp/status", { enabled: true }],
    ["branch/status", { current: null, remote: null, ahead: 0, behind: 0 }],
    ["sync/status", { configured: false }],
  ];
  for (const [path, body] of fixed) {
    for (const by of [busy, stranger]) expect((await get(`/api/${path}`, by)).body).toEqual(body);
  }
});
