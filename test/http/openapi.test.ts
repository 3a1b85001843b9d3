import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeWorld, local } from "./support.ts";

const world = fakeWorld();
interface Operation {
  summary?: string;
  parameters?: { name: string; in: string; required: boolean; schema: unknown }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { content: Record<string, { schema: unknown }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}
let document: Document;

beforeAll(async () => {
  document = (await world.app.inject({ url: "/api/openapi.json", headers: local })).json();
});
afterAll(() => world.app.close());

test("every route of the contract is registered", () => {
  const registered = world.routes.map(({ method, url }) => `${String(method)} ${url}`).sort();
  expect(registered).toEqual(contract.sort());
});

test("documents every route with summary, parameters and every status", () => {
  for (const { method, url, schema } of world.routes) {
    const operation = document.paths[url.replace(/:(\w+)/g, "{$1}")]?.[String(method).toLowerCase()];
    expect(operation?.summary, url).toMatch(/\.$|\?$/);
    expect(Object.keys(operation?.responses ?? {}), url).toEqual(Object.keys(schema?.response ?? {}));
    for (const [, name] of url.matchAll(/:(\w+)/g)) {
      expect(operation?.parameters).toContainEqual(
        expect.objectContaining({ name, in: "path", required: true }),
      );
    }
    expect(operation?.requestBody === undefined, url).toBe(schema?.body === undefined);
  }
});

test("every status of every route has a schema, and so has every body", () => {
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      const contents = [...Object.values(operation.responses), operation.requestBody].filter(
        (part) => part !== undefined,
      );
      for (const { content } of contents) {
        expect(Object.keys(content).length).toBeGreaterThan(0);
        for (const { schema } of Object.values(content)) expect(schema).toBeTypeOf("object");
      }
      for (const status of ["400", "403", "500", "503"]) expect(operation.responses).toHaveProperty(status);
    }
  }
});

test("every reference leads somewhere", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(100);
  for (const [, name = ""] of references) expect(document.components.schemas).toHaveProperty(name);
  expect(JSON.stringify(document)).not.toContain("$defs");
});

test("a paged route tells the range and the default of its limit", () => {
  const limit = document.paths["/api/observations"]?.get?.parameters?.find(({ name }) => name === "limit");
  expect(limit).toMatchObject({
    in: "query",
    required: false,
    schema: { minimum: 1, maximum: 100, default: 20 },
  });
});

const contract = [
  "GET /api/openapi.json",
  "GET /api/rules",
  "POST /api/rules",
  "POST /api/rules/:id/accept",
  "POST /api/agent/records",
  "POST /api/agent/records/:id/verdict",
  "POST /api/observations/:id/text",
  "POST /api/sessions/init",
  "POST /api/sessions/observations",
  "POST /api/sessions/summarize",
  "POST /api/sessions/complete",
  "POST /api/hooks/:host/:event",
  "POST /sessions/:sessionDbId/init",
  "POST /sessions/:sessionDbId/observations",
  "POST /sessions/:sessionDbId/summarize",
  "POST /sessions/:sessionDbId/complete",
  "GET /sessions/:sessionDbId/status",
  "GET /health",
  "GET /sessions",
  "POST /sessions",
  "GET /sessions/:id",
  "PATCH /sessions/:id",
  "GET /observations",
  "POST /observations",
  "GET /observations/:id",
  "GET /api/observations",
  "GET /api/summaries",
  "GET /api/prompts",
  "GET /api/observation/:id",
  "GET /api/session/:id",
  "GET /api/prompt/:id",
  "GET /api/stats",
  "GET /api/projects",
  "GET /api/health",
  "GET /api/readiness",
  "GET /api/version",
  "GET /api/processing-status",
  "GET /api/queue",
  "GET /api/cost",
  "POST /api/regenerate",
  "GET /api/regenerate",
  "GET /api/regenerate/plan",
  "DELETE /api/regenerate",
  "POST /api/queue/retry",
  "POST /api/queue/drop",
  "POST /api/observations/:id/status",
  "POST /api/observations/:id/pin",
  "GET /api/projects/all",
  "POST /api/projects/rename",
  "POST /api/projects/merge",
  "POST /api/maintenance/repair",
  "GET /api/maintenance/repair",
  "GET /api/search",
  "POST /api/search",
  "GET /api/timeline",
  "POST /api/timeline",
  "GET /api/decisions",
  "GET /api/changes",
  "GET /api/how-it-works",
  "GET /api/search/by-concept",
  "GET /api/search/by-file",
  "GET /api/search/by-type",
  "GET /api/observations/by-file",
  "POST /api/observations/batch",
  "GET /api/summary/:id",
  "GET /api/context/recent",
  "GET /api/context/inject",
  "GET /api/context/preview",
  "GET /api/context/explain",
  "POST /api/context/explain",
  "GET /api/folders",
  "POST /api/folders/refresh",
  "POST /api/folders/remove",
  "GET /api/mcp/status",
  "POST /api/mcp/toggle",
  "GET /api/sync/status",
  "GET /api/sync/devices",
  "POST /api/sync/earlier",
  "POST /api/sync/now",
  "POST /api/sync/pause",
  "POST /api/sync/projects",
  "GET /api/team",
  "GET /api/team/memories/:id",
  "POST /api/team/disconnect",
  "POST /api/team/projects",
  "POST /api/team/search",
  "POST /api/team/send",
  "POST /api/sync/resume",
  "GET /api/settings",
  "POST /api/settings",
  "GET /api/sessions/:id/injections",
  "DELETE /api/observations/:id",
  "DELETE /api/summaries/:id",
  "DELETE /api/prompts/:id",
  "DELETE /api/sessions/:id",
  "GET /api/sessions/:id/records",
  "GET /api/activity",
  "PATCH /api/observations/:id",
  "PATCH /api/summaries/:id",
  "PATCH /api/prompts/:id",
  "PATCH /api/sessions/:id",
  "GET /api/observations/:id/details",
  "GET /api/open-work",
  "GET /api/feed",
  "POST /api/import/records",
  "POST /api/import/events",
  "GET /api/import/sources/:source",
  "POST /api/projects/of",
  "GET /api/forget",
  "POST /api/forget",
  "POST /api/forget/plan",
  "GET /api/forget/receipts",
  "GET /api/retention",
  "GET /api/scrub",
  "POST /api/scrub",
  "POST /api/retention",
  "POST /api/retention/plan",
  "DELETE /api/trash",
  "GET /api/trash",
  "POST /api/trash/:id/restore",
  "GET /stream",
  "GET /api/settings/list",
  "GET /api/branch/status",
  "POST /api/branch/switch",
  "POST /api/branch/update",
  "GET /",
  "GET /tv",
  "GET /tv.html",
  "GET /assets/:file",
  "GET /favicon.ico",
];
