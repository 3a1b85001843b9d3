// Statements: standing rules, salient statements, known fixes for a command, and records that a turn settles.
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import type { Observation, QuotedRecord } from "../../core/records/records.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { quotedColumns, recordColumns, stillHolds } from "./observations.ts";
import type { Queryable } from "./open.ts";
import { sources } from "./record-rows.ts";
import { rowsIn } from "./tenant.ts";

/** SQL, false for a rule of `observations o` that a user has not accepted: no agent gets it. */
export const notProposed =
  "(o.standing or o.statement_kind is null or o.statement_kind not in ('rule', 'preference'))";

/** Limits for the start of a session. */
export const maxStatements = 200;
export const maxRules = 400;

export const { standingRules, rulesAndProposals, salientStatements } = readersOf<HostedObservation>(
  "whole",
  recordColumns,
);

/** The same in shapes of the worker: what is quoted of a record, and the record of the `/api` routes. */
export const quotedStatements = readersOf<QuotedRecord>("quoted", `${quotedColumns}, o.summary`);
export const shownStatements = readersOf<Observation>(
  "shown",
  sources.observations.columns,
  "join projects p on p.team_id = $1 and p.id = o.project_id",
);

interface Reading {
  name: string;
  /** Conditions; the project comes first, beside the team. */
  where: string;
  order: string;
  limit: number;
}

function readersOf<R extends object>(shape: string, columns: string, join = "") {
  const rows = (connection: Queryable, scope: ProjectScope, { name, where, order, limit }: Reading) =>
    rowsIn<R>(connection, scope, {
      name: `${name}-${shape}`,
      text: `select ${columns}
        from observations o
        ${join}
        where o.team_id = $1 and ${where} and ${stillHolds}
        order by ${order}
        limit $3`,
      values: [limit],
    });
  return {
    /**
     * Active standing rules of the project, and rules for everywhere of the team's other projects, newest first. A
     * transaction of one project cannot see the latter.
     */
    standingRules: (connection: Queryable, scope: ProjectScope, limit: number): Promise<R[]> =>
      rows(connection, scope, {
        name: "standing-rules",
        where: "(o.project_id = $2 or o.reach = 'everywhere') and o.standing",
        order: "o.seq desc",
        limit,
      }),
    /** Active rules and preferences of the project with the proposed ones, newest first. */
    rulesAndProposals: (connection: Queryable, scope: ProjectScope, limit: number): Promise<R[]> =>
      rows(connection, scope, {
        name: "rules-and-proposals",
        where: "o.project_id = $2 and o.salience is not null and o.statement_kind in ('rule', 'preference')",
        order: "o.seq desc",
        limit,
      }),
    /** Active statements of the project without its rules, the most salient first. */
    salientStatements: (connection: Queryable, scope: ProjectScope, limit: number): Promise<R[]> =>
      rows(connection, scope, {
        name: "salient-statements",
        where: `o.project_id = $2 and o.salience is not null and not o.standing and ${notProposed}`,
        order: "o.salience desc, o.seq desc",
        limit,
      }),
  };
}

/** A known fix or a failure, with the requested command families that it is about. */
export type FixRecord = HostedObservation & { families: string[] };

/** Active fixes and failures of the command families, newest first. */
export function fixesOf(
  connection: Queryable,
  scope: ProjectScope,
  { families, limit }: { families: readonly string[]; limit: number },
): Promise<FixRecord[]> {
  return rowsIn(connection, scope, {
    name: "fixes-of",
    text: `select ${recordColumns}, fix.families
      from (
        select f.observation_id, array_agg(f.family) as families
        from fix_commands f
        where f.team_id = $1 and f.project_id = $2 and f.family = any ($3::text[])
        group by f.observation_id
      ) fix
      join observations o on o.team_id = $1 and o.project_id = $2 and o.id = fix.observation_id
      where ${stillHolds}
      order by o.created_at desc, o.seq desc
      limit $4`,
    values: [families, limit],
  });
}

/**
 * Marks records made only from these events as routine; of those that a model wrote, only changes. Inside the caller's
 * transaction.
 */
export async function markSettled(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  events: readonly string[],
): Promise<void> {
  if (events.length === 0) return;
  // A source without a job is cited by a statement.
  await connection.query({
    name: "mark-settled",
    text: `update observations o
      set routine = true, updated_at = now()
      where o.team_id = $1 and o.project_id = $2 and o.kind = 'observation' and not o.routine and o.said_by is null
        and (o.generator = 'local' or o.obs_type = 'change')
        and o.id in (
          select s.observation_id
          from observation_sources s
          where s.team_id = $1 and s.project_id = $2 and s.source_id = any ($3::uuid[])
            and s.generation_job_id is not null)
        and not exists (
          select
          from observation_sources other
          where other.team_id = $1 and other.project_id = $2 and other.observation_id = o.id
            and other.generation_job_id is not null and other.source_id <> all ($3::uuid[]))`,
    values: [team_id, project_id, events],
  });
}
