import type { RouteOptions } from "fastify";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { systemClock } from "../../../src/core/clock.ts";
import { errorCatalogue, MemError } from "../../../src/core/errors.ts";
import { newId } from "../../../src/core/ids.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import { inWordsOf } from "../../../src/http/plugins/errors.ts";
import { hostedErrorWords } from "../../../src/http/v1/error-words.ts";
import { buildServer } from "../../../src/server/build.ts";
import { loadServerSettings } from "../../../src/settings/server.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

interface Operation {
  operationId: string;
  summary?: string;
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: unknown;
  security: Record<string, string[]>[];
  responses: Record<string, { headers?: Record<string, unknown> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, unknown>;
    headers: Record<string, unknown>;
    securitySchemes?: Record<string, unknown>;
  };
}

const server = await openTestServer();
const { app, routes, addKey } = server;
const key = await addKey({ project: "shop" });
const document: Document = (await app.inject({ url: "/v1/openapi.json", headers: { host: "x" } })).json();
const every = routes.flatMap((route) => [route.method].flat().map((method) => ({ method, route })));

function operationOf(method: string, { url }: RouteOptions): Operation | undefined {
  return document.paths[url.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
}

describe("the document", () => {
  test("needs no key, and describes every route with its scope, parameters and statuses", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(every.length).toBeGreaterThan(25);
    for (const { method, route } of every) {
      const operation = operationOf(method, route);
      const { access } = route.config ?? {};
      expect(operation?.summary, route.url).toMatch(/\.$/);
      expect(operation?.security, route.url).toEqual(
        access === "none" ? [] : access === "hub" ? [{ hubToken: [] }] : [{ key: [access] }],
      );
      expect(Object.keys(operation?.responses ?? {}), route.url).toEqual(
        expect.arrayContaining(Object.keys(route.schema?.response ?? {})),
      );
      for (const [, name] of route.url.matchAll(/:(\w+)/g)) {
        expect(operation?.parameters).toContainEqual(
          expect.objectContaining({ name, in: "path", required: true }),
        );
      }
      expect(operation?.requestBody === undefined, route.url).toBe(route.schema?.body === undefined);
    }
  });

  test("describes nothing that is not there", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(
      every
        .map(({ method, route }) => `${method.toLowerCase()} ${route.url.replace(/:(\w+)/g, "{$1}")}`)
        .sort(),
    );
  });
});

describe("what the document refers to", () => {
  test("is a unique operationId for every operation", () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    expect(ids).toContain("getV1EventsById");
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  });

  test("leads somewhere in every reference, and names the error body and the key", () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = ""]) => target);
    expect(references.length).toBeGreaterThan(100);
    for (const target of references) {
      const [, kind = "", name = ""] = /^#\/components\/(schemas|headers)\/([\w-]+)$/.exec(target) ?? [];
      expect(
        Object.keys(kind === "headers" ? document.components.headers : document.components.schemas),
      ).toContain(name);
    }
    expect(text).not.toContain("$defs");
    expect(document.components.schemas.Error).toMatchObject({ required: ["error"] });
    const bearer = { type: "http", scheme: "bearer", description: expect.any(String) };
    expect(document.components.securitySchemes).toEqual({ key: bearer, hubToken: bearer });
  });

  test("of a server without keys asks for none, but for hub tokens", async () => {
    const local = buildServer({
      database: server.database,
      role: "http",
      settings: loadServerSettings({}),
      log: createStderrLog("SILENT").log,
      clock: systemClock,
      address: () => ({ host: "127.0.0.1", port: 80 }),
    });
    afterAll(() => local.close());
    const answer = await local.app.inject({ url: "/v1/openapi.json", headers: { host: "127.0.0.1" } });
    expect(Object.keys(answer.json().components.securitySchemes)).toEqual(["hubToken"]);
    const stranger = await local.app.inject({ url: "/v1/projects", headers: { host: "evil.example" } });
    expect(stranger.json().error).toMatchObject({
      code: "host_not_allowed",
      message: "The Host header does not name this server.",
    });
    expect(stranger.body).not.toContain("worker");
  });
});

