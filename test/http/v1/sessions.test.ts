import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { countRows, requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "one" });
const { get, post } = requestsTo(server, key);

const begun = {
  contentSessionId: "agent-1",
  platformSource: "claude-code",
  agentId: "a",
  metadata: { n: 1 },
};

test("a session is begun once per project and name, and read again", async () => {
  const first = await post("/v1/sessions/start", begun);
  expect(first.status).toBe(201);
  expect(first.body.session).toMatchObject({
    teamId: key.team_id,
    projectId: key.project_id,
    ...begun,
    agentType: null,
    status: "active",
    endedAtEpoch: null,
  });
  const again = await post("/v1/sessions/start", { ...begun, agentType: "main" });
  expect(again.status).toBe(200);
  expect(again.body.session).toMatchObject({ id: first.body.session.id, agentId: "a", agentType: "main" });
  expect((await get(`/v1/sessions/${first.body.session.id}`)).body).toEqual(again.body);
  const other = await post("/v1/sessions/start", begun, { by: await server.addKey({ project: "two" }) });
  expect(other.status).toBe(201);
});

test("what an event left open of its session is filled in when it is begun", async () => {
  const { body } = await post("/v1/events", {
    ...{ sourceType: "hook", eventType: "prompt", occurredAtEpoch: 1 },
    contentSessionId: "agent-2",
  });
  const started = await post("/v1/sessions/start", {
    ...begun,
    externalSessionId: "x",
    contentSessionId: "agent-2",
  });
  expect(started.status).toBe(200);
  expect(started.body.session).toMatchObject({
    id: body.event.serverSessionId,
    platformSource: "claude-code",
    agentId: "a",
  });
});

test("a session ended twice, or ten times concurrently, has one summary job", async () => {
  const { session } = (await post("/v1/sessions/start", { ...begun, contentSessionId: "agent-3" })).body;
  const jobs = await countRows(server, "generation_jobs");
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post(`/v1/sessions/${session.id}/end`, {})),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.body).toMatchObject({
    session: { id: session.id, status: "completed", endedAtEpoch: expect.any(Number) },
    generationJob: { status: "queued", sourceType: "session_summary", sourceId: session.id },
  });
  expect((await post(`/v1/sessions/${session.id}/end`, "")).body).toEqual(answers[0]?.body);
  expect(await countRows(server, "generation_jobs")).toBe(jobs + 1);
});

test("a session without a name is found by its id alone", async () => {
  const [one, two] = await Promise.all([post("/v1/sessions/start", {}), post("/v1/sessions/start", {})]);
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(one.body.session.id).not.toBe(two.body.session.id);
});

test("foreign, unknown and malformed sessions get the same bytes; none is ended", async () => {
  const sibling = await server.addKey({ project: "two" });
  const stranger = await server.addKey({ team: "strangers", project: "one" });
  const foreign = await Promise.all(
    [sibling, stranger].map(
      async (by) =>
        (await post("/v1/sessions/start", { contentSessionId: "foreign" }, { by })).body.session.id as string,
    ),
  );
  const ids = [...foreign, newId(), "no-id", "0", "%00"].map(encodeURIComponent);
  const answers = await Promise.all(
    ids.flatMap((id) => [get(`/v1/sessions/${id}`), post(`/v1/sessions/${id}/end`, {})]),
  );
  expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toEqual([
    expect.stringMatching(/^404 .*There is no such session/),
  ]);
  for (const id of foreign) {
    expect(await countRows(server, "generation_jobs", { column: "source_id", value: id })).toBe(0);
  }
});
