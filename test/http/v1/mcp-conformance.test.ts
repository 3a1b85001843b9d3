import { execFile } from "node:child_process";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { fastify } from "fastify";
import { afterAll, expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { installErrors } from "../../../src/http/plugins/errors.ts";
import { installJsonBody } from "../../../src/http/plugins/json-body.ts";
import { createRequestGuard } from "../../../src/http/plugins/request-guard.ts";
import { type App, installZod, withoutAjv } from "../../../src/http/plugins/zod.ts";
import { installAuthentication } from "../../../src/http/v1/authentication.ts";
import { createClientAddress } from "../../../src/http/v1/client-address.ts";
import { installHostCheck } from "../../../src/http/v1/host-guard.ts";
import { mcpRoutes } from "../../../src/http/v1/mcp.ts";
import type { McpTool } from "../../../src/http/v1/mcp-protocol.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const require = createRequire(import.meta.url);
const suite = join(
  dirname(require.resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);
const expected = (name: string) => fileURLToPath(new URL(`../../fixtures/mcp/${name}`, import.meta.url));

/** Runs the whole public suite: rejects with what it said when anything fails that is not in the list, or passes that is. */
async function conform(url: string, failures: string): Promise<string> {
  const words = ["server", "--url", url, "--suite", "all", "--expected-failures", expected(failures)];
  const directory = tempDir();
  const env = { PATH: process.env.PATH, HOME: directory };
  const { stdout } = await promisify(execFile)(process.execPath, [suite, ...words], {
    cwd: directory,
    env,
  }).catch((failed: { stdout: string; stderr: string }) => {
    throw new Error(`${failed.stdout.slice(-4_000)}${failed.stderr}`);
  });
  return stdout;
}

const longMs = 120_000;

test(
  "the server passes every scenario of the public suite without suite tools",
  async () => {
    const server = await openTestServer();
    const { apiKey } = await server.addKey({ project: "app" });
    const address = await server.app.listen({ host: "127.0.0.1", port: 0 });
    const said = await conform(await withKey(`${address}/v1/mcp`, apiKey), "no-tools-of-the-suite.yml");
    for (const name of ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]) {
      expect(said).toMatch(new RegExp(`\u2713 ${name}: [1-9]`));
    }
  },
  longMs,
);

test(
  "with the suite's tools the route passes every tool scenario without streams",
  async () => {
    const said = await conform(await serveSuiteTools(), "no-streams.yml");
    for (const name of ["simple-text", "image", "audio", "embedded-resource", "mixed-content", "error"]) {
      expect(said).toMatch(new RegExp(`\u2713 tools-call-${name}: [1-9]`));
    }
    expect(said).toMatch(/\u2713 json-schema-2020-12: [1-9]/);
  },
  longMs,
);

/** The suite sends no key: this puts one in front of every request, and changes nothing else. */
async function withKey(target: string, apiKey: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` };
    const onward = request(target, { method: incoming.method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise<void>((resolve) => void proxy.close(() => resolve())));
  return `http://localhost:${(proxy.address() as AddressInfo).port}/v1/mcp`;
}

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const text = { type: "text", text: "This is a simple text response for testing." } as const;
const image = { type: "image", data: pixel, mimeType: "image/png" } as const;
const audio = { type: "audio", data: silence, mimeType: "audio/wav" } as const;
const resource = {
  type: "resource",
  resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "embedded" },
} as const;

const address = {
  type: "object",
  properties: { street: { type: "string" }, city: { type: "string" } },
} as const;

/** The tools that the suite calls, as its scenarios describe them. */
const suiteTools: McpTool<unknown>[] = [
  suiteTool("test_simple_text", { content: [text] }),
  suiteTool("test_image_content", { content: [image] }),
  suiteTool("test_audio_content", { content: [audio] }),
  suiteTool("test_embedded_resource", { content: [resource] }),
  suiteTool("test_multiple_content_types", { content: [text, image, resource] }),
  suiteTool("test_error_handling", { isError: true, content: [text] }),
  suiteTool(
    "json_schema_2020_12_tool",
    { content: [text] },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
  ),
];

function suiteTool(
  name: string,
  result: CallToolResult,
  inputSchema: Tool["inputSchema"] = { type: "object" },
): McpTool<unknown> {
  return { definition: { name, description: name, inputSchema }, call: () => Promise.resolve(result) };
}

/** Serves the route in a separate app, with the checks before it; returns its address. */
async function serveSuiteTools(): Promise<string> {
  let port = 0;
  const app: App = fastify({ schemaController: withoutAjv });
  const guard = createRequestGuard({ address: () => ({ host: "127.0.0.1", port }), isPipe: () => false });
  installHostCheck(app, { is: "local", guard });
  const caller = { team_id: newId(), project_id: null, key_id: null, expires_at_epoch: null };
  const scopes = ["memories:read"] as const;
  installAuthentication(app, {
    authenticate: () => Promise.resolve({ ...caller, scopes }),
    guards: [],
    clientAddress: createClientAddress([]),
  });
  installZod(app);
  installJsonBody(app);
  installErrors(app);
  mcpRoutes(app, { version: "1", publicUrl: "", isLocal: () => true, tools: suiteTools });
  port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
  afterAll(() => app.close());
  return `http://localhost:${port}/v1/mcp`;
}
