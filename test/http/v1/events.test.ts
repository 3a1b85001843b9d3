import { expect, test } from "vitest";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "one" });

const anEvent = {
  sourceType: "hook",
  eventType: "tool_use",
  occurredAtEpoch: 1_760_000_000_123,
  payload: { tool_name: "Bash", tool_input: { command: "make" } },
};

async function post(
  path: string,
  body: unknown,
  { by = key, headers = {} }: { by?: TestKey; headers?: object } = {},
) {
  const answer = await server.app.inject({
    method: "POST",
    url: path,
    headers: {
      host: "x",
      authorization: `Bearer ${by.apiKey}`,
      "content-type": "application/json",
      ...headers,
    },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json(), text: answer.body };
}

async function get(path: string, by: TestKey = key) {
  const answer = await server.app.inject({
    url: path,
    headers: { host: "x", authorization: `Bearer ${by.apiKey}` },
  });
  return { status: answer.statusCode, body: answer.json(), text: answer.body };
}

async function count(
  table: "agent_events" | "generation_jobs" | "idempotency_keys" | "sessions",
  where = "true",
) {
  const { rows } = await server.database.system.query<{ n: number }>({
    text: `select count(*)::int as n from ${table} where ${where}`,
  });
  return rows[0]?.n;
}

test("an event is stored with its session and its job, and is read again as it was answered", async () => {
  const sent = await post("/v1/events?wait=true", {
    ...anEvent,
    contentSessionId: "session-1",
    platformSource: "claude-code",
    metadata: { branch: "main" },
  });
  expect(sent.status).toBe(201);
  const { event, generationJob } = sent.body;
  expect(event).toMatchObject({
    teamId: key.team_id,
    projectId: key.project_id,
    serverSessionId: expect.any(String),
    sourceType: "hook",
    sourceEventId: null,
    eventType: "tool_use",
    platformSource: "claude-code",
    payload: anEvent.payload,
    metadata: { branch: "main" },
    occurredAtEpoch: anEvent.occurredAtEpoch,
  });
  expect(generationJob).toEqual({
    id: expect.any(String),
    status: "queued",
    sourceType: "agent_event",
    sourceId: event.id,
    createdAtEpoch: event.receivedAtEpoch,
    updatedAtEpoch: event.receivedAtEpoch,
  });
  expect((await get(`/v1/events/${event.id}`)).body).toEqual({ event });
  const again = await post("/v1/events", { ...anEvent, serverSessionId: event.serverSessionId });
  expect(again.body.event.serverSessionId).toBe(event.serverSessionId);
  expect((await get(`/v1/events/${event.id}/observations`)).body).toEqual({
    eventId: event.id,
    observations: [],
  });
});

test("generate=false stores the event and asks for nothing", async () => {
  const jobs = await count("generation_jobs");
  const sent = await post("/v1/events?generate=false&wait=true", anEvent);
  expect(sent.status).toBe(201);
  expect(sent.body.generationJob).toBeNull();
  expect(await count("generation_jobs")).toBe(jobs);
  for (const query of ["generate=1", "wait=yes", "wait=", "generate=TRUE", "other=1"]) {
    expect((await post(`/v1/events?${query}`, anEvent)).status, query).toBe(400);
  }
});

test("fifty requests with one key at once are one event with one job", async () => {
  const before = [await count("agent_events"), await count("generation_jobs")];
  const headers = { "idempotency-key": "fifty" };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post("/v1/events", anEvent, { headers })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.event.id)).size).toBe(1);
  expect(new Set(answers.map(({ body }) => body.generationJob.id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers["idempotency-replayed"] === undefined)).toHaveLength(1);
  expect([await count("agent_events"), await count("generation_jobs")]).toEqual(
    before.map((n) => (n ?? 0) + 1),
  );
});
