import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { countRows, requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const { system } = server.database;
const key = await server.addKey({ project: "one" });
const teamKey = await server.addKey();
const { get, post } = requestsTo(server, key);

const anEvent = { sourceType: "hook", eventType: "tool_use", occurredAtEpoch: 1, payload: "x" };
const aJob = async (by = key): Promise<string> =>
  (await post("/v1/events", anEvent, { by })).body.generationJob.id;

async function stand(id: string, status: string): Promise<void> {
  await system.query({
    text: `update generation_jobs set status = $2, attempts = 2, last_error = '{"code":"c","message":"m"}',
        lease_token = case when $2 = 'processing' then id end,
        failed_at = case when $2 = 'failed' then now() end
      where id = $1`,
    values: [id, status],
  });
}

test("a job is polled by its id, with the observations that it made", async () => {
  const { event, generationJob } = (await post("/v1/events", { ...anEvent, contentSessionId: "s" })).body;
  const { body } = await get(`/v1/jobs/${generationJob.id}`);
  expect(body.generationJob).toEqual({
    ...generationJob,
    projectId: key.project_id,
    teamId: key.team_id,
    agentEventId: event.id,
    serverSessionId: event.serverSessionId,
    jobType: "observation",
    attempts: 0,
    maxAttempts: expect.any(Number),
    nextAttemptAtEpoch: generationJob.createdAtEpoch,
    completedAtEpoch: null,
    failedAtEpoch: null,
    cancelledAtEpoch: null,
    lastError: null,
    observationIds: [],
  });
  const made = newId();
  await system.query({
    text: `insert into observations (id, team_id, project_id, content, title, memory_epoch)
      values ($1, $2, $3, 'made of it', 'made', 1)`,
    values: [made, key.team_id, key.project_id],
  });
  await system.query({
    text: `insert into observation_sources
        (id, team_id, project_id, observation_id, source_type, source_id, generation_job_id)
      values ($1, $2, $3, $4, 'agent_event', $5, $6)`,
    values: [newId(), key.team_id, key.project_id, made, event.id, generationJob.id],
  });
  expect((await get(`/v1/jobs/${generationJob.id}`)).body.generationJob.observationIds).toEqual([made]);
  const listed = (await get(`/v1/events/${event.id}/observations`)).body;
  expect(listed.observations).toMatchObject([
    { id: made, content: "made of it", source: { sourceId: event.id, generationJobId: generationJob.id } },
  ]);
});

test("requeues a failed or cancelled job with all attempts and requests a turn", async () => {
  for (const status of ["failed", "cancelled"]) {
    const id = await aJob();
    await stand(id, status);
    await server.database.owner.query("delete from graphile_worker._private_jobs");
    const { status: code, body } = await post(`/v1/jobs/${id}/retry`, {});
    expect(code).toBe(200);
    expect(body.generationJob).toMatchObject({
      status: "queued",
      attempts: 0,
      lastError: null,
      failedAtEpoch: null,
    });
    const { rows } = await server.database.owner.query("select key from graphile_worker.jobs");
    expect(rows).toEqual([{ key: `turn:${key.team_id}` }]);
    expect(await countRows(server, "audit_log", { column: "resource_id", value: id })).toBe(1);
  }
});

test("retrying a queued job changes nothing; a running or done one is a conflict", async () => {
  const id = await aJob();
  const before = (await get(`/v1/jobs/${id}`)).body;
  const answer = await post(`/v1/jobs/${id}/retry`, {});
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(before);
  for (const status of ["processing", "completed"]) {
    await stand(id, status);
    expect((await post(`/v1/jobs/${id}/retry`, {})).status).toBe(409);
  }
  expect(await countRows(server, "audit_log", { column: "resource_id", value: id })).toBe(0);
});

test("a job that waits or is worked on is cancelled, and its worker's lease with it", async () => {
  for (const status of ["queued", "processing"]) {
    const id = await aJob();
    await stand(id, status);
    const { body } = await post(`/v1/jobs/${id}/cancel`, {});
    expect(body.generationJob).toMatchObject({ status: "cancelled", cancelledAtEpoch: expect.any(Number) });
    const { rows } = await system.query({
      text: "select lease_token from generation_jobs where id = $1",
      values: [id],
    });
    expect(rows).toEqual([{ lease_token: null }]);
    expect((await post(`/v1/jobs/${id}/cancel`, {})).body).toEqual(body);
    expect(await countRows(server, "audit_log", { column: "resource_id", value: id })).toBe(1);
  }
  for (const status of ["completed", "failed"]) {
    const id = await aJob();
    await stand(id, status);
    expect((await post(`/v1/jobs/${id}/cancel`, {})).status).toBe(409);
  }
});

test("lists jobs newest first in pages, filtered by status, project and time", async () => {
  const lister = await server.addKey({ team: "listers" });
  const inA = await server.addKey({ team: "listers", project: "a" });
  const inB = await server.addKey({ team: "listers", project: "b" });
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.unshift(await aJob(n % 2 === 0 ? inA : inB));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await get(`/v1/jobs?limit=3${cursor === null ? "" : `&cursor=${cursor}`}`, lister);
    seen.push(...body.jobs.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(ids);
  const listed = async (query: string, by = lister) =>
    (await get(`/v1/jobs?${query}`, by)).body.jobs.map(({ id }: { id: string }) => id);
  const ofA = ids.filter((_, at) => at % 2 === 0);
  expect(await listed(`projectId=${inA.project_id}`)).toEqual(ofA);
  expect(await listed("", inA)).toEqual(ofA);
  await stand(ids[2] ?? "", "failed");
  expect(await listed("status=failed")).toEqual([ids[2]]);
  expect(await listed(`since=${Date.parse("2999-01-01")}`)).toEqual([]);
  expect((await get(`/v1/jobs?projectId=${inB.project_id}`, inA)).status).toBe(404);
  for (const query of ["limit=0", "limit=201", "status=gone", "cursor=x", "since=-1", "offset=1"]) {
    expect((await get(`/v1/jobs?${query}`, lister)).status, query).toBe(400);
  }
});

test("foreign, unknown and malformed jobs get the same bytes and do not change", async () => {
  const sibling = await server.addKey({ project: "two" });
  const stranger = await server.addKey({ team: "strangers", project: "one" });
  const foreign = [await aJob(sibling), await aJob(stranger)];
  const ids = [...foreign, newId(), "no-id", "0", "%00"].map(encodeURIComponent);
  const answers = await Promise.all(
    ids.flatMap((id) => [
      get(`/v1/jobs/${id}`),
      post(`/v1/jobs/${id}/cancel`, {}),
      post(`/v1/jobs/${id}/retry`, {}),
    ]),
  );
  expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toEqual([
    expect.stringMatching(/^404 .*There is no such job/),
  ]);
  expect((await get(`/v1/jobs/${foreign[0]}`, teamKey)).body.generationJob.status).toBe("queued");
});
