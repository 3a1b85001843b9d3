import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { MemError } from "../../../src/core/errors.ts";
import { newId } from "../../../src/core/ids.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { createHostedGeneration, type HostedGeneration } from "../../../src/server/generation/generation.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import { loadServerSettings } from "../../../src/settings/server.ts";
import { type Database, openDatabase } from "../../../src/store/postgres/open.ts";
import { endSession } from "../../../src/store/postgres/sessions.ts";
import type { Json } from "../../../src/text/json.ts";
import { modelServer } from "../../generate/providers/model-server.ts";
import {
  doneBefore,
  enqueueEvent,
  enqueueSummary,
  enqueueToolUses,
  makeSession,
  makeTenant,
  toolUse,
} from "../../helpers/hosted-jobs.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { volume } from "../../helpers/volume.ts";

const database = await openTestDatabase();
const { log } = createStderrLog("SILENT");
const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

/** A generating process with private connection pools. */
async function startGenerating(
  env: Record<string, string> = { MEM_PROVIDER: "local" },
  changed: (own: Database) => Database = (own) => own,
): Promise<HostedGeneration> {
  const own = changed(openDatabase({ url: database.url, onConnectionLost: () => undefined }));
  const generation = createHostedGeneration({
    database: own,
    settings: loadSettings({ dataDir: tempDir(), env }),
    server: loadServerSettings(env),
    env,
    log,
    clock: systemClock,
  });
  await generation.start();
  const stop = async (): Promise<void> => {
    await generation.stop();
    await own.close();
  };
  running.push({ stop });
  return generation;
}

