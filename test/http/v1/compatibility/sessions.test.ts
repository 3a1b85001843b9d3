import { expect, test } from "vitest";
import { newId } from "../../../../src/core/ids.ts";
import { requestsTo } from "../../../helpers/hosted-requests.ts";
import { openTestServer } from "../../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "one" });
const teamKey = await server.addKey();
const { get, post } = requestsTo(server, key);

async function rows<R extends object>(text: string, values: unknown[] = []): Promise<R[]> {
  return (await server.database.system.query<R>({ text, values })).rows;
}

const toolUse = { tool_name: "Bash", tool_input: { command: "make" }, tool_response: { out: "done" } };

test("a session goes its way: prompt, tool use, summary, end", async () => {
  const begun = await post("/api/sessions/init", { claudeSessionId: "way", prompt: "Build it", cwd: "/w" });
  expect(begun.body).toEqual({
    sessionDbId: expect.any(Number),
    promptNumber: 1,
    skipped: false,
    status: "initialized",
  });
  const { sessionDbId } = begun.body;
  const again = await post("/api/sessions/init", { claudeSessionId: "way", prompt: "Build it" });
  expect(again.body).toMatchObject({ promptNumber: 1, skipped: true, reason: "duplicate" });
  const used = await post("/api/sessions/observations", { claudeSessionId: "way", ...toolUse });
  expect(used.body).toEqual({ status: "queued" });
  const asked = await post("/api/sessions/summarize", {
    claudeSessionId: "way",
    last_assistant_message: "It is built.",
  });
  expect(asked.body).toEqual({ status: "queued" });
  const jobs = await rows<{ source_type: string; job_type: string; status: string }>(
    `select j.source_type, j.job_type, j.status from generation_jobs j
     join sessions s on s.id = j.session_id where s.content_session_id = 'way' order by j.seq`,
  );
  expect(jobs).toEqual([
    { source_type: "agent_event", job_type: "observation", status: "queued" },
    { source_type: "session_summary", job_type: "session_summary", status: "queued" },
  ]);
  expect((await get(`/sessions/${sessionDbId}/status`)).body).toMatchObject({
    status: "active",
    sessionDbId,
    project: "one",
    queueLength: 2,
  });
  expect((await post("/api/sessions/complete", { claudeSessionId: "way" })).body).toEqual({ success: true });
  expect((await post("/api/sessions/complete", { claudeSessionId: "way" })).body).toEqual({
    success: true,
    message: "No active session found",
  });
  expect((await get(`/api/session/${sessionDbId}`)).body).toMatchObject({
    id: sessionDbId,
    claude_session_id: "way",
    project: "one",
    user_prompt: "Build it",
    host: "api",
    cwd: "/w",
    status: "completed",
    prompt_count: 1,
    summaries: [],
  });
});

test("records nothing after a private prompt, until the next public one", async () => {
  const send = (path: string, body: object) =>
    post(`/api/sessions/${path}`, { claudeSessionId: "quiet", ...body });
  const hidden = await send("init", { prompt: "<private>the moon base</private>" });
  expect(hidden.body).toMatchObject({ promptNumber: 1, skipped: true, reason: "private", status: "skipped" });
  const skipped = { status: "skipped", reason: "private" };
  expect((await send("observations", toolUse)).body).toEqual(skipped);
  expect((await send("summarize", { last_assistant_message: "moon" })).body).toEqual(skipped);
  expect((await send("init", { prompt: "In the open" })).body).toMatchObject({
    promptNumber: 2,
    skipped: false,
  });
  expect((await send("observations", toolUse)).body).toEqual({ status: "queued" });
  // What names the earlier prompt by its number comes late, and is that one's.
  expect((await send("observations", { ...toolUse, prompt_number: 1 })).body).toEqual(skipped);
  expect(await countOf("quiet")).toEqual({ user_prompt: 2, tool_use: 1 });
  const { items } = (await get("/api/prompts?limit=100")).body;
  expect(
    items.filter((one: { claude_session_id: string }) => one.claude_session_id === "quiet"),
  ).toHaveLength(1);
  expect(JSON.stringify(await rows("select payload, metadata from agent_events"))).not.toContain("moon");
});

