import { expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { newId } from "../../../src/core/ids.ts";
import { numberedLines } from "../../../src/core/numbered-lines.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { exportProject } from "../../../src/server/administer/export-project.ts";
import { importProject, readHeader } from "../../../src/server/administer/import-project.ts";
import { purgeProject } from "../../../src/store/postgres/deletion.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import { fixesOf } from "../../../src/store/postgres/statements.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const { database, addKey } = server;
const { app, system } = database;
const kinds = { sessions: "sessions", events: "agent_events", observations: "observations" } as const;
const none = { sessions: 0, events: 0, observations: 0 };

/** All of a project as an export has it, header first. */
async function exported(scope: ProjectScope, whileReading: () => Promise<void> = async () => undefined) {
  let text = "";
  const counts = await exportProject(database, {
    scope,
    names: { team: "t", project: "p" },
    product: "1.0.0",
    clock: systemClock,
    async write(part) {
      text += part;
      await whileReading();
    },
    onProgress: () => undefined,
  });
  return { text, lines: text.trimEnd().split("\n"), counts };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function imported(scope: ProjectScope, chunks: AsyncIterable<Uint8Array> | string) {
  const lines = numberedLines(typeof chunks === "string" ? bytesOf(chunks) : chunks);
  const header = await readHeader(lines);
  return importProject(app, { lines, header, scope, onProgress: () => undefined });
}

const marks = { said_by: "tool", kind: "fix", standing: false, reach: "everywhere", salience: 1.25 } as const;
const fix = { ...marks, families: ["npm run", "npm test"] };

/** A project of one session with three events, two records made of them and one by hand. */
async function filled(): Promise<{ scope: ProjectScope; key: TestKey }> {
  const key = await addKey({ team: `team ${newId()}`, project: "shop" });
  const scope = { team_id: key.team_id, project_id: String(key.project_id) };
  const { post } = requestsTo(server, key);
  const started = await post("/v1/sessions/start", {
    contentSessionId: "s-1",
    platformSource: "claude-code",
    metadata: { branch: "main" },
  });
  const { session } = started.body;
  const events: string[] = [];
  for (const word of ["größe", "two\nlines", 'quo"te \\ 🦉']) {
    const { body } = await post("/v1/events", {
      ...{ sourceType: "hook", eventType: "tool_use", occurredAtEpoch: 1_760_000_000_123 },
      contentSessionId: "s-1",
      sourceEventId: word,
      payload: { tool_name: "Bash", tool_input: { command: word }, n: 1.5, none: null, list: [true] },
    });
    events.push(body.event.id);
  }
  await post("/v1/memories", { content: "The redirect loops without a trailing slash.", title: "redirect" });
  await inTenant(app, scope, (connection) =>
    insertObservations(
      connection,
      events.slice(0, 2).map((event, index) =>
        hostedObservation(scope, {
          session_id: session.id,
          title: `made of ${index}`,
          facts: ["one", "two"],
          files_read: ["src/a.ts"],
          metadata: { upgrade: true },
          generation_key: `${event}:0`,
          discovery_tokens: 7,
          routine: index === 0,
          ended: index === 1,
          ...(index === 1 ? {} : { statement: fix }),
          created_at_epoch: 1_760_000_000_500,
          sources: [
            { id: newId(), source_type: "agent_event", source_id: event, generation_job_id: null },
            { id: newId(), source_type: "session_summary", source_id: session.id, generation_job_id: null },
          ],
        }),
      ),
    ),
  );
  return { scope, key };
}

function purged(scope: ProjectScope) {
  const by = { api_key_id: null, request_id: null };
  return purgeProject(app, { tenant: scope, project_id: scope.project_id, by });
}

async function rowsOf(
  { team_id, project_id }: ProjectScope,
  table: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await system.query<{ row: Record<string, unknown> }>({
    text: `select to_jsonb(t) as row from ${table} t where team_id = $1 and project_id = $2 order by seq`,
    values: [team_id, project_id],
  });
  return rows.map(({ row }) => row);
}

// What is another one in a copy by its nature; times are exact to a millisecond.
function compared(row: Record<string, unknown>): Record<string, unknown> {
  const own = [
    "id",
    "seq",
    "team_id",
    "project_id",
    "session_id",
    "memory_epoch",
    "updated_at",
    "created_by_job_id",
  ];
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !own.includes(name))
      .map(([name, value]) => [name, /_at$/.test(name) && value ? Date.parse(String(value)) : value]),
  );
}

