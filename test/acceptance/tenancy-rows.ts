// The rows of the matrix: every route of /v1 and every MCP tool, with each place where an id travels in it.
import { newId } from "../../src/core/ids.ts";
import { compatibilityRows } from "./tenancy-compatibility-rows.ts";
import type { Row, Slot } from "./tenancy-model.ts";
import { everyonesOrigin, everyonesText, lure, type Noun } from "./tenancy-world.ts";

const path = (noun: Noun, name = "id"): Slot => ({ at: "path", name, noun });
const inBody = (name: string, noun: Noun, more: Partial<Slot> = {}): Slot => ({
  at: "body",
  name,
  noun,
  ...more,
});
const inQuery = (name: string, noun: Noun, more: Partial<Slot> = {}): Slot => ({
  at: "query",
  name,
  noun,
  ...more,
});
/** The project of a request that needs one. Without it, a team key gets 400. */
const project = { body: inBody("projectId", "project", { absent: 400 }) };
const open: Row = { access: "none" };
const ofHub: Row = { access: "hub" };
const nothing = () => ({});
const search = () => ({ query: lure });
const ofToday = () => ({ query: `what did we do today about the ${lure}` });
const sharedRecord = (id: string) => ({
  ...{ device: "laptop", kind: "observation", id, revision: 1 },
  ...{ type: "bugfix", title: "shared", createdAtEpoch: 1 },
});
const event = () => ({ sourceType: "api", eventType: "note", occurredAtEpoch: 1 });

// A batch answers each event separately; this reads the answer to the first one.
const ofBatch: Slot = {
  at: "body",
  name: "events",
  noun: "project",
  write: (projectId) => [{ ...event(), projectId }],
};
const toldOfFirst = (status: number, body: string): number => {
  if (status !== 201) return status;
  const { error } = JSON.parse(body).results[0];
  if (error === undefined) return 201;
  return error.code === "not_found" ? 404 : 409;
};

export const rowsOfV1: Readonly<Record<string, Row>> = {
  "POST /v1/sync/ops": ofHub,
  "GET /v1/sync/changes": ofHub,
  "GET /v1/sync/status": ofHub,
  "GET /v1/sync/devices": ofHub,
  "GET /v1/sync/ws": ofHub,
  "GET /health": open,
  "GET /ready": open,
  "HEAD /health": open,
  "HEAD /ready": open,
  "GET /v1/openapi.json": open,
  "GET /v1/projects": { access: "read" },
  "GET /v1/projects/:projectId": { access: "read", slots: [path("project", "projectId")] },
  "POST /v1/projects": {
    access: "write",
    ok: 201,
    teamOnly: true,
    body: () => ({ name: `new ${newId()}` }),
  },
  "GET /v1/usage": { access: "read" },
  "DELETE /v1/memories/:id": { access: "write", changes: true, slots: [path("memory")] },
  "DELETE /v1/projects/:projectId/memory": {
    access: "write",
    changes: true,
    slots: [path("project", "projectId")],
  },
  "GET /v1/audit": {
    access: "read",
    slots: [inQuery("projectId", "project", { out: 200, absent: 200 })],
  },
  "GET /v1/team": { access: "read" },
  "PATCH /v1/team": { access: "write", teamOnly: true, body: () => ({ retentionDays: 30 }) },
  "POST /v1/events": {
    access: "write",
    stores: true,
    ok: 201,
    body: event,
    slots: [
      project.body,
      inBody("sessionId", "session", { ofProject: true }),
      inBody("serverSessionId", "session", { ofProject: true }),
    ],
  },
  "POST /v1/events/batch": {
    access: "write",
    ok: 201,
    told: toldOfFirst,
    slots: [ofBatch, { ...ofBatch, withKey: true }],
  },
  "GET /v1/events/:id": { access: "read", slots: [path("event")] },
  "GET /v1/events/:id/observations": { access: "read", slots: [path("event")] },
  "POST /v1/sessions/start": {
    access: "write",
    stores: true,
    ok: 201,
    body: () => ({ contentSessionId: newId() }),
    slots: [project.body],
  },
  "GET /v1/sessions/:id": { access: "read", slots: [path("session")] },
  "POST /v1/sessions/:id/end": { access: "write", body: nothing, slots: [path("session")] },
  "GET /v1/jobs/:id": { access: "read", slots: [path("job")] },
  "GET /v1/jobs": { access: "read", slots: [inQuery("projectId", "project", { absent: 200 })] },
  "POST /v1/jobs/:id/retry": {
    access: "write",
    body: nothing,
    changes: true,
    slots: [path("failedJob")],
  },
  "POST /v1/jobs/:id/cancel": { access: "write", body: nothing, changes: true, slots: [path("job")] },
  "POST /v1/keys": { access: "write", ok: 201, readsToo: "or 403", body: nothing },
  "GET /v1/keys": { access: "read" },
  "DELETE /v1/keys/:id": { access: "write", readsToo: "or 404", slots: [path("key")] },
  "GET /v1/connect": { access: "read" },
  "POST /v1/search": { access: "read", body: search, slots: [project.body] },
  "POST /v1/context": { access: "read", body: ofToday, slots: [project.body] },
  "POST /v1/recall": { access: "read", body: nothing, slots: [project.body] },
  "GET /v1/recall": {
    access: "read",
    query: search,
    slots: [inQuery("projectId", "project", { absent: 400 })],
  },
  "POST /v1/memories": {
    access: "write",
    stores: true,
    ok: 201,
    body: () => ({ content: "noted by hand" }),
    slots: [project.body, inBody("serverSessionId", "session", { ofProject: true })],
  },
  "POST /v1/memories/shared": {
    access: "write",
    stores: true,
    body: () => ({ records: [sharedRecord(everyonesOrigin), sharedRecord(newId())] }),
    slots: [project.body],
  },
  "GET /v1/memories/:id": { access: "read", slots: [path("memory")] },
  "POST /v1/mcp": {
    access: "read",
    body: () => ({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  },
  "GET /v1/mcp": { access: "read", ok: 405 },
  "DELETE /v1/mcp": { access: "read", ok: 405 },
};

// MCP answers 200; a refusal is an error in the tool's result.
const tool = (args: () => Record<string, unknown>, more: Partial<Row> = {}): Row => ({
  access: "read",
  body: args,
  slots: [{ at: "tool", name: "projectId", noun: "project", absent: 400 }],
  told(status, body) {
    if (status !== 200) return status;
    const { result } = JSON.parse(body);
    if (result?.isError !== true) return result === undefined ? 500 : 200;
    const said = JSON.stringify(result);
    if (said.includes("memories:write")) return 403;
    return said.includes("is needed") ? 400 : 404;
  },
  ...more,
});

export const rowsOfTools: Readonly<Record<string, Row>> = {
  search: tool(search),
  context: tool(search),
  recent: tool(nothing),
  remember: tool(() => ({ kind: "fact", text: everyonesText }), { access: "write", readsToo: "or 403" }),
  // It needs a project and a record of the project: test/http/v1/mcp-writing-tools.test.ts asks with foreign ones.
  review: {
    ...{ access: "write", readsToo: "or 403" },
    body: () => ({ id: newId(), verdict: "done" }),
    told: (status, body) => (body.includes("memories:write") ? 403 : status),
  },
};

/** All of them; the name of a tool stands behind the word. */
export const everyRow: Readonly<Record<string, Row>> = {
  ...rowsOfV1,
  ...compatibilityRows,
  ...Object.fromEntries(Object.entries(rowsOfTools).map(([name, row]) => [`tool ${name}`, row])),
};
