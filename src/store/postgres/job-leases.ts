// Leases of generation jobs: claimed with a token, renewed by heartbeats, expired when the worker is gone.

import type { ProjectScope } from "../../core/records/tenancy.ts";
import { closingEventPattern, isClosingEvent, promptEventPattern } from "../../core/tools/event-message.ts";
import type { Json } from "../../text/json.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant, inTransaction } from "./tenant.ts";
import { eventsOfTurn, type TurnEvent } from "./turns.ts";

/** The due jobs of one session, or a project's jobs without a session. */
export interface WaitingJobs {
  project_id: string;
  session_id: string | null;
  /** The session's number. */
  session_seq: number | null;
  /** Of the jobs that were read. */
  count: number;
  /** Without a session the oldest: they wait for nothing but each other. */
  newest_at: number;
  has_summary: boolean;
  /** Retries, each tried alone. */
  is_retry: boolean;
  is_completed: boolean;
}

/** A claimed job with its event. */
export interface LeasedJob {
  id: string;
  seq: number;
  source_type: "agent_event" | "session_summary";
  source_id: string;
  attempts: number;
  event_type: string | null;
  payload: Json;
  /** The event's position in the session; null for a job without an event. */
  event_seq: number | null;
  occurred_at_epoch: number;
}

export interface LeasedBatch extends ProjectScope {
  lease_token: string;
  project: string;
  session_id: string | null;
  session: { seq: number; content_session_id: string; status: "active" | "completed"; prompt: Json } | null;
  jobs: LeasedJob[];
  recent_titles: string[];
  /** The events before the last job in the session, where it ends a turn. */
  turn_events: readonly TurnEvent[] | undefined;
}

/** A team's queued jobs, by the database's clock (epoch milliseconds). */
export interface TeamWork {
  now: number;
  /** Due jobs by session, the longest due first. */
  waiting: WaitingJobs[];
  /** When the next job becomes due, or null. */
  next_at: number | null;
}

export function teamWork(app: Connections, team_id: string): Promise<TeamWork> {
  return inTenant(app, { team_id, project_id: null }, async (connection) => {
    const { rows } = await connection.query<TeamWork>({
      name: "team-work",
      text: waitingText,
      values: [team_id],
    });
    return rows[0] ?? { now: 0, waiting: [], next_at: null };
  });
}

// A summary waits for the events before it.
const isDue = `j.status = 'queued' and j.next_attempt_at <= now()
  and (j.source_type = 'agent_event' or not exists (
    select 1 from generation_jobs e
    where e.team_id = $1 and e.project_id = j.project_id and e.session_id = j.session_id
      and e.source_type = 'agent_event' and e.status in ('queued', 'processing') and e.seq < j.seq))`;

// Enough to find due groups, and the newest jobs behind any backlog; later tasks find the others.
const oldestRead = 400;
const newestRead = 100;

const dueJobs = (direction: "" | "desc", limit: number): string => `(
  select j.seq, j.project_id, j.session_id, j.source_type, j.attempts, j.created_at, j.next_attempt_at
  from generation_jobs j
  where j.team_id = $1 and ${isDue}
  order by j.next_attempt_at ${direction}, j.seq ${direction}
  limit ${limit})`;

const waitingText = `
  with due as (${dueJobs("", oldestRead)} union ${dueJobs("desc", newestRead)}),
  grouped as (
    select d.project_id, d.session_id, s.seq as session_seq, count(*)::int as count,
      (extract(epoch from case when d.session_id is null then min(d.created_at) else max(d.created_at) end) * 1000)::float8 as newest_at,
      bool_or(d.source_type = 'session_summary') as has_summary,
      bool_and(d.attempts > 0) as is_retry,
      coalesce(s.status = 'completed', false) as is_completed,
      min(d.next_attempt_at) as first
    from due d
    left join sessions s on s.team_id = $1 and s.project_id = d.project_id and s.id = d.session_id
    group by d.project_id, d.session_id, s.seq, s.status)
  select
    (extract(epoch from now()) * 1000)::float8 as now,
    coalesce((select json_agg(g order by g.first) from grouped g), '[]') as waiting,
    (select (extract(epoch from min(next_attempt_at)) * 1000)::float8 from generation_jobs
      where team_id = $1 and status = 'queued' and next_attempt_at > now()) as next_at`;

export interface Claim extends ProjectScope {
  /** Null claims jobs without a session. */
  session_id: string | null;
  /** Jobs without a session: the newest first, retries last. Jobs of a session are claimed in order. */
  newestFirst: boolean;
  lease_token: string;
  worker: string;
  leaseMs: number;
  limit: number;
}

