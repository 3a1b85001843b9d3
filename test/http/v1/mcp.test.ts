import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  InitializeResultSchema,
  JSONRPCMessageSchema,
  ListToolsResultSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { protocolVersions } from "../../../src/http/v1/mcp-protocol.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { volume } from "../../helpers/volume.ts";

const server = await openTestServer({ MEM_PUBLIC_URL: "https://memory.example.com" });
const url = new URL("/v1/mcp", await server.app.listen({ host: "127.0.0.1", port: 0 }));
const keys = await Promise.all(
  ["a", "b", "c", "d"].map((team) => server.addKey({ team, project: `project of ${team}` })),
);
const [ours, theirs] = keys as [(typeof keys)[0], (typeof keys)[0]];
const open: Client[] = [];
afterAll(() => Promise.all(open.map((client) => client.close())));

async function connect(apiKey = ours.apiKey): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  open.push(client);
  await client.connect(
    // The SDK's own types do not hold under exactOptionalPropertyTypes.
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
    }) as Parameters<Client["connect"]>[0],
  );
  return client;
}

async function post(message: unknown, headers: Record<string, string> = {}, apiKey = ours.apiKey) {
  const reply = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: text === "" ? undefined : JSON.parse(text) };
}

const call = (name: string, args: unknown, id: string | number = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

beforeAll(async () => {
  for (const { apiKey, team_id } of keys) {
    for (const n of [1, 2, 3]) {
      const reply = await fetch(new URL("/v1/memories", url), {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({
          title: `Record ${n}`,
          content: `the canary of ${team_id} sings in record ${n}`,
        }),
      });
      expect(reply.status).toBe(201);
    }
  }
});

test("the official client initializes, lists the tools, calls those that read", async () => {
  const client = await connect();
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["search", "context", "recent", "remember", "review"]);
  for (const { annotations } of tools.slice(0, 3)) {
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
  }
  const found = await client.callTool({
    name: "search",
    arguments: { query: "which canary sings?", limit: 2 },
  });
  expect(found.structuredContent).toMatchObject({ observations: [{ teamId: ours.team_id }, {}] });
  expect(JSON.stringify(found.content)).toContain("canary");
  const context = await client.callTool({ name: "context", arguments: { query: "canary" } });
  expect(context.structuredContent).toMatchObject({ context: expect.stringMatching(/^<mem-context-/) });
  const recent = await client.callTool({ name: "recent", arguments: {} });
  expect(recent.structuredContent).toMatchObject({ observations: [{ title: "Record 3" }, {}, {}] });
  await client.ping();
});

test("what a tool refuses is a result that says so, without anything foreign", async () => {
  const client = await connect();
  for (const [name, args] of [
    ["search", {}],
    ["search", { query: 7 }],
    ["recent", { limit: "many" }],
    ["recent", { projectId: theirs.project_id }],
    ["recent", { projectId: newId() }],
    ["delete", {}],
  ] as const) {
    const result = await client.callTool({ name, arguments: args });
    expect([name, args, result.isError]).toEqual([name, args, true]);
    // Whole sentences, and nothing that an agent with three tools cannot do.
    expect(JSON.stringify(result.content)).not.toMatch(/\/v1\/|[a-z] [A-Z][a-z]+ one of/);
  }
  const [foreign, unknown] = await Promise.all(
    [theirs.project_id, newId()].map((projectId) =>
      client.callTool({ name: "recent", arguments: { projectId } }),
    ),
  );
  expect(foreign).toEqual(unknown);
});

test("a limit out of range is brought into it", async () => {
  const counts = await Promise.all(
    [-5, 0, 1.9, 1_000, null].map(async (limit) => {
      const { body } = await post(call("recent", { limit }));
      return body.result.structuredContent.observations.length;
    }),
  );
  expect(counts).toEqual([1, 1, 1, 3, 3]);
  const { body } = await post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const limits = body.result.tools
    .slice(0, 3)
    .map(({ name, inputSchema }: { name: string; inputSchema: { properties: { limit: object } } }) => [
      name,
      inputSchema.properties.limit,
    ]);
  expect(limits).toMatchObject([
    ["search", { default: 20, maximum: 100, description: expect.stringContaining("taken as 100") }],
    ["context", { default: 10, maximum: 50 }],
    ["recent", { default: 20, maximum: 100 }],
  ]);
});

