// A team and a project by their names, made on the server's host when there are none; what is made is written down.
import { newId } from "../core/ids.ts";
import { insertAudit } from "../store/postgres/audit.ts";
import type { Queryable } from "../store/postgres/open.ts";
import { projectCreated } from "../store/postgres/projects.ts";
import { ensureProject, ensureTeam } from "../store/postgres/teams.ts";

const host = { api_key_id: null, request_id: null };

/** The team's id, and whether it is new. As `mem_system`, in a transaction. */
export async function ensureNamedTeam(
  system: Queryable,
  name: string,
): Promise<{ id: string; made: boolean }> {
  const wished = newId();
  const id = await ensureTeam(system, { id: wished, name });
  const made = id === wished;
  if (made) {
    const what = { action: "team.created", resource_type: "team", resource_id: id };
    await insertAudit(system, { ...host, ...what, team_id: id, project_id: null, details: {} });
  }
  return { id, made };
}

/** The project's id, and whether it is new. As `mem_system`, in a transaction. */
export async function ensureNamedProject(
  system: Queryable,
  { team_id, name }: { team_id: string; name: string },
): Promise<{ id: string; made: boolean }> {
  const wished = newId();
  const id = await ensureProject(system, { id: wished, team_id, name });
  const made = id === wished;
  if (made) await insertAudit(system, projectCreated({ id, team_id }, host));
  return { id, made };
}
