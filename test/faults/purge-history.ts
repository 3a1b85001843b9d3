// One project's history in a random order, with concurrent steps: ingest, claim, complete, fail, delete, purge.

import { newId } from "../../src/core/ids.ts";
import type { ProjectScope } from "../../src/core/records/tenancy.ts";
import { completeJobs, type DraftRecord } from "../../src/store/postgres/complete-jobs.ts";
import { deleteObservation, purgeProject } from "../../src/store/postgres/deletion.ts";
import { batchItem, type NewEvent } from "../../src/store/postgres/event-batch.ts";
import type { EventWriter } from "../../src/store/postgres/event-writer.ts";
import { storeKeyedBatch } from "../../src/store/postgres/events.ts";
import { claimJobs, type LeasedBatch, releaseJob, teamWork } from "../../src/store/postgres/job-leases.ts";
import type { Database } from "../../src/store/postgres/open.ts";
import { inTenant } from "../../src/store/postgres/tenant.ts";
import { hostedObservation, makeProject } from "../helpers/hosted-records.ts";
import type { Random } from "../helpers/random.ts";

interface HistoryDeps {
  database: Database;
  writer: EventWriter;
  random: Random;
}

export interface History {
  /** What must not be, as it was seen. */
  faults: string[];
  /** What was done, in the order of its beginning. */
  steps: string[];
  /** Records that were made, and events that a purge deleted. */
  made: number;
  purged: number;
}

const kinds = [
  "ingest",
  "ingest",
  "ingest",
  "batch",
  "claim",
  "claim",
  "claim",
  "complete",
  "complete",
  "complete",
  "fail",
  "delete",
  "purge",
] as const;
const by = { api_key_id: null, request_id: null };

interface Claimed {
  batch: LeasedBatch;
  /** Purges that had begun when it was ours. */
  purges: number;
}

/** One project, and what was done to it so far. */
interface Place extends HistoryDeps {
  scope: ProjectScope;
  history: History;
  claimed: Claimed[];
  /** Ids of the records that were made. */
  stored: string[];
  acknowledged: string[];
  purges: { begun: number; ended: number };
  made: { events: number; jobs: number; observations: number };
  gone: { events: number; jobs: number; observations: number; deleted: number };
  demand(what: string, holds: boolean): void;
}