/** Claims due jobs of one session, or jobs without one; null when other workers were faster. */
export function claimJobs(app: Connections, claim: Claim): Promise<LeasedBatch | null> {
  const { team_id, project_id, session_id } = claim;
  return inTenant(app, { team_id, project_id }, async (connection) => {
    const how = session_id !== null ? "session" : claim.newestFirst ? "newest" : "oldest";
    const values = [team_id, project_id, claim.limit, claim.lease_token, claim.leaseMs, claim.worker];
    const { rowCount } = await connection.query({
      name: `claim-${how}`,
      text: claimTexts[how],
      values: session_id === null ? values : [...values, session_id],
    });
    if (rowCount === 0) return null;
    const { rows } = await connection.query<StoredBatch>({
      name: "leased-batch",
      text: batchText,
      values: [team_id, project_id, claim.lease_token, session_id],
    });
    const [batch] = rows;
    if (batch === undefined) return null;
    const turn_events = await turnOf(connection, claim, batch);
    return { ...batch, team_id, project_id, lease_token: claim.lease_token, turn_events };
  });
}

type StoredBatch = Omit<LeasedBatch, "lease_token" | "team_id" | "project_id" | "turn_events">;

async function turnOf(connection: Queryable, scope: ProjectScope, { session_id, jobs }: StoredBatch) {
  const last = jobs.at(-1);
  if (session_id === null || last === undefined) return undefined;
  const { source_type, event_type, event_seq } = last;
  const endsTurn = source_type === "session_summary" || (event_type !== null && isClosingEvent(event_type));
  return endsTurn ? eventsOfTurn(connection, scope, { session_id, before: event_seq }) : undefined;
}

interface ClaimOrder {
  whose: string;
  first: "retried" | "fresh";
  direction: "" | "desc";
  /** A summary ends its batch: the titles of the next turn begin behind it. */
  endsWithSummary: boolean;
}

// Requests a summary: the end of a session, or an event that ends a turn.
const endsTurn = (job: string): string =>
  `(${job}.source_type = 'session_summary' or coalesce(e.event_type ~* '${closingEventPattern}', false))`;

const eventOf = (job: string): string =>
  `left join agent_events e on e.team_id = $1 and e.project_id = $2 and e.id = ${job}.source_id`;

// A retry is tried alone, so that its neighbors do not fail with it. The order is that of the index, including the session:
// only then the first rows are found without reading all.
function claimText({ whose, first, direction, endsWithSummary }: ClaimOrder): string {
  const found = (attempts: string, limit: string) => `
    select j.id, j.seq, j.source_type, j.source_id
    from generation_jobs j
    where j.team_id = $1 and j.project_id = $2 and ${whose} and ${attempts} and ${isDue}
    order by j.session_id ${direction}, j.seq ${direction}
    limit ${limit}
    for update of j skip locked`;
  const second = first === "retried" ? "fresh" : "retried";
  const ending = `select min(f.seq) from found f ${eventOf("f")} where ${endsTurn("f")}`;
  return `
  with retried as (${found("j.attempts > 0", "1")}),
  found as (${found("j.attempts = 0", "$3")}),
  fresh as (select id from found${endsWithSummary ? ` where seq <= coalesce((${ending}), seq)` : ""}),
  chosen as (
    select id from ${first}
    union all
    select id from ${second} where not exists (select from ${first}))
  update generation_jobs j
  set status = 'processing', attempts = j.attempts + 1, lease_token = $4::uuid,
    lease_expires_at = now() + $5 * interval '1 millisecond', locked_by = $6, updated_at = now()
  from chosen
  where j.team_id = $1 and j.project_id = $2 and j.id = chosen.id`;
}

const loose = "j.session_id is null";

const claimTexts = {
  session: claimText({ whose: "j.session_id = $7", first: "retried", direction: "", endsWithSummary: true }),
  oldest: claimText({ whose: loose, first: "retried", direction: "", endsWithSummary: false }),
  newest: claimText({ whose: loose, first: "fresh", direction: "desc", endsWithSummary: false }),
};

const titlesForSummary = 30;

// With a summary: only titles that no summary covers yet, in the order of the jobs, not of the stored records.
const batchText = `
  with claimed as (
    select min(j.seq) as first, bool_or(${endsTurn("j")}) as summarizes
    from generation_jobs j
    ${eventOf("j")}
    where j.team_id = $1 and j.project_id = $2 and j.lease_token = $3 and j.status = 'processing'),
  made as (
    select o.seq, o.title, o.kind, j.seq as job
    from observations o
    join generation_jobs j on j.team_id = $1 and j.project_id = $2 and j.id = o.created_by_job_id
    where o.team_id = $1 and o.project_id = $2 and o.session_id = $4 and j.seq < (select first from claimed))
  select
    p.name as project,
    $4::uuid as session_id,
    (select json_build_object(
        'seq', s.seq, 'content_session_id', s.content_session_id, 'status', s.status,
        'prompt', (
          select json_build_object('event_type', e.event_type, 'payload', e.payload)
          from agent_events e
          where e.team_id = $1 and e.project_id = $2 and e.session_id = s.id
            and e.event_type ~* '${promptEventPattern}'
          order by e.seq desc
          limit 1))
      from sessions s
      where s.team_id = $1 and s.project_id = $2 and s.id = $4) as session,
    (select json_agg(json_build_object(
        'id', j.id, 'seq', j.seq, 'source_type', j.source_type, 'source_id', j.source_id,
        'attempts', j.attempts - 1, 'event_type', e.event_type, 'payload', e.payload, 'event_seq', e.seq,
        'occurred_at_epoch', (extract(epoch from coalesce(e.occurred_at, j.created_at)) * 1000)::bigint)
        order by j.seq)
      from generation_jobs j
      left join agent_events e on e.team_id = $1 and e.project_id = $2 and e.id = j.source_id
      where j.team_id = $1 and j.project_id = $2 and j.lease_token = $3 and j.status = 'processing') as jobs,
    coalesce((select json_agg(title) from (
      (select o.title
      from observations o
      where o.team_id = $1 and o.project_id = $2 and o.session_id = $4 and o.kind = 'observation'
        and not (select summarizes from claimed)
      order by o.seq desc
      limit ${titlesForSummary})
      union all
      (select title
      from made
      where kind = 'observation' and (select summarizes from claimed)
        and job > coalesce((select max(job) from made where kind = 'session_summary'), 0)
      order by seq desc
      limit ${titlesForSummary})) newest), '[]') as recent_titles
  from projects p
  where p.team_id = $1 and p.id = $2`;

