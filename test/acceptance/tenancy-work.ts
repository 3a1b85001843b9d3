// Tenancy of generation: a team claims, renews, releases and completes only its own jobs.
import { newId } from "../../src/core/ids.ts";
import { completeJobs } from "../../src/store/postgres/complete-jobs.ts";
import { countTenantJobs } from "../../src/store/postgres/job-counts.ts";
import { claimJobs, keepLease, releaseJob, teamWork } from "../../src/store/postgres/job-leases.ts";
import type { Connections, Database } from "../../src/store/postgres/open.ts";
import type { EndedTurn } from "../../src/store/postgres/outdated.ts";
import { inTenant } from "../../src/store/postgres/tenant.ts";
import { enqueueEvent } from "../helpers/hosted-jobs.ts";
import { everyonesCommand, type Home, type World } from "./tenancy-world.ts";

const leaseMs = 60_000;

type WorkDeps = Pick<Database, "app" | "system">;

/** What went beyond the tenant, or did not happen inside of it. */
export async function workFaults({ app, system }: WorkDeps, world: World): Promise<string[]> {
  const home = world.home(0, 0);
  const [sibling, other] = [world.home(0, 1), world.home(1, 0)];
  // One epoch for all: it must not be what tells them apart.
  await system.query({
    text: "update projects set memory_epoch = (select max(memory_epoch) from projects)",
  });
  const faults: string[] = [];
  const demand = (what: string, holds: boolean) => {
    if (!holds) faults.push(what);
  };
  await world.fill(home);
  await claimAndDelay(app, other);
  const { waiting, next_at } = await teamWork(app, home.team_id);
  demand("what is due later is not another team's", next_at === null);
  demand(
    "a team's work is its own",
    waiting.length > 0 && waiting.every(({ project_id }) => isOfTeam(world, project_id, home)),
  );
  await demandOwnQueue({ app, system }, { home, sibling, other }, demand);
  await demandNoClaims(app, { home, sibling, other }, demand);
  for (const newestFirst of [false, true])
    await demandOwnLoose({ app, system }, { home, sibling, other }, { newestFirst, demand });
  const lease_token = newId();
  const claimed = await claim(app, home, { ...home, session_id: home.ids.session, lease_token });
  demand("its own session is claimed", claimed?.jobs.length === 1 && claimed.session !== null);
  const told: string[] = JSON.stringify(claimed).match(/canary\w+/g) ?? [];
  demand(
    "a batch holds what is of its project",
    told.includes(home.canary) && told.every((canary) => canary === home.canary),
  );
  for (const stranger of [
    { ...home, project_id: sibling.project_id },
    { ...home, team_id: other.team_id },
    other,
  ]) {
    const { team_id, project_id } = stranger;
    const lease = { team_id, project_id, lease_token };
    demand("a lease is kept by its holder", !(await keepLease(app, lease, leaseMs)));
    await inTenant(app, { team_id, project_id }, (connection) =>
      releaseJob(connection, { ...lease, job_id: home.ids.job }, { kind: "give_back" }),
    );
    let taken = 0;
    await completeJobs(app, { ...lease, session_id: home.ids.session }, (jobs) => {
      taken = jobs.size;
      return [];
    });
    demand("nobody else completes it", taken === 0);
  }
  const lease = { team_id: home.team_id, project_id: home.project_id, lease_token };
  demand("it was given back by nobody", await keepLease(app, lease, leaseMs));
  let held = 0;
  const heldJobs = (jobs: ReadonlySet<string>) => {
    held = jobs.size;
    return [];
  };
  await completeJobs(app, { ...lease, session_id: home.ids.session }, heldJobs, everythingEnds);
  demand("its holder completes it", held === 1);
  const outdated = await outdatedProjects(system);
  demand(
    "what a turn makes outdated is of its project",
    outdated.length === 1 && outdated[0] === home.project_id,
  );
  await world.fill(home);
  return faults;
}

// A turn that makes every record outdated which it reaches.
const everythingEnds: EndedTurn = {
  settled: [],
  passed: [everyonesCommand],
  replacesFix: () => true,
  finished: { at: Number.POSITIVE_INFINITY, finishes: () => true },
  replaces: () => true,
  saysSame: () => true,
};

async function outdatedProjects(system: WorkDeps["system"]): Promise<string[]> {
  const { rows } = await system.query<{ project_id: string }>({
    text: "select distinct project_id from observations where ended or superseded_by is not null",
  });
  return rows.map(({ project_id }) => project_id);
}

