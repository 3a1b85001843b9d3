// Teams and their projects.

import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import { insertAudit } from "./audit.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTransaction } from "./tenant.ts";

/** The id of the team with this name; created if missing. As `mem_system`. */
export async function ensureTeam(system: Queryable, team: { id: string; name: string }): Promise<string> {
  const { rows } = await system.query<{ id: string }>({
    text: `insert into teams (id, name)
      values ($1, $2)
      on conflict (name) do update set updated_at = teams.updated_at
      returning id`,
    values: [team.id, team.name],
  });
  return onlyId(rows);
}

/** As `mem_system`. */
export async function teamExists(system: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await system.query({ text: "select from teams where name = $1", values: [name] });
  return (rowCount ?? 0) > 0;
}

/** The id of the team's project with this name; created if missing. As `mem_system`. */
export async function ensureProject(
  system: Queryable,
  project: { id: string; team_id: string; name: string },
): Promise<string> {
  const { rows } = await system.query<{ id: string }>({
    text: `insert into projects (id, team_id, name)
      values ($1, $2, $3)
      on conflict (team_id, name) do update set updated_at = projects.updated_at
      returning id`,
    values: [project.id, project.team_id, project.name],
  });
  return onlyId(rows);
}

/**
 * Deletes a project without records, and its team with `withTeam`; returns false and changes nothing when they have
 * records by now. As `mem_system`.
 */
export async function removeEmptyProject(
  system: Connections,
  { team_id, project_id }: ProjectScope,
  withTeam: boolean,
): Promise<boolean> {
  try {
    await inTransaction(system, async (connection) => {
      await connection.query({
        text: "delete from projects where team_id = $1 and id = $2",
        values: [team_id, project_id],
      });
      // The audit rows stay as long as there is a team that can read them.
      const what = { action: "project.removed", resource_type: "project", resource_id: project_id };
      const by = { api_key_id: null, request_id: null, details: { reason: "its import failed" } };
      if (!withTeam) return insertAudit(connection, { team_id, project_id, ...what, ...by });
      await connection.query({ text: "delete from audit_log where team_id = $1", values: [team_id] });
      await connection.query({ text: "delete from teams where id = $1", values: [team_id] });
    });
    return true;
  } catch (cause) {
    const foreignKey = "23503";
    if (cause instanceof MemError && codeOf(cause.cause) === foreignKey) return false;
    throw cause;
  }
}

function onlyId(rows: { id: string }[]): string {
  const [row] = rows;
  if (row === undefined) throw new MemError("internal", { message: "The database returned no row." });
  return row.id;
}

export interface Team {
  id: string;
  name: string;
  /** Retention of raw events in days; null is the server's setting. */
  retention_days: number | null;
  created_at_epoch: number;
}

/** The tenant's team. */
export async function teamById(connection: Queryable, { team_id }: Tenant): Promise<Team> {
  const { rows } = await connection.query<Team>({
    text: `select id, name, retention_days, ${epochMs("created_at")} as created_at_epoch
      from teams
      where id = $1`,
    values: [team_id],
  });
  const [team] = rows;
  if (team === undefined) throw new MemError("internal", { message: "The caller's team is gone." });
  return team;
}

export async function setRetention(
  connection: Queryable,
  { team_id }: Tenant,
  days: number | null,
): Promise<void> {
  await connection.query({
    text: "update teams set retention_days = $2, updated_at = now() where id = $1",
    values: [team_id, days],
  });
}