/** Renews the lease for `leaseMs`; false when it is lost. */
export async function keepLease(
  app: Connections,
  { team_id, project_id, lease_token }: ProjectScope & { lease_token: string },
  leaseMs: number,
): Promise<boolean> {
  return inTenant(app, { team_id, project_id }, async (connection) => {
    const { rowCount } = await connection.query({
      name: "keep-lease",
      text: `update generation_jobs
        set lease_expires_at = now() + $4 * interval '1 millisecond'
        where team_id = $1 and project_id = $2 and lease_token = $3 and status = 'processing'`,
      values: [team_id, project_id, lease_token, leaseMs],
    });
    return (rowCount ?? 0) > 0;
  });
}

/** As `Release`, with the error for the team. */
export type JobRelease =
  | { kind: "give_back" }
  | { kind: "later" | "retry"; at: number; error: { code: string; message: string } }
  | { kind: "failed"; error: { code: string; message: string } };

/** Releases one job; does nothing when the lease is lost. */
export async function releaseJob(
  connection: Queryable,
  { team_id, project_id, lease_token, job_id }: ProjectScope & { lease_token: string; job_id: string },
  release: JobRelease,
): Promise<void> {
  const failed = release.kind === "failed";
  // Otherwise it is given back as if it had not been claimed.
  const counts = release.kind === "retry" || failed;
  await connection.query({
    name: "release-job",
    text: `update generation_jobs
      set status = case when $5 then 'failed' else 'queued' end,
        failed_at = case when $5 then now() end,
        attempts = attempts - case when $6 then 0 else 1 end,
        next_attempt_at = coalesce(to_timestamp($7::float8 / 1000), now()),
        last_error = coalesce($8::jsonb, last_error),
        lease_token = null, lease_expires_at = null, locked_by = null, updated_at = now()
      where team_id = $1 and project_id = $2 and lease_token = $3 and id = $4 and status = 'processing'`,
    values: [
      team_id,
      project_id,
      lease_token,
      job_id,
      failed,
      counts,
      "at" in release ? release.at : null,
      "error" in release ? JSON.stringify(release.error) : null,
    ],
  });
}

/** Requests a task of the team, now or at an epoch in milliseconds. */
export async function requestTask(system: Queryable, team_id: string, at?: number): Promise<void> {
  await system.query({
    name: "request-turn",
    text: "select request_turn($1, to_timestamp($2::float8 / 1000))",
    values: [team_id, at ?? null],
  });
}

/**
 * Queues the jobs of dead workers again, deletes their locked tasks, and requests a task for every team with due jobs. A
 * job that was claimed `mostClaims` times fails. As `mem_system`; returns the number of freed jobs.
 */
export function sweepJobs(system: Connections, mostClaims: number): Promise<number> {
  return inTransaction(system, async (connection) => {
    const { rowCount } = await connection.query({
      name: "free-expired",
      text: `update generation_jobs
        set status = case when attempts >= $1 then 'failed' else 'queued' end,
          failed_at = case when attempts >= $1 then now() end,
          last_error = case when attempts >= $1 then $2::jsonb else last_error end,
          lease_token = null, lease_expires_at = null, locked_by = null, updated_at = now()
        where id in (
          select id from generation_jobs
          where status = 'processing' and lease_expires_at < now()
          order by lease_expires_at
          limit 1000
          for update skip locked)`,
      values: [mostClaims, JSON.stringify(diedTooOften)],
    });
    await connection.query({ name: "delete-left-turns", text: "select delete_left_turns('15 minutes')" });
    await connection.query({
      name: "request-due-turns",
      text: `select request_turn(team_id)
        from (
          select distinct team_id from generation_jobs
          where status = 'queued' and next_attempt_at <= now()
          -- In the order in which storing events locks them.
          order by team_id) due`,
    });
    return rowCount ?? 0;
  });
}

const diedTooOften = {
  code: "internal",
  message: "The process that worked on it ended each time.",
};