test("a late private prompt withdraws its events and the records made of them", async () => {
  const send = (path: string, body: object) =>
    post(`/api/sessions/${path}`, { claudeSessionId: "late", ...body });
  await send("init", { prompt: "Before", promptId: "p1" });
  await send("observations", { ...toolUse, promptId: "p1" });
  await send("observations", { ...toolUse, promptId: "p2", tool_input: { command: "secretly" } });
  const [awaiting] = await rows<{ event: string; job: string }>(
    `select e.id as event, j.id as job from agent_events e join generation_jobs j on j.source_id = e.id
     where e.metadata ->> 'awaitedPrompt' = 'p2'`,
  );
  await madeOf(awaiting?.event ?? "", "made of what is private");
  const working = `update generation_jobs set status = 'processing', attempts = 1, lease_token = id
    where session_id = (select session_id from generation_jobs where id = $1)`;
  await rows(working, [awaiting?.job]);
  const answer = await send("init", { prompt: "<private>x</private>", promptId: "p2" });
  expect(answer.body).toMatchObject({ skipped: true, reason: "private" });
  expect(await countOf("late")).toEqual({ user_prompt: 2, tool_use: 1 });
  expect(await rows("select 1 from observations where title = 'made of what is private'")).toEqual([]);
  // The call that was shown all of it is worth nothing.
  const left = await rows(
    `select j.status, j.attempts from generation_jobs j join sessions s on s.id = j.session_id
     where s.content_session_id = 'late'`,
  );
  expect(left).toEqual([{ status: "queued", attempts: 0 }]);
});

test("private parts, secrets and unstorable texts never reach the database", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const session = { claudeSessionId: "clean\u0000ed" };
  await post("/api/sessions/init", {
    ...session,
    prompt: `Use ${secret} <pri\u0000vate>hidden words</private> \ud800`,
    cwd: `/w/${secret}`,
  });
  await post("/api/sessions/observations", {
    ...session,
    tool_name: "Bash",
    tool_input: { command: `curl -H ${secret}`, note: "<private>hidden words</private>" },
    tool_response: { out: `a\u0000b ${secret}` },
  });
  await post("/api/sessions/summarize", { ...session, last_user_message: secret });
  const stored = JSON.stringify([
    await rows("select * from agent_events"),
    await rows("select * from sessions"),
  ]);
  expect(stored).toContain("curl -H");
  expect(stored).not.toContain(secret);
  expect(stored).not.toContain("hidden words");
  expect(await countOf("cleaned")).toEqual({ user_prompt: 1, tool_use: 1, summarize: 1 });
});

test("stores a tool use once per host id; skips some tools and sub-agent summaries", async () => {
  const send = (path: string, body: object) =>
    post(`/api/sessions/${path}`, { claudeSessionId: "once", ...body });
  for (const _ of [1, 2, 3]) {
    const sent = await send("observations", { ...toolUse, tool_use_id: "t1" });
    expect(sent.body).toEqual({ status: "queued" });
  }
  const excluded = { status: "skipped", reason: "tool_excluded" };
  expect((await send("observations", { ...toolUse, tool_name: "TodoWrite" })).body).toEqual(excluded);
  expect((await send("observations", { ...toolUse, tool_name: "mcp__mem__search" })).body).toEqual(excluded);
  const subagent = { status: "skipped", reason: "subagent_context" };
  expect((await send("summarize", { agentId: "a" })).body).toEqual(subagent);
  expect(await countOf("once")).toEqual({ tool_use: 1 });
});

test("an answered question is stored for its turn although its tool is skipped", async () => {
  const tool_response = { answers: { "Which rates?": "ECB" } };
  const body = { claudeSessionId: "asked", tool_name: "AskUserQuestion", tool_input: {}, tool_response };
  expect((await post("/api/sessions/observations", body)).body).toEqual({ status: "queued" });
  const stored = await rows(
    "select payload from agent_events where payload->>'tool_name' = 'AskUserQuestion'",
  );
  expect(stored).toEqual([{ payload: expect.objectContaining({ tool_response, turn_only: true }) }]);
});

