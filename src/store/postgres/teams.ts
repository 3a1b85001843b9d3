// Teams and their projects.
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
