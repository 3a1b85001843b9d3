// A project by its name, wherever its id stands; and from where MCP may be asked on a server that only this machine reaches.
import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const ofTeam = await server.addKey({ team: "acme" });
const ofShop = await server.addKey({ team: "acme", project: "shop" });
const ofWeb = await server.addKey({ team: "acme", project: "web & more" });
const stranger = await server.addKey({ team: "strangers", project: "theirs" });
const { get, post } = requestsTo(server, ofTeam);

async function purge(project: string, by: TestKey) {
  const answer = await server.app.inject({
    method: "DELETE",
    url: `/v1/projects/${encodeURIComponent(project)}/memory`,
    headers: { host: "x", authorization: `Bearer ${by.apiKey}` },
  });
  return { status: answer.statusCode, body: answer.json(), text: answer.body };
}

async function recent(
  by: TestKey,
  args: object,
): Promise<{ isError?: boolean; content: [{ text: string }] }> {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "recent", arguments: args },
  };
  const { status, body } = await post("/v1/mcp", message, { by, headers: { host: "127.0.0.1:80" } });
  expect(status).toBe(200);
  return body.result;
}

test("a project is shown, purged and audited by its name as by its id", async () => {
  for (const by of [ofTeam, ofShop]) {
    const byName = await get("/v1/projects/shop", by);
    expect(byName.status).toBe(200);
    expect(byName.body).toEqual((await get(`/v1/projects/${ofShop.project_id}`, by)).body);
  }
  for (const [name, by] of [
    ["shop", ofTeam],
    ["shop", ofShop],
    ["web & more", ofTeam],
  ] as const) {
    await post("/v1/memories", { projectId: name, content: "to be forgotten" }, { by });
    const { status, body } = await purge(name, by);
    expect([status, body.counts.observations]).toEqual([200, 1]);
    expect(body.projectId).toBe(name === "shop" ? ofShop.project_id : ofWeb.project_id);
  }
  const byName = await get("/v1/audit?projectId=shop&action=project.memory_purged");
  expect(byName.body.entries).toHaveLength(2);
});

test("a name of another team or project and an unknown one are answered like an id", async () => {
  const others = [stranger.project_id, newId(), "theirs", "nobody's", ofWeb.project_id, "web & more"];
  const shown = await Promise.all(
    others.map((other) => get(`/v1/projects/${encodeURIComponent(String(other))}`, ofShop)),
  );
  const purged = await Promise.all(others.map((other) => purge(String(other), ofShop)));
  const answers = [...shown, ...purged].map(({ status, text }) => `${status} ${text}`);
  expect([...new Set(answers)]).toEqual([expect.stringMatching(/^404 .*There is no such project/)]);
  const entries = await get("/v1/audit?projectId=theirs");
  expect([entries.status, entries.body.entries]).toEqual([200, []]);
  await post("/v1/memories", { content: "stays" }, { by: ofWeb });
  expect((await purge("web & more", ofTeam)).body.counts.observations).toBe(1);
});

test("an agent with a team key gets its project names, never another team's", async () => {
  const { isError, content } = await recent(ofTeam, {});
  expect(isError).toBe(true);
  expect(content[0].text).toMatch(/\. There are: "shop", "web & more"\.$/);
  const foreign = ["theirs", String(stranger.project_id), newId()];
  const refused = await Promise.all(foreign.map((projectId) => recent(ofTeam, { projectId })));
  expect(new Set(refused.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(refused[0]?.content[0].text).toMatch(/no such project\. Call the tool without `projectId`/);
  expect((await recent(ofTeam, { projectId: "shop" })).isError).toBeUndefined();
  const alone = await server.addKey({ team: "empty" });
  expect((await recent(alone, {})).content[0].text).toContain("The team has none yet.");
});

test("on loopback without a public URL, MCP accepts loopback names only", async () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const asked = async (host: string) => (await post("/v1/mcp", ping, { headers: { host } })).status;
  expect(await Promise.all(["localhost:9", "127.0.0.1", "[::1]:80", "127.0.0.2:1"].map(asked))).toEqual([
    200, 200, 200, 200,
  ]);
  expect(await Promise.all(["evil.example", "127.0.0.1.evil.example", "192.0.2.1"].map(asked))).toEqual([
    403, 403, 403,
  ]);
  const keyless = await server.app.inject({
    method: "POST",
    url: "/v1/mcp",
    headers: { host: "evil.example", "content-type": "application/json" },
    payload: ping,
  });
  expect(keyless.statusCode).toBe(401);
});