test("concurrent prompts make one session, each prompt with a unique number", async () => {
  const numbers = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const sent = await post("/api/sessions/init", { claudeSessionId: "many", prompt: `Prompt ${index}` });
      return sent.body.promptNumber;
    }),
  );
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  expect(await rows("select prompt_count from sessions where content_session_id = 'many'")).toEqual([
    { prompt_count: 12 },
  ]);
});

test("prompts continue a session that events began, and the reverse", async () => {
  const event = { sourceType: "hook", eventType: "tool_use", occurredAtEpoch: 1, payload: "x" };
  const first = await post("/v1/events", { ...event, contentSessionId: "mixed" });
  const { sessionDbId } = (await post("/api/sessions/init", { claudeSessionId: "mixed", prompt: "Go" })).body;
  const then = await post("/v1/events", { ...event, contentSessionId: "mixed" });
  expect(then.body.event.serverSessionId).toBe(first.body.event.serverSessionId);
  const session = (await get(`/api/session/${sessionDbId}`)).body;
  expect(session.sdk_session_id).toBe(first.body.event.serverSessionId);
});

test("a session is named by its number on the oldest routes", async () => {
  const { sessionDbId } = (await post("/api/sessions/init", { claudeSessionId: "old", prompt: "One" })).body;
  const url = `/sessions/${sessionDbId}`;
  expect((await post(`${url}/init`, { userPrompt: "Two", promptNumber: 7 })).body).toEqual({
    status: "initialized",
    sessionDbId,
    promptNumber: 7,
    skipped: false,
    port: 80,
  });
  expect((await post(`${url}/observations`, toolUse)).body).toEqual({ status: "queued" });
  expect((await post(`${url}/summarize`, { last_assistant_message: "Done" })).body).toEqual({
    status: "queued",
  });
  expect((await post(`${url}/complete`, {})).body).toEqual({ success: true });
  expect((await get(`${url}/status`)).body).toMatchObject({ status: "completed", queueLength: 2 });
  expect(await countOf("old")).toEqual({ user_prompt: 2, tool_use: 1, summarize: 1 });
});

test("a team key names the project once; an unclear or foreign one is refused", async () => {
  const send = (path: string, body: object, by = teamKey) => post(`/api/sessions/${path}`, body, { by });
  const asked = { claudeSessionId: "team", prompt: "Hello" };
  expect((await send("init", asked)).status).toBe(400);
  expect((await send("init", { ...asked, project: "one" })).status).toBe(200);
  expect((await send("observations", { claudeSessionId: "team", ...toolUse })).body).toEqual({
    status: "queued",
  });
  expect((await send("complete", { claudeSessionId: "team" })).body).toEqual({ success: true });
  const stranger = await server.addKey({ team: "strangers", project: "theirs" });
  await server.addKey({ project: "two" });
  const refusals = await Promise.all([
    send("init", { ...asked, project: "theirs" }),
    send("init", { ...asked, project: "nobody's" }),
    send("init", { ...asked, project: "two" }, key),
    send("init", { ...asked, project: stranger.project_id }),
  ]);
  expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
  const reading = await server.addKey({ project: "one", scopes: ["memories:read"] });
  expect((await send("init", { ...asked, project: "one" }, reading)).status).toBe(403);
});

async function countOf(session: string): Promise<Record<string, number>> {
  const counted = await rows<{ event_type: string; n: number }>(
    `select e.event_type, count(*)::int as n from agent_events e join sessions s on s.id = e.session_id
     where s.content_session_id = $1 group by 1`,
    [session],
  );
  return Object.fromEntries(counted.map(({ event_type, n }) => [event_type, n]));
}

async function madeOf(event: string, title: string): Promise<void> {
  const id = newId();
  await rows(
    `insert into observations (id, team_id, project_id, content, title, memory_epoch)
     values ($1, $2, $3, 'x', $4, 1)`,
    [id, key.team_id, key.project_id, title],
  );
  await rows(
    `insert into observation_sources (id, team_id, project_id, observation_id, source_type, source_id)
     values ($1, $2, $3, $4, 'agent_event', $5)`,
    [newId(), key.team_id, key.project_id, id, event],
  );
}