/** Runs `count` steps on a new project. Throws what the store throws. */
export async function runHistory(deps: HistoryDeps, count: number): Promise<History> {
  const history: History = { faults: [], steps: [], made: 0, purged: 0 };
  const place: Place = {
    ...deps,
    scope: await makeProject(deps.database),
    history,
    claimed: [],
    stored: [],
    acknowledged: [],
    purges: { begun: 0, ended: 0 },
    made: { events: 0, jobs: 0, observations: 0 },
    gone: { events: 0, jobs: 0, observations: 0, deleted: 0 },
    demand: (what, holds) => {
      if (!holds) history.faults.push(`${what} after ${history.steps.join(", ")}`);
    },
  };
  const underWay = new Set<Promise<void>>();
  for (let step = 0; step < count; step += 1) {
    const kind = deps.random.pick(kinds);
    history.steps.push(kind);
    const work: Promise<void> = steps[kind](place).finally(() => underWay.delete(work));
    underWay.add(work);
    const wait = deps.random.between(0, 3);
    if (wait === 0) await Promise.all(underWay);
    else if (wait === 1) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  await checkSums(place);
  const left = await olderRows(place, []);
  place.demand(`nothing older comes after a purge, not ${left}`, left === "");
  return { ...history, made: place.made.observations, purged: place.gone.events };
}

const steps: Record<(typeof kinds)[number], (place: Place) => Promise<void>> = {
  async ingest(place) {
    const event = eventOf(place);
    acknowledge(place, event, (await place.writer.write(event)).outcome);
  },
  async batch(place) {
    const events = [eventOf(place), eventOf(place)];
    const stored = { key: newId(), body_hash: "00", items: events.map(batchItem) };
    const batch = await storeKeyedBatch(place.database.app, place.scope, stored);
    place.demand("a batch of a new key is stored", batch.outcome === "created");
    if (batch.outcome !== "created") return;
    for (const [at, event] of events.entries()) acknowledge(place, event, batch.written[at]?.outcome);
  },
  claim,
  complete: (place) => ofOneBatch(place, complete),
  fail: (place) => ofOneBatch(place, fail),
  async delete({ stored, random, database, scope, gone }) {
    const [id] = stored.splice(random.between(0, Math.max(0, stored.length - 1)), 1);
    if (id === undefined) return;
    if (await deleteObservation(database.app, { tenant: scope, id, by })) gone.deleted += 1;
  },
  purge,
};

function acknowledge(place: Place, { id, job_id }: NewEvent, outcome: string | undefined): void {
  place.demand("an event that has all it needs is stored", outcome === "created");
  place.acknowledged.push(id);
  place.made.events += 1;
  place.made.jobs += job_id === null ? 0 : 1;
}

async function claim({ database, scope, random, claimed, purges }: Place): Promise<void> {
  const { waiting } = await teamWork(database.app, scope.team_id);
  if (waiting.length === 0) return;
  const { session_id } = random.pick(waiting);
  const batch = await claimJobs(database.app, {
    ...scope,
    session_id,
    newestFirst: random.between(0, 1) === 1,
    lease_token: newId(),
    worker: "w",
    leaseMs: 60_000,
    limit: random.between(1, 3),
  });
  if (batch !== null) claimed.push({ batch, purges: purges.begun });
}

async function complete(place: Place, { batch, purges }: Claimed): Promise<void> {
  const isPurged = place.purges.ended > purges;
  let held = 0;
  const ids = await completeJobs(place.database.app, batch, (jobs) => {
    held = jobs.size;
    return draftsOf(batch, jobs);
  });
  place.demand("a job that was purged writes nothing", !isPurged || held + ids.length === 0);
  place.made.observations += ids.length;
  place.stored.push(...ids);
}

async function fail({ database, scope, random }: Place, { batch }: Claimed): Promise<void> {
  const error = { code: "provider_failed", message: "it failed" };
  for (const { id } of batch.jobs) {
    const release = random.pick([
      { kind: "give_back" },
      { kind: "retry", at: Date.now(), error },
      { kind: "failed", error },
    ] as const);
    await inTenant(database.app, scope, (connection) =>
      releaseJob(connection, { ...scope, lease_token: batch.lease_token, job_id: id }, release),
    );
  }
}

async function purge(place: Place): Promise<void> {
  const { scope, purges, gone, demand } = place;
  purges.begun += 1;
  const number = purges.begun;
  const older = [...place.acknowledged];
  const asked = { tenant: scope, project_id: scope.project_id, by };
  const counts = await purgeProject(place.database.app, asked);
  purges.ended = Math.max(purges.ended, number);
  demand("the project is there", counts !== undefined);
  gone.events += counts?.agentEvents ?? 0;
  gone.jobs += counts?.jobs ?? 0;
  gone.observations += counts?.observations ?? 0;
  const left = await olderRows(place, older);
  demand(`a purge leaves nothing that is older, not ${left}`, left === "");
}

async function checkSums({ database, scope, made, gone, demand }: Place): Promise<void> {
  const { project_id } = scope;
  const { rows } = await database.system.query<{
    events: number;
    jobs: number;
    observations: number;
    strays: number;
  }>({
    text: `select
        (select count(*)::int from agent_events where project_id = $1) as events,
        (select count(*)::int from generation_jobs where project_id = $1) as jobs,
        (select count(*)::int from observations where project_id = $1) as observations,
        (select count(*)::int from idempotency_keys k where project_id = $1
          and not exists (select 1 from agent_events e where e.project_id = $1 and e.id = any (k.event_ids))) as strays`,
    values: [project_id],
  });
  const [left] = rows;
  const sums = JSON.stringify({ made, gone, left });
  demand(`events add up: ${sums}`, made.events === gone.events + (left?.events ?? 0));
  demand(`jobs add up: ${sums}`, made.jobs === gone.jobs + (left?.jobs ?? 0));
  demand(
    `observations add up: ${sums}`,
    made.observations === gone.observations + gone.deleted + (left?.observations ?? 0),
  );
  demand("no key is kept for an event that is gone", left?.strays === 0);
}

/** Names of tables with rows from before the newest purge, or with events that were acknowledged before this one. */
async function olderRows({ database, scope }: Place, ids: readonly string[]): Promise<string> {
  const tables = ["sessions", "agent_events", "generation_jobs", "observations"];
  const { rows } = await database.system.query<{ name: string }>({
    text: `${tables
      .map(
        (table) => `select '${table}' as name from ${table} r, projects p
          where p.id = $1 and r.project_id = $1 and r.memory_epoch < p.memory_epoch`,
      )
      .join(" union ")}
      union select 'acknowledged' from agent_events where project_id = $1 and id = any ($2::uuid[])
      union select 'observation_search' from observation_search s where s.project_id = $1
        and not exists (select 1 from observations o where o.project_id = $1 and o.seq = s.seq)`,
    values: [scope.project_id, ids],
  });
  return rows.map(({ name }) => name).join(" ");
}

async function ofOneBatch(
  place: Place,
  work: (place: Place, claimed: Claimed) => Promise<void>,
): Promise<void> {
  const { claimed, random } = place;
  if (claimed.length === 0) return;
  const [one] = claimed.splice(random.between(0, claimed.length - 1), 1);
  if (one === undefined) return;
  // Now and then it is not the last one who has an answer for the same jobs.
  if (random.next() < 0.2) claimed.push(one);
  await work(place, one);
}

function eventOf({ scope, random }: Place): NewEvent {
  return {
    ...scope,
    id: newId(),
    keys: [],
    body_hash: null,
    session_id: null,
    content_session_id: random.pick(["one", "two", null]),
    new_session_id: newId(),
    source_type: "hook",
    source_event_id: null,
    event_type: "tool_use",
    platform_source: "",
    payload: { tool_name: "Bash" },
    metadata: {},
    occurred_at_epoch: 1,
    job_id: random.next() < 0.8 ? newId() : null,
  };
}

function draftsOf({ jobs, ...scope }: LeasedBatch, held: ReadonlySet<string>): DraftRecord[] {
  return jobs
    .filter(({ id }) => held.has(id))
    .map(({ id, source_type, source_id }) => {
      const source = { id: newId(), source_type, source_id, generation_job_id: id };
      const made = { generation_key: `${id}:0`, created_by_job_id: id, sources: [source] };
      const {
        team_id: _,
        project_id: _own,
        session_id: _none,
        memory_epoch: _new,
        ...draft
      } = hostedObservation(scope, made);
      return draft;
    });
}
