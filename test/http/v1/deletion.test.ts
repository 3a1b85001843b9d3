import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import { createHousekeeping } from "../../../src/server/housekeeping.ts";
import { loadServerSettings } from "../../../src/settings/server.ts";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";
import { volume } from "../../helpers/volume.ts";

const server = await openTestServer();
const { app, database, addKey } = server;

async function ask(key: TestKey, method: "GET" | "POST" | "DELETE" | "PATCH", url: string, payload?: object) {
  const answer = await app.inject({
    method,
    url,
    headers: { host: "mem.test", authorization: `Bearer ${key.apiKey}` },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.json(), text: answer.body };
}

async function remember(key: TestKey, content: string): Promise<string> {
  const { status, body } = await ask(key, "POST", "/v1/memories", { content });
  expect(status).toBe(201);
  return body.memory.id;
}

async function rowsOf(table: string, key: TestKey): Promise<number> {
  const { rows } = await database.system.query<{ n: number }>({
    text: `select count(*)::int as n from ${table} where team_id = $1 and project_id = $2`,
    values: [key.team_id, key.project_id],
  });
  return rows[0]?.n ?? -1;
}

test("deletes a record with its sources and index row, and writes an audit row", async () => {
  const key = await addKey({ team: "one", project: "p" });
  const id = await remember(key, "the turbine is painted blue");
  expect(await ask(key, "DELETE", `/v1/memories/${id}`)).toMatchObject({
    status: 200,
    body: { deleted: true, id },
  });
  for (const table of ["observations", "observation_sources", "observation_search"]) {
    expect([table, await rowsOf(table, key)]).toEqual([table, 0]);
  }
  const found = await ask(key, "POST", "/v1/search", { query: "turbine blue" });
  expect(found.body.observations).toEqual([]);
  const { body } = await ask(key, "GET", "/v1/audit?action=observation.deleted");
  expect(body.entries).toMatchObject([{ resourceId: id, apiKeyId: key.id, projectId: key.project_id }]);
});

test("foreign, unknown, deleted and malformed ids are answered alike", async () => {
  const key = await addKey({ team: "two", project: "p" });
  const sibling = await addKey({ team: "two", project: "q" });
  const other = await addKey({ team: "three", project: "p" });
  const deleted = await remember(key, "short lived");
  await ask(key, "DELETE", `/v1/memories/${deleted}`);
  const ids = [await remember(sibling, "theirs"), await remember(other, "theirs"), deleted, newId(), "no-id"];
  const answers = await Promise.all(ids.map((id) => ask(key, "DELETE", `/v1/memories/${id}`)));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await rowsOf("observations", sibling)).toBe(1);
  const purges = [sibling.project_id, other.project_id, newId(), "no-id"];
  const refused = await Promise.all(purges.map((id) => ask(key, "DELETE", `/v1/projects/${id}/memory`)));
  expect(new Set(refused.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(refused[0]?.status).toBe(404);
});

test("of two concurrent deletes one is a success and the other a 404", async () => {
  const key = await addKey({ team: "races", project: "p" });
  for (let race = 0; race < volume(100); race += 1) {
    const id = await remember(key, `race ${race}`);
    const both = await Promise.all([0, 1].map(() => ask(key, "DELETE", `/v1/memories/${id}`)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  }
});

test("a purge empties and counts every table; project, usage and audit stay", async () => {
  const key = await addKey({ team: "four", project: "p" });
  const neighbour = await addKey({ team: "four", project: "q" });
  await remember(key, "first");
  await remember(key, "second");
  await remember(neighbour, "stays");
  for (const at of [1, 2, 3]) {
    const { status } = await ask(key, "POST", "/v1/events", {
      sourceType: "api",
      eventType: "tool_use",
      occurredAtEpoch: 1_700_000_000_000,
      contentSessionId: "s",
      sourceEventId: `e${at}`,
      payload: { tool_name: "Bash", tool_input: { command: "ls" } },
    });
    expect(status).toBe(201);
  }
  const { status, body } = await ask(key, "DELETE", `/v1/projects/${key.project_id}/memory`);
  expect([status, body.counts]).toEqual([
    200,
    { observations: 2, observationSources: 0, agentEvents: 3, sessions: 1, jobs: 3, idempotencyKeys: 3 },
  ]);
  const tables = [
    "observations",
    "observation_sources",
    "observation_search",
    "agent_events",
    "generation_jobs",
  ];
  for (const table of [...tables, "sessions", "idempotency_keys"]) {
    expect([table, await rowsOf(table, key)]).toEqual([table, 0]);
  }
  expect(await rowsOf("observations", neighbour)).toBe(1);
  expect((await ask(key, "GET", `/v1/projects/${key.project_id}`)).status).toBe(200);
  const audit = await ask(key, "GET", "/v1/audit?action=project.memory_purged");
  expect(audit.body.entries).toMatchObject([
    { resourceId: key.project_id, details: { counts: body.counts } },
  ]);
  expect(await remember(key, "afterwards")).toBeTruthy();
});

test("a delete that cannot be written down does not happen", async () => {
  const key = await addKey({ team: "five", project: "p" });
  const id = await remember(key, "kept");
  await database.owner.query("alter table mem.audit_log rename to audit_log_away");
  try {
    expect((await ask(key, "DELETE", `/v1/memories/${id}`)).status).toBeGreaterThanOrEqual(500);
    expect((await ask(key, "DELETE", `/v1/projects/${key.project_id}/memory`)).status).toBeGreaterThanOrEqual(
      500,
    );
  } finally {
    await database.owner.query("alter table mem.audit_log_away rename to audit_log");
  }
  expect(await rowsOf("observations", key)).toBe(1);
});

test("deletes raw events after the team's retention; their records stay", async () => {
  const short = await addKey({ team: "short", project: "p" });
  const long = await addKey({ team: "long", project: "p" });
  const teamWide = await addKey({ team: "short" });
  expect((await ask(short, "PATCH", "/v1/team", { retentionDays: 3 })).status).toBe(403);
  const none = await ask(teamWide, "PATCH", "/v1/team", { retentionDays: 0 });
  expect([none.status, none.body.error.message]).toEqual([
    400,
    "`retentionDays`: must be a whole number of days from 1 to 3650, or null",
  ]);
  expect((await ask(teamWide, "PATCH", "/v1/team", { retentionDays: 3 })).body.team).toMatchObject({
    retentionDays: 3,
    effectiveRetentionDays: 3,
  });
  const forever = await addKey({ team: "forever", project: "p" });
  await ask(await addKey({ team: "forever" }), "PATCH", "/v1/team", { retentionDays: 3650 });
  const aged = await addKey({ team: "aged", project: "p" });
  for (const key of [short, long, aged, forever]) {
    for (const generate of ["false", "true"]) {
      await ask(key, "POST", `/v1/events?generate=${generate}`, {
        sourceType: "api",
        eventType: "note",
        occurredAtEpoch: 1_700_000_000_000,
        payload: "text",
      });
    }
    await remember(key, "made");
  }
  await database.system.query({ text: "update agent_events set received_at = now() - interval '5 days'" });
  await database.system.query({
    text: "update agent_events set received_at = now() - interval '31 days' where team_id = any ($1::uuid[])",
    values: [[aged.team_id, forever.team_id]],
  });
  const { log } = createStderrLog("SILENT");
  await createHousekeeping({ database, settings: loadServerSettings({}), log }).tidy();
  // The event whose job waits stays: nothing has been made of it yet.
  expect(await rowsOf("agent_events", short)).toBe(1);
  expect(await rowsOf("agent_events", long)).toBe(2);
  // The server's 30 days are over for who says nothing else.
  expect(await rowsOf("agent_events", aged)).toBe(1);
  expect(await rowsOf("agent_events", forever)).toBe(2);
  expect(await rowsOf("observations", short)).toBe(1);
});