async function jobsOf({ team_id }: ProjectScope): Promise<Record<string, number>> {
  const { rows } = await database.system.query<{ status: string; n: number }>({
    text: "select status, count(*)::int as n from generation_jobs where team_id = $1 group by status",
    values: [team_id],
  });
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

async function recordsOf({ team_id }: ProjectScope) {
  const { rows } = await database.system.query<{
    kind: string;
    title: string;
    generator: string;
    sources: number;
  }>({
    text: `select o.kind, o.title, o.generator,
        (select count(*)::int from observation_sources s where s.team_id = $1 and s.observation_id = o.id) as sources
      from observations o where o.team_id = $1 order by o.seq`,
    values: [team_id],
  });
  return rows;
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await delay(50);
}

const done = (scope: ProjectScope, count: number) => async () => (await jobsOf(scope)).completed === count;

test("an event becomes a record of its project, a prompt becomes none", async () => {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  await startGenerating();
  await enqueueEvent(database, tenant, {
    session,
    event_type: "user_prompt",
    payload: { prompt: "list the files" },
  });
  await enqueueEvent(database, tenant, { session, payload: toolUse("ls src", "main.ts") });
  await until(done(tenant, 2));
  const records = await recordsOf(tenant);
  expect(records).toMatchObject([{ kind: "observation", generator: "local", sources: 1 }]);
  expect(records[0]?.title).toBe("Looked around: `ls src`");
});

test("a later turn ends open work that it finishes", async () => {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  await startGenerating();
  const turns = [
    ["user_prompt", { prompt: "add the refund route" }],
    ["tool_use", toolUse("npm test", "3 passed")],
    ["stop", { last_assistant_message: "The refund route is not done yet." }],
    ["user_prompt", { prompt: "now finish the refund route" }],
    ["tool_use", toolUse("npm test", "12 passed")],
    ["stop", { last_assistant_message: "The refund route is implemented and tested." }],
  ] as const;
  const holding = async () => {
    const { rows } = await database.system.query<{ summary: string }>({
      text: `select summary from observations
        where team_id = $1 and said_by in ('agent', 'tool') and not ended and superseded_by is null
        order by seq`,
      values: [tenant.team_id],
    });
    return rows.map(({ summary }) => summary).join("\n");
  };
  for (const [at, [event_type, payload]] of turns.entries()) {
    await enqueueEvent(database, tenant, { session, event_type, payload });
    await until(done(tenant, at + 1));
    if (at === 2) expect(await holding()).toMatch(/not done yet/);
  }
  expect(await holding()).not.toMatch(/not done yet/);
});

/** What the user said, as the statements of the team quote it. */
async function saidIn({ team_id }: ProjectScope): Promise<string[]> {
  const { rows } = await database.system.query<{ summary: string }>({
    text: "select summary from observations where team_id = $1 and said_by = 'user' order by seq",
    values: [team_id],
  });
  return rows.map(({ summary }) => summary);
}

test("the end of a session ends its unfinished turn, and no finished one again", async () => {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  await startGenerating();
  const add = (event_type: string, payload: Json) =>
    enqueueEvent(database, tenant, { session, event_type, payload });
  await add("user_prompt", { prompt: "Never push to main." });
  await add("session_end", { reason: "exit", message: "The user left." });
  await until(done(tenant, 2));
  const rules = ["Never push to main."];
  expect(await saidIn(tenant)).toEqual(rules);
  await add("user_prompt", { prompt: "Always use pnpm here." });
  await add("stop", { last_assistant_message: "Will do." });
  await add("SessionEnd", {});
  await until(done(tenant, 5));
  expect(await saidIn(tenant)).toEqual([...rules, "Always use pnpm here."]);
  const records = await recordsOf(tenant);
  expect(records.filter(({ kind }) => kind === "session_summary")).toHaveLength(2);
});

test("the end of a session that reports no end of a turn keeps what was said first", async () => {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  const prompts = ["Never push to main.", ...Array.from({ length: 20 }, (_, at) => `open page ${at}`)];
  for (const prompt of prompts)
    await enqueueEvent(database, tenant, { session, event_type: "user_prompt", payload: { prompt } });
  await endSession(database.app, tenant, session, newId());
  await startGenerating();
  await until(done(tenant, prompts.length + 1));
  expect(await saidIn(tenant)).toContain("Never push to main.");
});

test("two processes work off the jobs of three teams, each once", async () => {
  const each = volume(100, 30);
  const tenants = await Promise.all([makeTenant(database), makeTenant(database), makeTenant(database)]);
  for (const tenant of tenants) {
    const session = await makeSession(database, tenant);
    for (let at = 0; at < each; at += 1) {
      await enqueueEvent(database, tenant, {
        session: at % 2 === 0 ? session : null,
        payload: toolUse(`echo ${at}`, ""),
      });
    }
  }
  await Promise.all([startGenerating(), startGenerating()]);
  for (const tenant of tenants) await until(done(tenant, each));
  for (const tenant of tenants) {
    expect(await jobsOf(tenant)).toEqual({ completed: each });
    const records = await recordsOf(tenant);
    expect(records).toHaveLength(each);
    expect(new Set(records.map(({ title }) => title)).size).toBe(each);
  }
});

test("jobs whose turn was lost are found by the sweep", async () => {
  const tenant = await makeTenant(database);
  await enqueueEvent(database, tenant, { turn: false });
  await startGenerating();
  await until(done(tenant, 1));
  expect(await recordsOf(tenant)).toHaveLength(1);
});

test("another process does a dead one's job after its lease expires", async () => {
  const tenant = await makeTenant(database);
  const job = await enqueueEvent(database, tenant, { turn: false });
  await database.system.query({
    text: `update generation_jobs
      set status = 'processing', lease_token = gen_random_uuid(), lease_expires_at = now() - interval '1 second',
        attempts = 1, locked_by = 'gone'
      where id = $1`,
    values: [job],
  });
  await startGenerating();
  await until(done(tenant, 1));
  expect(await recordsOf(tenant)).toHaveLength(1);
});

test("a call that hangs for one team does not hold up another team", async () => {
  const [stuck, well] = [await makeTenant(database), await makeTenant(database)];
  const model = await modelServer({ script: ({ prompt }) => (prompt.includes("HANG") ? "hang" : "ok") });
  for (let at = 0; at < 8; at += 1) await enqueueEvent(database, stuck, { payload: toolUse("HANG", "") });
  await startGenerating({
    MEM_PROVIDER: "compat",
    MEM_COMPAT_BASE_URL: model.url,
    MEM_COMPAT_MODEL: "scripted",
    MEM_GENERATION_CONCURRENCY: "2",
  });
  await enqueueEvent(database, well, { payload: toolUse("ls", "a.ts") });
  await until(done(well, 1));
  expect((await jobsOf(stuck)).completed ?? 0).toBe(0);
});

test("a summary keeps its parts and uses its event's last message", async () => {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  await enqueueEvent(database, tenant, { session, payload: toolUse("npm test", "9 passed") });
  await enqueueSummary(database, tenant, session, { last_assistant_message: "The cookie is set now." });
  await startGenerating();
  await until(done(tenant, 2));
  const { rows } = await database.system.query<{ parts: Record<string, string | null> }>({
    text: "select metadata -> 'parts' as parts from observations where team_id = $1 and kind = 'session_summary'",
    values: [tenant.team_id],
  });
  expect(rows).toHaveLength(1);
  expect(Object.keys(rows[0]?.parts ?? {})).toContain("next_steps");
  expect(JSON.stringify(rows[0]?.parts)).toContain("The cookie is set now.");
});

test.each(["one after the other", "all at once"] as const)(
  "each summary covers its own turn, and an empty turn has none, %s",
  async (how) => {
    const tenant = await makeTenant(database);
    const session = await makeSession(database, tenant);
    const stop = how === "all at once" ? null : await startGenerating();
    const said = (last_user_message: string, last_assistant_message: string) => () =>
      enqueueSummary(database, tenant, session, { last_user_message, last_assistant_message });
    const work = (command: string) => () =>
      enqueueEvent(database, tenant, { session, payload: toolUse(command, "") });
    const steps = [
      ...[work("touch t1"), work("touch t2"), said("Write t1 and t2", "Both are there.")],
      ...[said("Is all fine?", "Yes, all fine."), work("touch t3"), said("Now t3", "There it is.")],
    ];
    for (const [at, step] of steps.entries()) {
      await step();
      if (stop !== null) await until(done(tenant, at + 1));
    }
    if (stop === null) await startGenerating();
    await until(done(tenant, steps.length));
    const { rows } = await database.system.query<{ completed: string | null }>({
      text: `select metadata -> 'parts' ->> 'completed' as completed
      from observations
      where team_id = $1 and kind = 'session_summary'
      order by seq`,
      values: [tenant.team_id],
    });
    expect(rows.map(({ completed }) => completed?.match(/t\d/g))).toEqual([["t1", "t2"], ["t3"]]);
    expect(await jobsOf(tenant)).toEqual({ completed: 6 });
  },
);

test("a database failure during a probe does not keep the provider paused", async () => {
  const tenant = await makeTenant(database);
  const model = await modelServer({ script: ["rate-limited", "ok"], retryAfterSeconds: 1 });
  for (let at = 0; at < 3; at += 1) await enqueueEvent(database, tenant, { turn: false });
  let failures = 2;
  await startGenerating(
    {
      MEM_PROVIDER: "compat",
      MEM_COMPAT_BASE_URL: model.url,
      MEM_COMPAT_MODEL: "scripted",
      MEM_GENERATION_LEASE_SECONDS: "2",
    },
    (own) => ({
      ...own,
      system: {
        ...own.system,
        query(statement) {
          const isForNow = statement.name === "request-turn" && statement.values?.[1] === null;
          if (!isForNow || model.requests.length === 0 || failures === 0) return own.system.query(statement);
          failures -= 1;
          return Promise.reject(new MemError("storage_failed"));
        },
      },
    }),
  );
  await until(done(tenant, 3));
  expect(failures).toBe(0);
});

const ends = ["that has ended", "that goes on"] as const;

test.each(ends)("what is left of a session %s, and its summary, need no sweep", async (which) => {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  let sweeps = 0;
  await startGenerating(undefined, (own) => ({
    ...own,
    system: {
      query: (statement) => own.system.query(statement),
      // Sweeps alone borrow: there is none after the first.
      borrow: (work) =>
        sweeps++ === 0 ? own.system.borrow(work) : Promise.reject(new MemError("storage_busy")),
    },
  }));
  const uses = Array.from({ length: 120 }, () => ({ session, payload: toolUse("ls", "a.ts") }));
  await enqueueToolUses(database, tenant, uses);
  if (which === "that has ended") await endSession(database.app, tenant, session, newId());
  else await enqueueSummary(database, tenant, session, {});
  await until(done(tenant, 121));
  expect((await recordsOf(tenant)).filter(({ kind }) => kind === "session_summary")).toHaveLength(1);
});

const modelEnv = (url: string, concurrency = "4") => ({
  MEM_PROVIDER: "compat",
  MEM_COMPAT_BASE_URL: url,
  MEM_COMPAT_MODEL: "scripted",
  MEM_GENERATION_CONCURRENCY: concurrency,
});

test("local writes events with a useless answer, marked for regeneration", async () => {
  const tenant = await makeTenant(database);
  const script = ({ prompt }: { prompt: string }) => (prompt.includes("UNREADABLE") ? "garbage" : "ok");
  const model = await modelServer({ script });
  for (const command of ["ls src", "echo UNREADABLE", "ls test"])
    await enqueueEvent(database, tenant, { payload: toolUse(command, "a.ts"), turn: false });
  await startGenerating(modelEnv(model.url));
  await until(
    async () => ((await jobsOf(tenant)).completed ?? 0) + ((await jobsOf(tenant)).failed ?? 0) === 3,
  );
  expect(await jobsOf(tenant)).toEqual({ completed: 3 });
  const { rows } = await database.system.query<{ title: string }>({
    text: `select title from observations
      where team_id = $1 and generator = 'local' and (metadata ->> 'upgrade')::boolean`,
    values: [tenant.team_id],
  });
  expect(rows.map(({ title }) => title).join()).toContain("UNREADABLE");
});

test("events without a session share the calls of a model, by project", async () => {
  const tenant = await makeTenant(database);
  const model = await modelServer({ script: "ok" });
  for (let at = 0; at < 40; at += 1)
    await enqueueEvent(database, tenant, { payload: toolUse(`echo ${at}`, ""), turn: false });
  await startGenerating(modelEnv(model.url));
  await until(done(tenant, 40));
  expect(model.requests.length).toBeLessThanOrEqual(4);
});

/** How many jobs of the team were done before this one. */
test.each([
  ["events without a session", 1, false],
  ["one long session", 1, true],
  ["many sessions", 30, true],
])("a fresh event does not wait for a backlog of %s", async (_what, groups, isOf) => {
  const tenant = await makeTenant(database);
  const sessions: string[] = [];
  for (let at = 0; at < groups; at += 1) sessions.push(await makeSession(database, tenant));
  const backlog = Array.from({ length: 600 }, (_, at) => ({
    session: isOf ? (sessions[at % groups] ?? null) : null,
    payload: toolUse(`echo ${at}`, ""),
  }));
  await enqueueToolUses(database, tenant, backlog);
  const fresh = [
    await enqueueEvent(database, tenant, { turn: false }),
    await enqueueEvent(database, tenant, { session: await makeSession(database, tenant), turn: false }),
  ];
  await startGenerating({ MEM_PROVIDER: "local", MEM_GENERATION_CONCURRENCY: "2" });
  for (const job of fresh)
    await expect.poll(() => doneBefore(database, tenant, job)).toBeLessThan(backlog.length / 2);
});
