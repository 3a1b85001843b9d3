import { beforeAll, expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import type { NewHostedObservation } from "../../../src/core/records/hosted-record.ts";
import type { StatementMarks } from "../../../src/core/records/statement.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { enqueueEvent, makeSession } from "../../helpers/hosted-jobs.ts";
import { hostedObservation } from "../../helpers/hosted-records.ts";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const ours = await server.addKey({ team: "ours", project: "app" });
const wholeTeam = await server.addKey({ team: "ours" });
const beside = await server.addKey({ team: "ours", project: "beside" });
const theirs = await server.addKey({ team: "theirs", project: "app" });

const rule: StatementMarks = { said_by: "user", standing: true, reach: "project", salience: 3 };
const cause: StatementMarks = { said_by: "agent", standing: false, reach: "project", salience: 2 };

async function ask(path: string, body: unknown, { apiKey } = ours) {
  const reply = await server.app.inject({
    method: "POST",
    url: path,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", host: "localhost" },
    payload: JSON.stringify(body),
  });
  return { status: reply.statusCode, body: reply.json() };
}

const contextOf = async (body: object, key = ours): Promise<string> =>
  (await ask("/v1/context", body, key)).body.context;

const scopeOf = ({ team_id, project_id }: TestKey) => ({ team_id, project_id: project_id ?? "" });

function store(key: TestKey, ...observations: Partial<NewHostedObservation>[]) {
  const scope = scopeOf(key);
  return inTenant(server.database.app, scope, (connection) =>
    insertObservations(
      connection,
      observations.map((one) => hostedObservation(scope, one)),
    ),
  );
}

beforeAll(async () => {
  await store(
    ours,
    { title: "Use pnpm here, never npm.", statement: rule },
    { title: "The lease of the upload queue ended too early.", statement: cause },
    { title: "Read the upload queue", routine: true },
  );
  await store(beside, { title: "Answer in one sentence.", statement: { ...rule, reach: "everywhere" } });
  await store(theirs, { title: "Foreign rule.", statement: { ...rule, reach: "everywhere" } });
});

test("context for a prompt quotes what fits it, and what a colleague would pass on", async () => {
  const context = await contextOf({ query: "fix the upload queue, it loses files" });
  expect(context).toMatch(/that fit this prompt[\s\S]*The lease of the upload queue ended too early\./);
  expect(context).toContain("Use pnpm here, never npm.");
  expect(context).not.toContain("Read the upload queue");
});

test("context without a query is what a colleague would pass on", async () => {
  const context = await contextOf({});
  expect(context).toContain("- Use pnpm here, never npm.");
  expect(context).toContain("- The lease of the upload queue ended too early.");
});

test("rules for everywhere come with the key of a team, never from another team", async () => {
  const team = await contextOf({ projectId: "app" }, wholeTeam);
  expect(team).toContain("- everywhere: Answer in one sentence.");
  const own = await contextOf({});
  expect(own).not.toContain("Answer in one sentence.");
  expect(team + own).not.toContain("Foreign rule.");
});

test("context with a filter has the records of the filter alone", async () => {
  const context = await contextOf({ query: "upload queue", obsType: "discovery" });
  expect(context).toContain("Read the upload queue");
  expect(context).not.toContain("Passed on");
});

async function injectedFor({ apiKey }: TestKey, query = ""): Promise<string> {
  const reply = await server.app.inject({
    method: "GET",
    url: `/api/context/inject${query}`,
    headers: { authorization: `Bearer ${apiKey}`, host: "localhost" },
  });
  return reply.body;
}

test("the compatibility route injects the sections of a start, within the key's reach", async () => {
  const own = await injectedFor(ours);
  expect(own).toMatch(/## Rules from the user\n- Use pnpm here, never npm\./);
  expect(own).toContain("- The lease of the upload queue ended too early.");
  const team = await injectedFor(wholeTeam, "?projects=app,beside");
  expect(team.match(/- everywhere: Answer in one sentence\./g)).toHaveLength(1);
  expect(await injectedFor(wholeTeam, "?project=app")).toContain("Answer in one sentence.");
  expect(own).not.toContain("Answer in one sentence.");
  expect(own + team).not.toContain("Foreign rule.");
});

test("the MCP tool answers with the same text", async () => {
  const query = "why does the upload queue lose files?";
  const { body } = await ask("/v1/mcp", {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "context", arguments: { query } },
  });
  expect(body.result.structuredContent.context).toBe(await contextOf({ query }));
});

test("ranks a statement first by the prompt of its turn", async () => {
  const key = await server.addKey({ team: `team ${newId()}`, project: "turns" });
  const scope = scopeOf(key);
  const session_id = await makeSession(server.database, scope);
  const add = (prompt: string) =>
    enqueueEvent(server.database, scope, { session: session_id, event_type: "prompt", payload: prompt });
  const said = (title: string, hours: number) => ({
    ...{ title, session_id, statement: cause, created_at_epoch: Date.now() + hours * 3_600_000 },
  });
  await add("invoices are dated one day early in Tokyo");
  await store(key, said("The offset was counted twice.", 1), said("It was the time zone.", -1));
  const context = await contextOf({ query: "fix the invoices that Tokyo complains about" }, key);
  expect(context).toMatch(/The offset was counted twice\.[\s\S]*It was the time zone\./);
});
