// Records that devices share with a team over POST /v1/memories/shared.
import { expect, test } from "vitest";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const { app, addKey } = server;

async function ask(
  key: TestKey,
  method: "GET" | "POST" | "DELETE",
  url: string,
  payload?: object,
  secret: string | null = null,
) {
  const answer = await app.inject({
    method,
    url,
    headers: {
      ...{ host: "mem.test", authorization: `Bearer ${key.apiKey}` },
      ...(secret === null ? {} : { "x-device-secret": secret }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.json() };
}

function record(id: string, revision: number, title: string, more: object = {}) {
  return {
    ...{ device: "laptop", kind: "observation", id, revision, type: "bugfix", title },
    ...{ summary: `${title}.`, createdAtEpoch: 1_700_000_000_000, ...more },
  };
}

async function share(key: TestKey, ...records: object[]) {
  const { status, body } = await ask(key, "POST", "/v1/memories/shared", { records });
  expect(status).toBe(200);
  return body.results as { outcome: string; memoryId: string | null; revision: number }[];
}

async function titlesOf(key: TestKey, query: string): Promise<string[]> {
  const { body } = await ask(key, "POST", "/v1/search", { query });
  return body.observations.map(({ title }: { title: string }) => title);
}

test("records are found by search with their kind, time, files and statement", async () => {
  const key = await addKey({ team: "found", project: "p" });
  const statement = { saidBy: "user", kind: "rule", standing: true, reach: "project", salience: 3 };
  const results = await share(
    key,
    record("1", 1, "The turbine is blue", { filesRead: ["src/paint.ts"], statement }),
    record("2", 1, "Painted a turbine", {
      ...{ kind: "summary", narrative: "All blades." },
      parts: { request: "Paint a turbine", next_steps: "Let it dry" },
    }),
  );
  expect(results.map(({ outcome, revision }) => [outcome, revision])).toEqual([
    ["stored", 1],
    ["stored", 1],
  ]);
  const { body } = await ask(key, "POST", "/v1/search", { query: "turbine" });
  const found = Object.fromEntries(body.observations.map((one: { kind: string }) => [one.kind, one]));
  expect(found.observation).toMatchObject({
    ...{ type: "bugfix", title: "The turbine is blue", filesRead: ["src/paint.ts"] },
    ...{ saidBy: "user", statementKind: "rule", standing: true, createdAtEpoch: 1_700_000_000_000 },
    metadata: { origin: { device: "laptop", id: "1" } },
  });
  expect(found.session_summary).toMatchObject({ metadata: { parts: { next_steps: "Let it dry" } } });
});

test("a higher revision replaces the text under its id, a lower one changes nothing", async () => {
  const key = await addKey({ team: "revisions", project: "p" });
  const [first] = await share(key, record("1", 2, "The turbine is blue"));
  const [again, older] = await share(key, record("1", 2, "something else"), record("1", 1, "older"));
  expect([again, older]).toEqual(
    [2, 2].map((revision) => ({ outcome: "unchanged", memoryId: first?.memoryId, revision })),
  );
  const [newer] = await share(key, record("1", 5, "The turbine is green"));
  expect(newer).toEqual({ outcome: "stored", memoryId: first?.memoryId, revision: 5 });
  expect(await titlesOf(key, "turbine")).toEqual(["The turbine is green"]);
  expect(await titlesOf(key, "blue")).not.toContain("The turbine is blue");
});

test("revisions of one record in one request end with the highest", async () => {
  const key = await addKey({ team: "within", project: "p" });
  const results = await share(key, record("1", 1, "First turbine"), record("1", 2, "Second turbine"));
  expect(results.map(({ outcome }) => outcome)).toEqual(["stored", "stored"]);
  expect(await titlesOf(key, "turbine")).toEqual(["Second turbine"]);
});

test("what its device withdrew is gone, and a later revision brings it back", async () => {
  const key = await addKey({ team: "withdrawn", project: "p" });
  await share(key, record("1", 1, "The turbine is blue"));
  const gone = { device: "laptop", kind: "observation", id: "1", revision: 2, deleted: true };
  expect(await share(key, gone)).toEqual([{ outcome: "withdrawn", memoryId: null, revision: 2 }]);
  expect(await titlesOf(key, "turbine")).toEqual([]);
  expect((await share(key, record("1", 3, "The turbine is back")))[0]?.outcome).toBe("stored");
  expect(await titlesOf(key, "turbine")).toEqual(["The turbine is back"]);
});

test.each(["one record", "a purge"])("what the team deleted never returns: %s", async (how) => {
  const key = await addKey({ team: `deleted ${how}`, project: "p" });
  const [stored] = await share(key, record("1", 1, "The turbine is blue"));
  const path =
    how === "a purge" ? `/v1/projects/${key.project_id}/memory` : `/v1/memories/${stored?.memoryId}`;
  expect((await ask(key, "DELETE", path)).status).toBe(200);
  const later = [record("1", 1, "again"), record("1", 9, "The turbine returns")];
  expect((await share(key, ...later)).map(({ outcome }) => outcome)).toEqual(["deleted", "deleted"]);
  expect(await titlesOf(key, "turbine")).toEqual([]);
  // Other records of the device are stored as before.
  expect((await share(key, record("2", 1, "Another turbine")))[0]?.outcome).toBe("stored");
});

test("texts are cleaned, and the audit log has counts without content", async () => {
  const key = await addKey({ team: "clean", project: "p" });
  await share(key, record("1", 1, "Turbine <private>of aunt Erna</private> seen"));
  const { body } = await ask(key, "POST", "/v1/search", { query: "turbine" });
  expect(JSON.stringify(body)).not.toContain("Erna");
  const audit = await ask(key, "GET", "/v1/audit?action=observation.shared");
  expect(audit.body.entries).toMatchObject([{ details: { stored: 1, withdrawn: 0 }, apiKeyId: key.id }]);
});

test("the same origin in two projects and two teams is two records", async () => {
  const keys = [
    await addKey({ team: "apart", project: "p" }),
    await addKey({ team: "apart", project: "q" }),
    await addKey({ team: "apart too", project: "p" }),
  ];
  for (const [at, key] of keys.entries()) await share(key, record("1", 1, `Turbine ${at}`));
  for (const [at, key] of keys.entries()) expect(await titlesOf(key, "turbine")).toEqual([`Turbine ${at}`]);
});

test("an empty list checks key and project; a read-only key is refused", async () => {
  const key = await addKey({ team: "probe" });
  const reader = await addKey({ team: "probe", project: "p", scopes: ["memories:read"] });
  const probe = (by: TestKey, projectId?: string) =>
    ask(by, "POST", "/v1/memories/shared", {
      ...(projectId === undefined ? {} : { projectId }),
      records: [],
    });
  expect((await probe(key, "p")).body).toEqual({ projectId: reader.project_id, results: [] });
  expect((await probe(key, "missing")).status).toBe(404);
  expect((await probe(reader)).status).toBe(403);
});

test("records of a device with a secret take no write without it", async () => {
  const [key, other] = [
    await addKey({ team: "own", project: "p" }),
    await addKey({ team: "own", project: "p" }),
  ];
  const shareAs = async (by: TestKey, secret: string | null, ...records: object[]) => {
    const { status, body } = await ask(by, "POST", "/v1/memories/shared", { records }, secret);
    return [status, body.error?.code ?? body.results.map(({ outcome }: { outcome: string }) => outcome)];
  };
  expect(await shareAs(key, "mine", record("1", 1, "The turbine is blue"))).toEqual([200, ["stored"]]);
  const forged = [record("9", 1, "A fan", { device: "desk" }), record("1", 2, "The turbine is red")];
  for (const secret of [null, "guessed"]) {
    expect(await shareAs(other, secret, ...forged)).toEqual([403, "device_taken"]);
    expect(await shareAs(key, secret, record("2", 1, "Another turbine"))).toEqual([403, "device_taken"]);
  }
  expect(await titlesOf(key, "turbine")).toEqual(["The turbine is blue"]);
  // The device has another key now.
  expect(await shareAs(other, "mine", record("1", 2, "The turbine is green"))).toEqual([200, ["stored"]]);
  // Nothing of the refused requests was stored, so this name is still free.
  expect(await shareAs(other, "desk's", record("9", 1, "A fan", { device: "desk" }))).toEqual([
    200,
    ["stored"],
  ]);
  const elsewhere = await addKey({ team: "own", project: "q" });
  expect(await shareAs(elsewhere, "other", record("1", 1, "Elsewhere"))).toEqual([200, ["stored"]]);
});

test("two requests with the same record store it once", async () => {
  const key = await addKey({ team: "race", project: "p" });
  const both = await Promise.all([1, 2].map((revision) => share(key, record("1", revision, "One turbine"))));
  expect(new Set(both.flat().map(({ memoryId }) => memoryId)).size).toBe(1);
  expect(await titlesOf(key, "turbine")).toEqual(["One turbine"]);
});