test("every answer is one of the protocol's own schemas", async () => {
  const initialize = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const replies = await Promise.all([
    post({ jsonrpc: "2.0", id: "i", method: "initialize", params: initialize }),
    post({ jsonrpc: "2.0", id: 0, method: "tools/list" }),
    post(call("recent", {})),
    post(call("search", {})),
    post({ jsonrpc: "2.0", id: 4, method: "resources/list" }),
  ]);
  for (const { body } of replies) JSONRPCMessageSchema.parse(body);
  const [first, second, third, fourth, fifth] = replies.map(({ body }) => body);
  expect(InitializeResultSchema.parse(first.result).protocolVersion).toBe("2025-06-18");
  ListToolsResultSchema.parse(second.result);
  CallToolResultSchema.parse(third.result);
  expect(CallToolResultSchema.parse(fourth.result).isError).toBe(true);
  expect([fifth.id, fifth.error.code]).toEqual([4, -32601]);
  expect([...protocolVersions]).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
});

test.each([
  ["no JSON", "{", 400, -32700],
  ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ping" }], 400, -32600],
  ["another JSON-RPC", { jsonrpc: "1.0", id: 1, method: "ping" }, 400, -32600],
  ["an id that is null", { jsonrpc: "2.0", id: null, method: "ping" }, 400, -32600],
  ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32600],
  ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32600],
  ["a text", '"ping"', 400, -32600],
  ["params in a list", { jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 200, -32602],
  ["a call without a name", { jsonrpc: "2.0", id: 1, method: "tools/call" }, 200, -32602],
  ["initialize without a version", { jsonrpc: "2.0", id: 1, method: "initialize" }, 200, -32602],
])("%s gets the protocol's error", async (_what, message, status, code) => {
  const reply = await post(message);
  expect([reply.status, reply.body.error.code]).toEqual([status, code]);
  JSONRPCMessageSchema.safeParse(reply.body);
});

test("a notification and a response are taken with 202 and no body", async () => {
  for (const message of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 1, result: {} },
  ]) {
    const { status, body } = await post(message);
    expect([status, body]).toEqual([202, undefined]);
  }
});

test("ids come back as they were sent", async () => {
  for (const id of [0, -1, 2 ** 53 - 1, "0", "", "a\u2028b"]) {
    expect((await post({ jsonrpc: "2.0", id, method: "ping" })).body).toEqual({
      jsonrpc: "2.0",
      id,
      result: {},
    });
  }
});

test("refuses other sites, streams, sessions, unknown versions and missing keys", async () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const status = async (headers: Record<string, string>) => (await post(ping, headers)).status;
  expect(await status({ origin: "https://evil.example" })).toBe(403);
  expect(await status({ origin: "null" })).toBe(403);
  expect(await status({ origin: url.origin })).toBe(200);
  expect(await status({ origin: "https://memory.example.com" })).toBe(200);
  expect(await status({ "mcp-protocol-version": "1999-01-01" })).toBe(400);
  expect(await status({ "mcp-protocol-version": "2025-06-18" })).toBe(200);
  expect(await status({ accept: "text/html" })).toBe(406);
  expect(await status({ "content-type": "text/plain" })).toBe(415);
  const none = await post("{", {}, "nonsense");
  expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  for (const method of ["GET", "DELETE"]) {
    const reply = await fetch(url, { method, headers: { authorization: `Bearer ${ours.apiKey}` } });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await fetch(url, { method })).status).toBe(401);
  }
});

const clients = volume(200, 40);

test(`${clients} concurrent clients of four teams each get their team's answer and audit row`, async () => {
  const count = async () => {
    const { rows } = await server.database.system.query<{ n: number }>({
      text: "select count(*)::int as n from audit_log where action = 'observation.read'",
    });
    return rows[0]?.n ?? 0;
  };
  const before = await count();
  const answers = await Promise.all(
    Array.from({ length: clients }, async (_, n) => {
      const key = keys[n % keys.length] ?? ours;
      const { body } = await post(call("search", { query: "canary" }, 0), {}, key.apiKey);
      const teams = body.result.structuredContent.observations.map(
        ({ teamId }: { teamId: string }) => teamId,
      );
      const canaries = keys.filter(({ team_id }) => JSON.stringify(body).includes(team_id));
      return body.id === 0 && teams.length === 3 && canaries.length === 1 && canaries[0] === key;
    }),
  );
  expect(answers.filter((isOwn) => !isOwn)).toEqual([]);
  expect((await count()) - before).toBe(clients);
});
