// Teams and their projects.
import type { Tenant } from "../../domain/tenancy.ts";
import { MemError } from "../../errors.ts";
import type { Queryable } from "./open.ts";

/** The id of the team of that name, made when there is none. As `mem_system`. */
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

/** The id of the team's project of that name, made when there is none. As `mem_system`. */
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

function onlyId(rows: { id: string }[]): string {
  const [row] = rows;
  if (row === undefined) throw new MemError("internal", { message: "The database returned no row." });
  return row.id;
}

export interface Team {
  id: string;
  name: string;
  /** Days that raw events are kept; null is the server's setting. */
  retention_days: number | null;
  created_at_epoch: number;
}

/** The tenant's own team. */
export async function teamById(connection: Queryable, { team_id }: Tenant): Promise<Team> {
  const { rows } = await connection.query<Team>({
    text: `select id, name, retention_days, floor(extract(epoch from created_at) * 1000)::float8 as created_at_epoch
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