/** A job of the home that is due tomorrow. */
async function claimAndDelay(app: Connections, home: Home): Promise<void> {
  const lease_token = newId();
  const batch = await claim(app, home, { ...home, session_id: home.ids.session, lease_token });
  const { team_id, project_id } = home;
  const error = { code: "provider_failed", message: "it failed" };
  for (const { id } of batch?.jobs ?? []) {
    await inTenant(app, { team_id, project_id }, (connection) =>
      releaseJob(
        connection,
        { team_id, project_id, lease_token, job_id: id },
        { kind: "later", at: Date.now() + 86_400_000, error },
      ),
    );
  }
}

interface Places {
  home: Home;
  sibling: Home;
  other: Home;
}

async function demandNoClaims(
  app: Connections,
  { home, sibling, other }: Places,
  demand: (what: string, holds: boolean) => void,
): Promise<void> {
  for (const [what, wanted] of [
    ["another team's session", { ...home, session_id: other.ids.session }],
    ["another project's session", { ...home, session_id: sibling.ids.session }],
    ["another team's project", { ...other, team_id: home.team_id, session_id: other.ids.session }],
  ] as const) {
    demand(`${what} is not claimed`, (await claim(app, home, { ...wanted, lease_token: newId() })) === null);
  }
}

/** What waits, is worked on and has failed elsewhere is not in a tenant's figures. */
async function demandOwnQueue(
  { app, system }: WorkDeps,
  { home, sibling, other }: Places,
  demand: (what: string, holds: boolean) => void,
): Promise<void> {
  const reaches = [home, { team_id: home.team_id, project_id: null }];
  const told = () => Promise.all(reaches.map((reach) => countTenantJobs(app, reach)));
  const changes = ["created_at = now() - interval '30 days'", "status = 'failed'", inWork];
  const jobs: string[] = [];
  const grow = async (place: Home): Promise<void> => {
    for (const change of changes) {
      const job = await enqueueEvent({ system }, place, { turn: false });
      jobs.push(job);
      await system.query({ text: `update generation_jobs set ${change} where id = $1`, values: [job] });
    }
  };
  const figures = (counts: Awaited<ReturnType<typeof told>>[number] | undefined) =>
    counts && [counts.pending, counts.processing, counts.dead, (counts.oldestPendingAgeMs ?? 0) > 86_400_000];
  const before = (await told()).map(figures);
  await grow(other);
  demand("a team's queue is its own", isSame((await told()).map(figures), before));
  await grow(sibling);
  demand("a project's queue is its own", isSame(figures((await told())[0]), before[0]));
  await removeJobs(system, jobs);
}

const inWork =
  "status = 'processing', lease_token = gen_random_uuid(), lease_expires_at = now() + interval '1 hour'";

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function removeJobs(system: WorkDeps["system"], ids: readonly string[]): Promise<void> {
  await system.query({
    text: `with mine as (delete from generation_jobs where id = any ($1::uuid[]) returning source_id)
      delete from agent_events where id in (select source_id from mine)`,
    values: [ids],
  });
}

/** Of the jobs without a session, a claim takes only the project's. */
async function demandOwnLoose(
  { app, system }: WorkDeps,
  { home, sibling, other }: Places,
  { newestFirst, demand }: { newestFirst: boolean; demand: (what: string, holds: boolean) => void },
): Promise<void> {
  const jobs = new Map<Home, string>();
  for (const place of [sibling, home, other]) {
    jobs.set(place, await enqueueEvent({ system }, place, { turn: false }));
  }
  const { team_id, project_id } = home;
  const lease_token = newId();
  const batch = await claimJobs(app, {
    ...{ team_id, project_id, session_id: null, newestFirst, lease_token },
    ...{ worker: "w", leaseMs, limit: 10_000 },
  });
  demand(
    "its own job without a session is claimed",
    batch?.jobs.some(({ id }) => id === jobs.get(home)) === true,
  );
  const { rows } = await system.query<{ id: string }>({
    text: "select id from generation_jobs where id = any ($1::uuid[]) and status <> 'queued'",
    values: [[...jobs.values()]],
  });
  demand(
    "no other project's job without a session is claimed",
    rows.every(({ id }) => id === jobs.get(home)),
  );
  await removeJobs(system, [...jobs.values()]);
  await system.query({
    text: `update generation_jobs
      set status = 'queued', attempts = 0, lease_token = null, lease_expires_at = null, locked_by = null
      where lease_token = $1`,
    values: [lease_token],
  });
}

function claim(
  app: Connections,
  { team_id }: Home,
  { project_id, session_id, lease_token }: { project_id: string; session_id: string; lease_token: string },
) {
  return claimJobs(app, {
    team_id,
    project_id,
    session_id,
    newestFirst: false,
    lease_token,
    worker: "w",
    leaseMs,
    limit: 10,
  });
}

function isOfTeam(world: World, project_id: string, { team }: Home): boolean {
  return world.homes.some((home) => home.project_id === project_id && home.team === team);
}
