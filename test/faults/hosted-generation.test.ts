// Generating processes that are killed or stopped in the middle: no job is lost, none is done twice.
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ProjectScope } from "../../src/core/records/tenancy.ts";
import { modelServer } from "../generate/providers/model-server.ts";
import { enqueueEvent, makeSession, makeTenant, toolUse } from "../helpers/hosted-jobs.ts";
import { type ServerProcess, startServer } from "../helpers/hosted-processes.ts";
import { openTestDatabase } from "../helpers/postgres.ts";
import { volume } from "../helpers/volume.ts";

const database = await openTestDatabase();
const kills = volume(5, 2);
const zombies = volume(2);

function startGenerating(env: Record<string, string>): Promise<ServerProcess> {
  return startServer({
    role: "generate",
    databaseUrl: database.url,
    env: { MEM_GENERATION_LEASE_SECONDS: "2", ...env },
  });
}

async function slowModel(slowMs: number): Promise<Record<string, string>> {
  const model = await modelServer({ script: "slow", slowMs });
  return { MEM_PROVIDER: "compat", MEM_COMPAT_BASE_URL: model.url, MEM_COMPAT_MODEL: "scripted" };
}

/** Jobs by status, and records by job: what must be one each in the end. */
async function ledger({ team_id }: ProjectScope) {
  const { rows } = await database.system.query<{
    jobs: Record<string, number>;
    per_job: Record<string, number>;
  }>({
    text: `select
        (select json_object_agg(status, n) from (
          select status, count(*)::int as n from generation_jobs where team_id = $1 group by status) s) as jobs,
        coalesce((select json_object_agg(n, jobs) from (
          select n, count(*)::int as jobs from (
            select j.id, count(s.id)::int as n
            from generation_jobs j
            left join observation_sources s on s.team_id = $1 and s.generation_job_id = j.id
            where j.team_id = $1
            group by j.id) each_job
          group by n) by_count), '{}') as per_job`,
    values: [team_id],
  });
  return rows[0] ?? { jobs: {}, per_job: {} };
}

async function allDone(tenant: ProjectScope, jobs: number): Promise<void> {
  while ((await ledger(tenant)).jobs.completed !== jobs) await delay(100);
}

test(`${kills} kills of generating processes lose no job and double no result`, async () => {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  const env = await slowModel(150);
  const running = await Promise.all([startGenerating(env), startGenerating(env)]);
  let jobs = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    for (let at = 0; at < 4; at += 1, jobs += 1) {
      await enqueueEvent(database, tenant, {
        session: at === 0 ? session : null,
        payload: toolUse(`echo ${jobs}`, ""),
      });
    }
    // Somewhere in claiming, asking, storing.
    await delay(Math.random() * 400);
    const victim = kill % 2;
    await running[victim]?.kill();
    running[victim] = await startGenerating(env);
  }
  await allDone(tenant, jobs);
  expect(await ledger(tenant)).toEqual({ jobs: { completed: jobs }, per_job: { 1: jobs } });
}, 600_000);

test(`${zombies} resumed processes write nothing that others did meanwhile`, async () => {
  const env = await slowModel(2_000);
  const zombie = await startGenerating(env);
  for (let round = 0; round < zombies; round += 1) {
    const tenant = await makeTenant(database);
    await enqueueEvent(database, tenant, { payload: toolUse(`echo ${round}`, "") });
    while ((await ledger(tenant)).jobs.processing !== 1) await delay(20);
    zombie.process.kill("SIGSTOP");
    const other = await startGenerating(env);
    await allDone(tenant, 1);
    await other.kill();
    zombie.process.kill("SIGCONT");
    // The answer that waited for it comes before that of its next job.
    await enqueueEvent(database, tenant, { payload: toolUse(`echo next ${round}`, "") });
    await allDone(tenant, 2);
    expect(await ledger(tenant)).toEqual({ jobs: { completed: 2 }, per_job: { 1: 2 } });
  }
}, 600_000);

test("a process that gets SIGTERM releases its job immediately", async () => {
  const tenant = await makeTenant(database);
  const env = await slowModel(120_000);
  const server = await startGenerating({ ...env, MEM_GENERATION_LEASE_SECONDS: "600" });
  await enqueueEvent(database, tenant);
  while ((await ledger(tenant)).jobs.processing !== 1) await delay(20);
  expect(await server.stop()).toBe(0);
  expect((await ledger(tenant)).jobs).toEqual({ queued: 1 });
});
