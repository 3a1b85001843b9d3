import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { countRows, requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "one" });
const teamKey = await server.addKey();
const { get, post } = requestsTo(server, key);

const anEvent = {
  sourceType: "hook",
  eventType: "tool_use",
  occurredAtEpoch: 1_760_000_000_123,
  payload: { tool_name: "Bash", tool_input: { command: "make" } },
};

test("stores an event with its session and job, and reads it as answered", async () => {
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
  expect((await get(`/v1/events/${event.id}/observations`)).body).toEqual({
    eventId: event.id,
    observations: [],
  });
  const named = await post("/v1/events", { ...anEvent, serverSessionId: event.serverSessionId });
  expect(named.body.event.serverSessionId).toBe(event.serverSessionId);
  const again = await post("/v1/events", { ...anEvent, contentSessionId: "session-1" });
  expect(again.body.event.serverSessionId).toBe(event.serverSessionId);
});

test("generate=false stores the event without a job; flags are true or false", async () => {
  const jobs = await countRows(server, "generation_jobs");
  const sent = await post("/v1/events?generate=false&wait=true", anEvent);
  expect(sent.status).toBe(201);
  expect(sent.body.generationJob).toBeNull();
  expect(await countRows(server, "generation_jobs")).toBe(jobs);
  for (const query of ["generate=1", "wait=yes", "wait=", "generate=TRUE", "other=1"]) {
    expect((await post(`/v1/events?${query}`, anEvent)).status, query).toBe(400);
  }
});

test("nothing is made of a tool use that only read our memory", async () => {
  const payload = {
    tool_name: "Bash",
    tool_input: { command: "mem search quota" },
    tool_response: "#12 quota",
  };
  const sent = await post("/v1/events", { ...anEvent, payload });
  expect([sent.status, sent.body.generationJob]).toEqual([201, null]);
});

test("the project is the body's or the key's; a key of the team has to name one", async () => {
  const { project_id } = key;
  const named = await post("/v1/events", { ...anEvent, projectId: project_id }, { by: teamKey });
  expect(named.body.event.projectId).toBe(project_id);
  expect((await post("/v1/events", anEvent, { by: teamKey })).status).toBe(400);
});

test("foreign, unknown and malformed ids are answered with the same bytes", async () => {
  const sibling = await server.addKey({ project: "two" });
  const stranger = await server.addKey({ team: "strangers", project: "one" });
  const ours = requestsTo(server, sibling);
  const theirs = requestsTo(server, stranger);
  const foreign = [
    (await ours.post("/v1/events", { ...anEvent, contentSessionId: "s" })).body.event,
    (await theirs.post("/v1/events", { ...anEvent, contentSessionId: "s" })).body.event,
  ];
  const strange = [newId(), "no-id", newId().toUpperCase(), "%00", "a.b", "0"];
  const texts = async (ids: string[], path: (id: string) => string, body?: (id: string) => unknown) => {
    const answers = await Promise.all(
      ids.map((id) => (body === undefined ? get(path(id)) : post(path(id), body(id)))),
    );
    return new Set(answers.map(({ status, text }) => `${status} ${text}`));
  };
  const events = [...foreign.map(({ id }) => id), ...strange];
  const onEvent = await texts(events, (id) => `/v1/events/${encodeURIComponent(id)}`);
  expect([...onEvent]).toEqual([expect.stringMatching(/^404 .*There is no such event/)]);
  const onMade = await texts(events, (id) => `/v1/events/${encodeURIComponent(id)}/observations`);
  expect(onMade).toEqual(onEvent);
  const sessions = [...foreign.map(({ serverSessionId }) => serverSessionId), ...strange];
  const onSession = await texts(
    sessions,
    () => "/v1/events",
    (id) => ({ ...anEvent, sessionId: id }),
  );
  expect([...onSession]).toEqual([expect.stringMatching(/^404 .*There is no such session/)]);
  const projects = [sibling.project_id ?? "", stranger.project_id ?? "", ...strange];
  const onProject = await texts(
    projects,
    () => "/v1/events",
    (id) => ({ ...anEvent, projectId: id }),
  );
  expect([...onProject]).toEqual([expect.stringMatching(/^404 .*There is no such project/)]);
});

test("unknown fields, and columns of the table, are refused", async () => {
  const fields = ["id", "teamId", "team_id", "project_id", "seq", "memoryEpoch", "receivedAtEpoch", "job_id"];
  for (const field of fields) {
    expect((await post("/v1/events", { ...anEvent, [field]: "1" })).status, field).toBe(400);
  }
});

test("removes private parts and secrets before storing, also with a NUL in the tag", async () => {
  const hidden = "orange-canary";
  const secret = "AKIAIOSFODNN7EXAMPLE";
  const sent = await post("/v1/events", {
    ...anEvent,
    eventType: `<private>${hidden}</private>tool_use`,
    contentSessionId: `<private>${hidden}</private>`,
    sourceEventId: `${secret}`,
    payload: { a: [`<pri\0vate>${hidden}</private>b`], [`key ${secret}`]: `use ${secret}` },
    metadata: { note: `<private>${hidden}` },
  });
  expect(sent.status).toBe(201);
  const { rows } = await server.database.system.query<{ all: string }>({
    text: `select row_to_json(e)::text || row_to_json(s)::text || (select json_agg(i)::text from idempotency_keys i) as all
      from agent_events e join sessions s on s.id = e.session_id where e.id = $1`,
    values: [sent.body.event.id],
  });
  for (const text of [sent.text, rows[0]?.all ?? hidden]) {
    expect(text).not.toContain(hidden);
    expect(text).not.toContain(secret);
  }
});