async function countsOf(scope: ProjectScope): Promise<Record<string, number>> {
  const entries = Object.entries(kinds).map(async ([kind, table]) => [
    kind,
    (await rowsOf(scope, table)).length,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

test("a copy has every record, is searchable, and a second import changes nothing", async () => {
  const { scope } = await filled();
  const copyKey = await addKey({ team: `team ${newId()}`, project: "copy" });
  const copy = { team_id: copyKey.team_id, project_id: String(copyKey.project_id) };
  const { text, lines, counts } = await exported(scope);
  expect(counts).toEqual({ sessions: 1, events: 3, observations: 3 });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ mem: "project-export", formatVersion: 1, counts });
  expect(lines).toHaveLength(8);
  expect(await imported(copy, text)).toEqual({ read: counts, created: counts });
  for (const table of Object.values(kinds)) {
    const copied = (await rowsOf(copy, table)).map(compared);
    expect(copied, table).toEqual((await rowsOf(scope, table)).map(compared));
  }
  const { post } = requestsTo(server, copyKey);
  const found = await post("/v1/search", { query: "redirect trailing slash" });
  expect(found.body.observations[0]).toMatchObject({ title: "redirect", projectId: copy.project_id });
  expect(await imported(copy, text)).toEqual({ read: counts, created: none });
  expect(await countsOf(copy)).toEqual(counts);
  // The original is what it was, and an import into itself adds nothing.
  expect(await imported(scope, text)).toEqual({ read: counts, created: none });
  expect((await exported(scope)).lines.slice(1)).toEqual(lines.slice(1));
});

test("a copied statement is a known fix for the same commands", async () => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  await imported(copy, (await exported(scope)).text);
  const fixes = (family: string) =>
    inTenant(app, copy, (connection) => fixesOf(connection, copy, { families: [family], limit: 5 }));
  for (const family of fix.families) expect(await fixes(family)).toMatchObject([{ title: "made of 0" }]);
});

test("reads an export of a version without statements", async () => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  const older = (await exported(scope)).text.replace(
    /"routine" ?: ?(?:true|false),\s*"ended" ?: ?(?:true|false),\s*"statement" ?: ?null, ?/g,
    "",
  );
  expect(older).not.toContain('"statement" : null');
  await imported(copy, older);
  const [record] = await rowsOf(copy, "observations");
  expect(record).toMatchObject({ routine: false, said_by: null });
});

test("the sources of a copied record are the copied events and session", async () => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  await imported(copy, (await exported(scope)).text);
  const { rows } = await system.query<{ source_type: string; there: boolean; own: string | null }>({
    text: `select s.source_type, e.id is not null or n.id is not null as there, o.session_id as own
      from observation_sources s
      join observations o on o.id = s.observation_id
      left join agent_events e on e.project_id = $1 and e.id = s.source_id
      left join sessions n on n.project_id = $1 and n.id = s.source_id
      where s.project_id = $1`,
    values: [copy.project_id],
  });
  expect(rows).toHaveLength(4);
  for (const { there, own } of rows) expect([there, own === null]).toEqual([true, false]);
});

test("restores purged records under their ids", async () => {
  const { scope } = await filled();
  const before = await rowsOf(scope, "observations");
  const { text, counts } = await exported(scope);
  await purged(scope);
  expect(await countsOf(scope)).toEqual(none);
  expect(await imported(scope, text)).toEqual({ read: counts, created: counts });
  const after = await rowsOf(scope, "observations");
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after.map(({ memory_epoch }) => memory_epoch)).toEqual([2, 2, 2]);
});

test("records join the session of the same name", async () => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  const id = newId();
  await system.query({
    text: `insert into sessions (id, team_id, project_id, content_session_id, memory_epoch)
      values ($1, $2, $3, 's-1', 1)`,
    values: [id, copy.team_id, copy.project_id],
  });
  const { created } = await imported(copy, (await exported(scope)).text);
  expect(created).toEqual({ sessions: 0, events: 3, observations: 3 });
  expect((await rowsOf(copy, "agent_events")).map(({ session_id }) => session_id)).toEqual([id, id, id]);
});

test("an export is a snapshot: later events are not in it", async () => {
  const { scope, key } = await filled();
  const { post } = requestsTo(server, key);
  const { lines, counts } = await exported(scope, async () => {
    await post("/v1/events", {
      ...{ sourceType: "hook", eventType: "late", occurredAtEpoch: 1, contentSessionId: newId() },
    });
  });
  expect(lines).toHaveLength(1 + counts.sessions + counts.events + counts.observations);
  expect(lines.join("\n")).not.toContain('"late"');
});

