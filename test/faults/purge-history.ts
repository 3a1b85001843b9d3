// One project's history in a random order, its steps at once where they meet: ingest, claim, complete, fail, delete, purge.
import { newId } from "../../src/ids.ts";
import { completeJobs, type DraftRecord } from "../../src/store/postgres/complete-jobs.ts";
import { deleteObservation, purgeProject } from "../../src/store/postgres/deletion.ts";
import type { NewEvent } from "../../src/store/postgres/event-batch.ts";
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

/** Runs `count` steps on a project of its own. Throws what the store throws. */
export async function runHistory({ database, writer, random }: HistoryDeps, count: number): Promise<History> {
  const { app } = database;
  const scope = await makeProject(database);
  const history: History = { faults: [], steps: [], made: 0, purged: 0 };
  const made = { events: 0, jobs: 0, observations: 0 };
  const gone = { events: 0, jobs: 0, observations: 0, deleted: 0 };
  const claimed: Claimed[] = [];
  const stored: string[] = [];
  const acknowledged: string[] = [];
  let begunPurges = 0;
  let endedPurges = 0;

  const demand = (what: string, holds: boolean) => {
    if (!holds) history.faults.push(`${what} after ${history.steps.join(", ")}`);
  };

  async function ingest(events: NewEvent[], key?: string): Promise<void> {
    const written =
      key === undefined
        ? [await writer.write(first(events))]
        : await storeKeyedBatch(app, scope, { key, body_hash: "00", events }).then((batch) =>
            batch.outcome === "created" ? batch.written : [],
          );
    for (const [at, { outcome }] of written.entries()) {
      demand("an event that has all it needs is stored", outcome === "created");
      acknowledged.push(events[at]?.id ?? "");
      made.events += 1;
      made.jobs += events[at]?.job_id === null ? 0 : 1;
    }
  }

  async function claim(): Promise<void> {
    const { waiting } = await teamWork(app, scope.team_id);
    if (waiting.length === 0) return;
    const { session_id, group } = random.pick(waiting);
    const batch = await claimJobs(app, {
      ...scope,
      session_id,
      seq: session_id === null ? -group : null,
      lease_token: newId(),
      worker: "w",
      leaseMs: 60_000,
      limit: random.between(1, 3),
    });
    if (batch !== null) claimed.push({ batch, purges: begunPurges });
  }

  async function complete({ batch, purges }: Claimed): Promise<void> {
    const isPurged = endedPurges > purges;
    let held = 0;
    const ids = await completeJobs(app, batch, (jobs) => {
      held = jobs.size;
      return draftsOf(batch, jobs);
    });
    demand("a job that was purged writes nothing", !isPurged || held + ids.length === 0);
    made.observations += ids.length;
    stored.push(...ids);
  }

  async function fail({ batch }: Claimed): Promise<void> {
    const error = { code: "provider_failed", message: "it failed" };
    for (const { id } of batch.jobs) {
      const release = random.pick([
        { kind: "give_back" },
        { kind: "retry", at: Date.now(), error },
        { kind: "failed", error },
      ] as const);
      await inTenant(app, scope, (connection) =>
        releaseJob(connection, { ...scope, lease_token: batch.lease_token, job_id: id }, release),
      );
    }
  }

  async function purge(): Promise<void> {
    begunPurges += 1;
    const place = begunPurges;
    const older = [...acknowledged];
    const counts = await purgeProject(app, { tenant: { ...scope }, project_id: scope.project_id, by });
    endedPurges = Math.max(endedPurges, place);
    demand("the project is there", counts !== undefined);
    gone.events += counts?.agentEvents ?? 0;
    gone.jobs += counts?.jobs ?? 0;
    gone.observations += counts?.observations ?? 0;
    const left = await olderRows(database, scope.project_id, older);
    demand(`a purge leaves nothing that is older, not ${left}`, left === "");
  }

  const run: Record<(typeof kinds)[number], () => Promise<void>> = {
    ingest: () => ingest([eventOf(scope, random)]),
    batch: () => ingest([eventOf(scope, random), eventOf(scope, random)], newId()),
    claim,
    complete: async () => ofOne(claimed, random, complete),
    fail: async () => ofOne(claimed, random, fail),
    async delete() {
      const [id] = stored.splice(random.between(0, Math.max(0, stored.length - 1)), 1);
      if (id === undefined) return;
      if (await deleteObservation(app, { tenant: scope, id, by })) gone.deleted += 1;
    },
    purge,
  };

  const underWay = new Set<Promise<void>>();
  for (let step = 0; step < count; step += 1) {
    const kind = random.pick(kinds);
    history.steps.push(kind);
    const work: Promise<void> = run[kind]().finally(() => underWay.delete(work));
    underWay.add(work);
    const wait = random.between(0, 3);
    if (wait === 0) await Promise.all(underWay);
    else if (wait === 1) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  await checkSums(database, scope.project_id, { made, gone, demand });
  const left = await olderRows(database, scope.project_id, []);
  demand(`nothing older comes after a purge, not ${left}`, left === "");
  return { ...history, made: made.observations, purged: gone.events };
}

interface Sums {
  made: { events: number; jobs: number; observations: number };
  gone: { events: number; jobs: number; observations: number; deleted: number };
  demand(what: string, holds: boolean): void;
}

async function checkSums(
  { system }: Pick<Database, "system">,
  project_id: string,
  { made, gone, demand }: Sums,
): Promise<void> {
  const { rows } = await system.query<{ events: number; jobs: number; observations: number; strays: number }>(
    {
      text: `select
        (select count(*)::int from agent_events where project_id = $1) as events,
        (select count(*)::int from generation_jobs where project_id = $1) as jobs,
        (select count(*)::int from observations where project_id = $1) as observations,
        (select count(*)::int from idempotency_keys k where project_id = $1
          and not exists (select 1 from agent_events e where e.project_id = $1 and e.id = any (k.event_ids))) as strays`,
      values: [project_id],
    },
  );
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
async function olderRows(
  { system }: Pick<Database, "system">,
  project_id: string,
  ids: readonly string[],
): Promise<string> {
  const tables = ["sessions", "agent_events", "generation_jobs", "observations"];
  const { rows } = await system.query<{ name: string }>({
    text: `${tables
      .map(
        (table) => `select '${table}' as name from ${table} r, projects p
          where p.id = $1 and r.project_id = $1 and r.memory_epoch < p.memory_epoch`,
      )
      .join(" union ")}
      union select 'acknowledged' from agent_events where project_id = $1 and id = any ($2::uuid[])
      union select 'observation_search' from observation_search s where s.project_id = $1
        and not exists (select 1 from observations o where o.project_id = $1 and o.seq = s.seq)`,
    values: [project_id, ids],
  });
  return rows.map(({ name }) => name).join(" ");
}

async function ofOne(
  claimed: Claimed[],
  random: Random,
  work: (claimed: Claimed) => Promise<void>,
): Promise<void> {
  if (claimed.length === 0) return;
  const [one] = claimed.splice(random.between(0, claimed.length - 1), 1);
  // Now and then it is not the last one who has an answer for the same jobs.
  if (one !== undefined && random.next() < 0.2) claimed.push(one);
  if (one !== undefined) await work(one);
}

function eventOf(scope: { team_id: string; project_id: string }, random: Random): NewEvent {
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

function first<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new RangeError("there is none");
  return value;
}