test("a process that only generates serves health routes and nothing else", async () => {
  const generating = buildServer({
    database: server.database,
    role: "generate",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key" }),
    log: createStderrLog("SILENT").log,
    clock: systemClock,
    address: () => ({ host: "127.0.0.1", port: 80 }),
  });
  afterAll(() => generating.close());
  expect([...new Set(generating.routes.map(({ url }) => url))]).toEqual(["/health", "/ready"]);
});

// Each route without a key, with too small a key, an empty body, a wrong body, and an id that does not exist.
const small = await addKey({ project: "shop", scopes: ["memories:read"] });
const ways: [string, (method: string) => { headers: Record<string, string>; payload?: string }][] = [
  ["without a key", () => ({ headers: {} })],
  ["with a key that only reads", () => keyed(small.apiKey, {})],
  ["with an empty body", (method) => keyed(key.apiKey, {}, method === "POST" ? "{}" : undefined)],
  ["with a list for a body", (method) => keyed(key.apiKey, {}, method === "GET" ? undefined : "[1]")],
  ["with a body in an encoding", () => keyed(key.apiKey, { "content-encoding": "gzip" }, "{}")],
  ["with a body that is no JSON", (method) => keyed(key.apiKey, {}, method === "GET" ? undefined : "{")],
  ["with a body that is too large", (method) => keyed(key.apiKey, {}, method === "GET" ? undefined : large)],
  ["with a body of another type", () => keyed(key.apiKey, { "content-type": "text/plain" }, "{}")],
];

const large = JSON.stringify("x".repeat(6 * 1024 * 1024));

function keyed(apiKey: string, more: Record<string, string>, payload?: string) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...more };
  return { headers, ...(payload === undefined ? {} : { payload }) };
}

