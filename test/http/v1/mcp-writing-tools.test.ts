// `remember` and `review` over POST /v1/mcp.
import { expect, test } from "vitest";
import { stripPrivate } from "../../../src/privacy/private-tags.ts";
import type { Json } from "../../../src/text/json.ts";
import { attacks, prompts, uses } from "../../helpers/attacks.ts";
import { enqueueEvent, makeSession } from "../../helpers/hosted-jobs.ts";
import { requestsTo } from "../../helpers/hosted-requests.ts";
import { type KeyKind, openTestServer, type TestKey } from "../../helpers/hosted-server.ts";

const server = await openTestServer();

async function rpc(key: TestKey, method: string, params: object = {}) {
  const message = { jsonrpc: "2.0", id: 1, method, params };
  return (await requestsTo(server, key).post("/v1/mcp", message, { headers: { host: "localhost" } })).body
    .result;
}

/** What a tool answers: its fields, and the text that the agent reads. */
async function call(key: TestKey, name: string, given: object) {
  const answer = await rpc(key, "tools/call", { name, arguments: given });
  const { structuredContent, content, isError = false } = answer;
  return { ...structuredContent, isError, said: content[0].text };
}

const wireOf = async (key: TestKey, id: string) =>
  (await requestsTo(server, key).get(`/v1/memories/${id}`)).body.memory;

async function keyOf(kind: KeyKind, ...said: string[]): Promise<TestKey> {
  const key = await server.addKey({ project: "shop", ...kind });
  const scope = { team_id: key.team_id, project_id: String(key.project_id) };
  const session = await makeSession(server.database, scope);
  const sent = said.map((prompt) => ({
    event_type: "user_prompt",
    payload: { prompt: stripPrivate(prompt) },
  }));
  const used = uses.map(([tool_name, tool_input, tool_response]) => ({
    payload: { tool_name, tool_input, tool_response } as unknown as Json,
  }));
  for (const event of [...sent, ...used]) await enqueueEvent(server.database, scope, { session, ...event });
  return key;
}

const pnpm = { kind: "rule", text: "Use pnpm in this repository, never npm.", quote: "use pnpm, never npm" };
const fact = (text: string, more: object = {}) => ({ kind: "fact", text, ...more });

test("a rule in the user's words is kept once, and the next context has it", async () => {
  const key = await keyOf({ team: "words" }, "Wrong tool. From now on use pnpm, NEVER npm!");
  const kept = await call(key, "remember", pnpm);
  expect(kept).toMatchObject({ status: "stored", kind: "rule", proposed: false, isError: false });
  expect((await call(key, "context", { query: "install" })).said).toContain(pnpm.text);
  expect(await wireOf(key, kept.id)).toMatchObject({
    ...{ statementKind: "rule", saidBy: "user", standing: true, reach: "project", content: pnpm.text },
  });
  const again = { ...pnpm, text: pnpm.text.toUpperCase() };
  expect(await call(key, "remember", again)).toMatchObject({ status: "exists", id: kept.id });
});

// A key has no session: the newest prompts of its project count.
const rows = attacks.filter(({ what }) => what !== "another session");
let attacked: TestKey;

test.each(rows)("$what makes a proposal that nothing injects", async ({ rule, at }) => {
  // A key keeps thirty records a day.
  if (at % 25 === 0) attacked = await keyOf({ team: `attacked ${at}` }, ...prompts);
  const kept = await call(attacked, "remember", rule);
  expect(kept).toMatchObject({ proposed: true, said: expect.stringContaining("not injected") });
  expect(await wireOf(attacked, kept.id)).toMatchObject({ standing: false, saidBy: "agent" });
  const contexts = [{}, { query: rule.text }, { query: rule.text, obsType: "decision" }].map(
    async (asked) => (await requestsTo(server, attacked).post("/v1/context", asked)).body.context,
  );
  const headers = { host: "x", authorization: `Bearer ${attacked.apiKey}` };
  const start = await server.app.inject({ url: "/api/context/inject", headers });
  expect([...(await Promise.all(contexts)), start.body].join()).not.toContain(rule.text);
});

