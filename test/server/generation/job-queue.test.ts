import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { MemError } from "../../../src/core/errors.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { createJobQueue, type HostedBatch } from "../../../src/server/generation/job-queue.ts";
import { sweepJobs, teamWork } from "../../../src/store/postgres/job-leases.ts";
import type { Connections } from "../../../src/store/postgres/open.ts";
import { enqueueEvent, makeSession, makeTenant } from "../../helpers/hosted-jobs.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const leaseMs = 400;
const nothing = {
  observations: [],
  summaries: [],
  routine: [],
  passed: [],
  generator: "local",
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
};

/** A queue whose database can be taken away; the groups whose lease it lost. */
function openQueue() {
  let isAway = false;
  const app: Connections = {
    query: (statement) => database.app.query(statement),
    borrow: (work) => (isAway ? Promise.reject(new MemError("storage_failed")) : database.app.borrow(work)),
  };
  const lost: number[] = [];
  const queue = createJobQueue({
    app,
    system: database.system,
    clock: systemClock,
    leaseMs,
    worker: "test",
    onLost: (group) => lost.push(group),
  });
  onTestFinished(() => queue.close());
  return { queue, lost, take: () => (isAway = true), bring: () => (isAway = false) };
}

async function claim(
  { queue }: ReturnType<typeof openQueue>,
  scope: ProjectScope,
  limit: number,
): Promise<HostedBatch> {
  const [waiting] = (await teamWork(database.app, scope.team_id)).waiting;
  if (waiting === undefined) throw new TypeError("nothing waits");
  const group = waiting.session_seq ?? -1;
  queue.intend(scope.team_id, { group, jobs: waiting, newestFirst: false });
  const batch = await queue.claim(group, { now: 0, leaseMs, limit, maxChars: 0 });
  if (batch === null) throw new TypeError("nothing was claimed");
  return batch;
}

async function statuses({ team_id }: ProjectScope): Promise<string[]> {
  const { rows } = await database.system.query<{ status: string }>({
    text: "select status from generation_jobs where team_id = $1 order by seq",
    values: [team_id],
  });
  return rows.map(({ status }) => status);
}

/** Resolves when the lease of the batch has been made longer once more. */
async function beat({ leased }: HostedBatch): Promise<void> {
  const end = async (): Promise<number> => {
    const { rows } = await database.system.query<{ at: number }>({
      text: "select max(extract(epoch from lease_expires_at))::float8 as at from generation_jobs where lease_token = $1",
      values: [leased.lease_token],
    });
    return rows[0]?.at ?? 0;
  };
  const before = await end();
  while ((await end()) <= before) await delay(leaseMs / 8);
}

/** A session with so many jobs. */
async function sessionOf(jobs: number): Promise<ProjectScope> {
  const tenant = await makeTenant(database);
  const session = await makeSession(database, tenant);
  for (let at = 0; at < jobs; at += 1) await enqueueEvent(database, tenant, { session, turn: false });
  return tenant;
}

test("jobs not released while the database was away expire with their lease", async () => {
  const tenant = await sessionOf(3);
  const opened = openQueue();
  const { messages } = await claim(opened, tenant, 3);
  opened.take();
  await expect(opened.queue.release(messages, { kind: "give_back" })).rejects.toThrow();
  opened.bring();
  // For ever where one of them is kept alive.
  while ((await statuses(tenant)).includes("processing")) {
    await delay(leaseMs / 4);
    await sweepJobs(database.system, 20);
  }
  expect(await statuses(tenant)).toEqual(["queued", "queued", "queued"]);
});

test("two batches of one session are each kept alive and each let go", async () => {
  const tenant = await sessionOf(4);
  const opened = openQueue();
  const first = await claim(opened, tenant, 2);
  const second = await claim(opened, tenant, 2);
  await Promise.all([beat(first), beat(second)]);
  await opened.queue.complete(first, nothing);
  await beat(second);
  await beat(second);
  expect(opened.lost).toEqual([]);
  await opened.queue.release(second.messages, { kind: "give_back" });
  expect(await statuses(tenant)).toEqual(["completed", "completed", "queued", "queued"]);
});