test.each(ways)("every route, asked %s, answers as it is described", async (_name, way) => {
  for (const { method, route } of every) {
    const { headers, payload } = way(method);
    const url = route.url.replace(/:\w+/g, newId());
    const answer = await app.inject({
      method: method as "GET",
      url,
      headers: { host: "x", ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    const asked = `${method} ${route.url} ${answer.statusCode}`;
    expect(Object.keys(operationOf(method, route)?.responses ?? {}), asked).toContain(
      String(answer.statusCode),
    );
    expectHeadersDescribed(operationOf(method, route), answer);
    const described = { ...(route.schema?.response as Record<string, unknown>) }[String(answer.statusCode)];
    if (!(described instanceof z.ZodType) || answer.body === "") continue;
    expect(described.safeParse(answer.json()).error, asked).toBeUndefined();
  }
});

function expectHeadersDescribed(
  operation: Operation | undefined,
  { statusCode, headers }: { statusCode: number; headers: object },
): void {
  const described = Object.keys(operation?.responses[statusCode]?.headers ?? {}).map((name) =>
    name.toLowerCase(),
  );
  const telling = /^(x-request-id|x-ratelimit-.*|retry-after|www-authenticate|allow|idempotency-.*)$/;
  const sent = Object.keys(headers).filter((name) => telling.test(name));
  expect(described, `${operation?.operationId} ${statusCode}`).toEqual(expect.arrayContaining(sent));
}

test("describes limits and repeats with their headers, and Idempotency-Key", async () => {
  const limited = await openTestServer({ MEM_RATE_LIMIT_PER_MIN: "2" });
  const { apiKey } = await limited.addKey({ project: "shop" });
  const event = JSON.stringify({ sourceType: "api", eventType: "note", occurredAtEpoch: 1 });
  const send = () => {
    const request = keyed(apiKey, { host: "x", "idempotency-key": "one" }, event);
    return limited.app.inject({ method: "POST", url: "/v1/events", ...request });
  };
  const answers = [await send(), await send(), await send()];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 429]);
  const operation = document.paths["/v1/events"]?.post;
  for (const answer of answers) {
    expect(answer.headers).toHaveProperty("x-ratelimit-limit", "2");
    expectHeadersDescribed(operation, answer);
  }
  expect(answers[1]?.headers).toHaveProperty("idempotency-replayed", "true");
  expect(answers[2]?.headers).toHaveProperty("retry-after");
  for (const path of ["/v1/events", "/v1/events/batch"]) {
    const names = document.paths[path]?.post?.parameters?.map(({ in: place, name }) => `${place} ${name}`);
    expect(names).toEqual(["query generate", "query wait", "header Idempotency-Key"]);
  }
});

test("a wrong method is 405 with Allow; an unknown path is 404", async () => {
  const ask = (method: string, url: string) =>
    app.inject({ method: method as "GET", url, headers: { host: "x" } });
  for (const [method, url, allow] of [
    ["PUT", "/v1/search", "POST"],
    ["GET", "/v1/search?query=x", "POST"],
    ["POST", `/v1/memories/${newId()}`, "DELETE, GET"],
    ["DELETE", "/health", "GET, HEAD"],
    ["OPTIONS", "/v1/keys", "GET, POST"],
    ["PUT", "/v1/mcp", "DELETE, GET, POST"],
  ] as const) {
    const answer = await ask(method, url);
    expect([answer.statusCode, answer.headers.allow], url).toEqual([405, allow]);
    expect(answer.json().error).toMatchObject({ code: "method_not_allowed", hint: expect.any(String) });
  }
  for (const url of ["/v1", "/v1/search/", "/v1/nothing", "/v1xopenapi.json", "/api/timeline"]) {
    const answer = await ask("PUT", url);
    expect([answer.statusCode, answer.headers.allow], url).toEqual([404, undefined]);
  }
});

describe("an error of the server", () => {
  test.each([
    ["GET", "/v2/nothing", 404],
    ["POST", "/v1/search", 400],
    ["GET", "/%zz", 400],
    ["GET", `/v1/memories/${newId()}`, 404],
  ] as const)("%s %s leads to the server's own document or routes", async (method, url, status) => {
    const answer = await app.inject({
      method,
      url,
      headers: { host: "x", ...keyed(key.apiKey, {}).headers },
    });
    expect(answer.statusCode).toBe(status);
    expect(answer.json().error.hint).toMatch(/\/v1\//);
    expect(answer.body).not.toMatch(misleading);
  });

  test("of any code that a request can meet says nothing of a worker", () => {
    for (const code of met) {
      const { hint, message } = inWordsOf(hostedErrorWords, new MemError(code)).toBody().error;
      expect(`${message} ${hint}`, code).not.toMatch(misleading);
      expect(hint, code).toMatch(/^.{10,120}\.$/);
    }
    expect(Object.keys(errorCatalogue)).toEqual(expect.arrayContaining([...met]));
  });

  test("keeps the words of who threw it, its details and its cause", () => {
    const thrown = new MemError("not_found", { message: "Gone.", details: { a: 1 }, cause: "why" });
    const said = inWordsOf(hostedErrorWords, thrown);
    expect(said.toBody().error).toEqual({
      code: "not_found",
      message: "Gone.",
      hint: "POST /v1/search finds what the key reaches.",
      details: { a: 1 },
    });
    expect(said.cause).toBe("why");
    const own = new MemError("not_found", { hint: "Ask." });
    expect(inWordsOf(hostedErrorWords, own)).toBe(own);
  });
});

const misleading = /worker|mem search|mem doctor|\/api\//;
const met = [
  "invalid_request",
  "invalid_json",
  "nesting_too_deep",
  "host_not_allowed",
  "origin_not_allowed",
  "remote_not_allowed",
  "unauthenticated",
  "insufficient_scope",
  "quota_exceeded",
  "rate_limited",
  "not_found",
  "conflict",
  "payload_too_large",
  "unsupported_media_type",
  "internal",
  "storage_busy",
  "storage_full",
  "storage_failed",
] as const;
