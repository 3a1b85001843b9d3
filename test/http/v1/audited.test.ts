import { expect, test } from "vitest";
import { requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const { app, routes, addKey } = server;
const key = await addKey();
const { get, post } = requestsTo(server, key);

const named = await post("/v1/projects", { name: "shop" });
const projectId: string = named.body.project.id;
const anEvent = { projectId, sourceType: "hook", eventType: "tool_use", occurredAtEpoch: 1 };
const stored = await post("/v1/events", anEvent);
const job: string = stored.body.generationJob.id;

interface Asked {
  url: string;
  body?: unknown;
  action: string;
}

/** Every route that changes something, as it is asked, and what the audit log says of it. */
const changes: Record<string, () => Promise<Asked>> = {
  "POST /v1/projects": async () => ({
    url: "/v1/projects",
    body: { name: "another" },
    action: "project.created",
  }),
  "POST /v1/memories": async () => ({
    url: "/v1/memories",
    body: { projectId, content: "a note" },
    action: "observation.created",
  }),
  "POST /v1/memories/shared": async () => ({
    url: "/v1/memories/shared",
    body: {
      projectId,
      records: [
        {
          ...{ device: "laptop", kind: "observation", id: "1", revision: 1 },
          ...{ type: "bugfix", title: "shared", createdAtEpoch: 1 },
        },
      ],
    },
    action: "observation.shared",
  }),
  "DELETE /v1/memories/:id": async () => {
    const made = await post("/v1/memories", { projectId, content: "to be deleted" });
    return { url: `/v1/memories/${made.body.memory.id}`, action: "observation.deleted" };
  },
  "DELETE /v1/projects/:projectId/memory": async () => ({
    url: `/v1/projects/${(await post("/v1/projects", { name: "purged" })).body.project.id}/memory`,
    action: "project.memory_purged",
  }),
  "PATCH /v1/team": async () => ({
    url: "/v1/team",
    body: { retentionDays: 7 },
    action: "team.retention_changed",
  }),
  "POST /v1/jobs/:id/cancel": async () => ({ url: `/v1/jobs/${job}/cancel`, action: "job.cancelled" }),
  "POST /v1/jobs/:id/retry": async () => {
    await post(`/v1/jobs/${job}/cancel`, {});
    return { url: `/v1/jobs/${job}/retry`, action: "job.retried" };
  },
  "POST /v1/keys": async () => ({ url: "/v1/keys", body: {}, action: "key.created" }),
  "DELETE /v1/keys/:id": async () => ({
    url: `/v1/keys/${(await post("/v1/keys", {})).body.id}`,
    action: "key.revoked",
  }),
};

/** What agents send while they work: the row itself, with its project and time, is the record of it. */
const captures = [
  "POST /v1/events",
  "POST /v1/events/batch",
  "POST /v1/sessions/start",
  "POST /v1/sessions/:id/end",
  ...["init", "observations", "summarize", "complete"].map((step) => `POST /api/sessions/${step}`),
  ...["init", "observations", "summarize", "complete"].map((step) => `POST /sessions/:sessionDbId/${step}`),
];

test("every route that changes something is here", () => {
  const writing = routes.flatMap(({ method, url, config }) =>
    config?.access === "memories:write" ? [method].flat().map((each) => `${each} ${url}`) : [],
  );
  expect(writing.sort()).toEqual([...Object.keys(changes), ...captures].sort());
});

test.each(Object.keys(changes))(
  "%s leaves one row in the audit log, with its key and request",
  async (route) => {
    const asked = await changes[route]?.();
    if (asked === undefined) throw new TypeError("no such change");
    const { url, body, action } = asked;
    const entries = async () => (await get(`/v1/audit?action=${action}`)).body.entries;
    const before = await entries();
    const answer = await app.inject({
      method: route.split(" ", 1)[0] as "POST",
      url,
      headers: { host: "x", authorization: `Bearer ${key.apiKey}` },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    const after = await entries();
    expect(after).toHaveLength(before.length + 1);
    expect(after[0]).toMatchObject({ action, apiKeyId: key.id, requestId: answer.headers["x-request-id"] });
  },
);

test("a change that is refused leaves none", async () => {
  const entries = async () => (await get("/v1/audit?action=project.created")).body.entries.length;
  const before = await entries();
  expect((await post("/v1/projects", { name: "shop" })).status).toBe(409);
  expect(await entries()).toBe(before);
});