test.each([
  ["is no JSON", () => "{", /Line 4 is damaged\. It is not valid JSON/],
  ["is nothing known", () => '{"job":{}}', /Line 4 .* not a session/],
  ["lacks a part", (line: string) => line.replace('"eventType"', '"eventKind"'), /Line 4 .*`eventType`/],
  ["nests without end", () => "[".repeat(100_000), /Line 4 .*nests too deep/],
  ["names no session", (line: string) => line.replaceAll('"s-1"', '"s-9"'), /Lines 2 to 8 .*"s-9"/],
  [
    "has a date of no calendar",
    (line: string) => line.replace(/("occurredAtEpoch" : )\d+/, "$11e18"),
    /Line 4/,
  ],
])("names a line that %s, and a fixed file continues the import", async (_what, damage, said) => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  const { text, lines, counts } = await exported(scope);
  const damaged = lines.map((line, index) => (index === 3 ? damage(line) : line)).join("\n");
  await expect(imported(copy, damaged)).rejects.toMatchObject({
    code: "export_invalid",
    message: expect.stringMatching(said),
    hint: expect.stringContaining("nothing is stored twice"),
  });
  await imported(copy, text);
  expect(await countsOf(copy)).toEqual(counts);
});

test("keeps the records before a damaged line", async () => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  const { lines } = await exported(scope);
  await expect(imported(copy, [...lines.slice(0, 4), "x"].join("\n"))).rejects.toThrow("Line 5");
  expect(await countsOf(copy)).toEqual({ sessions: 1, events: 2, observations: 0 });
});

test("reports how much an incomplete file lacks", async () => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  const { lines, text, counts } = await exported(scope);
  await expect(imported(copy, lines.slice(0, -1).join("\n"))).rejects.toThrow("it has 2 of 3 observations");
  expect((await imported(copy, text)).created).toEqual({ ...none, observations: 1 });
  expect(await countsOf(copy)).toEqual(counts);
});

test.each([
  ["", "nothing to import"],
  ["hello\n", "not the header of a project export, so nothing was imported"],
  ['{"mem":"project-export","formatVersion":2}\n', "format version 2"],
])("%j is not an export", async (text, said) => {
  const copy = await makeProject(database);
  await expect(imported(copy, text)).rejects.toThrow(said);
});

/** An export with many events of one session. */
function manyEvents(n: number): string[] {
  const counts = { sessions: 0, events: n, observations: 0 };
  const head = {
    mem: "project-export",
    formatVersion: 1,
    product: "1",
    exportedAt: "",
    team: "t",
    project: "p",
  };
  const event = (index: number) => ({
    ...{ id: newId(), contentSessionId: null, sourceType: "hook", sourceEventId: null, eventType: "e" },
    ...{ platformSource: "", payload: index, metadata: {}, occurredAtEpoch: index, receivedAtEpoch: index },
  });
  return [
    JSON.stringify({ ...head, projectId: newId(), counts }),
    ...Array.from({ length: n }, (_, index) => JSON.stringify({ event: event(index) })),
  ];
}

test("an import ends when its project is purged, and leaves no earlier record", async () => {
  const copy = await makeProject(database);
  const lines = manyEvents(1_000);
  async function* withPurge(): AsyncGenerator<Uint8Array> {
    for (const [index, line] of lines.entries()) {
      if (index === 500) await purged(copy);
      yield Buffer.from(`${line}\n`);
    }
  }
  await expect(imported(copy, withPurge())).rejects.toMatchObject({ code: "conflict" });
  expect(await countsOf(copy)).toEqual(none);
});

test("two concurrent imports store every record once", async () => {
  const copy = await makeProject(database);
  const text = manyEvents(1_000).join("\n");
  const both = await Promise.all([imported(copy, text), imported(copy, text)]);
  expect(both[0].created.events + both[1].created.events).toBe(1_000);
  expect(await countsOf(copy)).toEqual({ ...none, events: 1_000 });
});

test("does not store secrets and private parts that were added to the file", async () => {
  const copy = await makeProject(database);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const [head = "", first = ""] = manyEvents(1);
  const line = JSON.parse(first);
  line.event.payload = { text: `<private>hidden</private> token ${secret} and \0 nul` };
  await imported(copy, `${head}\n${JSON.stringify(line)}`);
  const [row] = await rowsOf(copy, "agent_events");
  const stored = JSON.stringify(row?.payload);
  expect(stored).toContain("[redacted:");
  expect(stored).not.toMatch(/hidden|ghp_|\\u0000/);
});

test("export and import write audit rows with counts and without content", async () => {
  const { scope } = await filled();
  const copy = await makeProject(database);
  const { text, counts } = await exported(scope);
  await imported(copy, text);
  const rows = await Promise.all(
    [scope, copy].map(async (project) => {
      const all = await rowsOf(project, "audit_log");
      return all
        .filter(({ action }) => String(action).startsWith("project."))
        .map(({ action, details }) => ({ action, details }));
    }),
  );
  expect(rows).toEqual([
    [{ action: "project.exported", details: { counts } }],
    [{ action: "project.imported", details: { counts, fromProjectId: scope.project_id } }],
  ]);
});