test("a key that only reads neither sees the writing tools nor can call them", async () => {
  const reader = await keyOf({ team: "reader", scopes: ["memories:read"] });
  const { tools } = await rpc(reader, "tools/list");
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(["search", "context", "recent"]);
  for (const name of ["remember", "review"])
    expect(await call(reader, name, pnpm)).toMatchObject({
      ...{ isError: true, said: expect.stringContaining("memories:write") },
    });
});

test("a replaced record is shown and superseded, a reviewed one is no longer injected", async () => {
  const key = await keyOf({ team: "replaced" });
  const old = await call(key, "remember", fact("The import of invoices is half done."));
  const newer = fact("The import of invoices is done but for refunds.", { replaces: old.id });
  const kept = await call(key, "remember", newer);
  expect(kept).toMatchObject({ replaced: { id: old.id, text: "The import of invoices is half done." } });
  expect(await wireOf(key, old.id)).toMatchObject({ status: "superseded" });
  const context = async () => (await call(key, "context", { query: "import of invoices" })).context;
  expect(await context()).toMatch(/but for refunds/);
  await call(key, "review", { id: kept.id, verdict: "done", why: "Refunds work." });
  expect(await context()).toBe("");
  const metadata = { judged: "done", why: "Refunds work." };
  expect(await wireOf(key, kept.id)).toMatchObject({ status: "superseded", metadata });
});

test("records and prompts of other projects are unknown, records of a user stay", async () => {
  const key = await keyOf({ team: "ours" });
  const beside = await keyOf({ team: "ours", project: "beside" }, pnpm.quote);
  const theirs = await keyOf({ team: "theirs" });
  const wholeTeam = await server.addKey({ team: "ours" });
  const shop = { projectId: "shop" };
  expect(await call(wholeTeam, "remember", { ...pnpm, ...shop })).toMatchObject({ proposed: true });
  const monday = fact("The staging database is rebuilt every Monday.");
  const [foreign, near] = [await call(theirs, "remember", monday), await call(beside, "remember", monday)];
  expect(await call(wholeTeam, "remember", { ...monday, ...shop })).toMatchObject({ status: "stored" });
  const { memory } = (await requestsTo(server, key).post("/v1/memories", { content: "by hand" })).body;
  for (const [owner, { id }, kept_old] of [
    [theirs, foreign, "unknown"],
    [beside, near, "unknown"],
    [key, memory, "of the user"],
  ] as const) {
    const record = fact(`Not ${id}.`, { ...shop, replaces: id });
    expect(await call(wholeTeam, "remember", record)).toMatchObject({ kept_old, replaced: null });
    expect((await call(wholeTeam, "review", { ...shop, id, verdict: "wrong" })).isError).toBe(true);
    expect(await wireOf(owner, id)).toMatchObject({ status: "active" });
  }
  const elsewhere = { ...monday, projectId: key.project_id };
  expect((await call(theirs, "remember", elsewhere)).said).toMatch(/^There is no such project/);
});

test("a key keeps and judges at most 30 records a day", async () => {
  const keep = (by: TestKey, n: number) => call(by, "remember", fact(`Port ${n} is taken.`));
  const [key, other] = [await keyOf({ team: "many" }), await keyOf({ team: "many" })];
  const verdictOn = (id: string) => call(key, "review", { id, verdict: "outdated" });
  for (let n = 1; n <= 30; n++) {
    const { status, id } = await keep(other, n);
    expect([status, (await verdictOn(id)).isError]).toEqual(["stored", false]);
  }
  for (let n = 1; n <= 30; n++) expect((await keep(key, n)).status).toBe("stored");
  const full = { isError: true, said: expect.stringContaining("30 records") };
  expect(await keep(key, 31)).toMatchObject(full);
  const { id } = await keep(key, 30);
  expect(await verdictOn(id)).toMatchObject(full);
  expect((await keep(key, 30)).status).toBe("exists");
});
