// Projects of a team. A purge of its memory keeps the project.
import type { AuditRow } from "../../core/records/audit.ts";
import type { HostedProject, Tenant } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import { insertAudit } from "./audit.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Connections } from "./open.ts";
import { inTenant, rowsInTenant } from "./tenant.ts";

/** The project, if it is one of the tenant's. */
export async function findProject(
  app: Connections,
  tenant: Tenant,
  id: string,
): Promise<HostedProject | undefined> {
  const rows = await rowsInTenant<HostedProject>(app, tenant, {
    name: "project by id",
    text: `select ${columns}
      from projects
      where team_id = $1 and ($2::uuid is null or id = $2) and id = $3`,
    values: [id],
  });
  return rows[0];
}

/** The id of the team's project with this name. */
export async function findProjectId(
  app: Connections,
  tenant: Tenant,
  name: string,
): Promise<string | undefined> {
  const rows = await rowsInTenant<{ id: string }>(app, tenant, {
    text: "select id from projects where team_id = $1 and ($2::uuid is null or id = $2) and name = $3",
    values: [name],
  });
  return rows[0]?.id;
}

/** Projects in the order of their names, after the name `after`. */
export async function listProjects(
  app: Connections,
  tenant: Tenant,
  page: { after: string; limit: number },
): Promise<HostedProject[]> {
  return rowsInTenant(app, tenant, {
    text: `select ${columns}
      from projects
      where team_id = $1 and ($2::uuid is null or id = $2) and name > $3
      order by name
      limit $4`,
    values: [page.after, page.limit],
  });
}

/** Creates a project with an audit row; undefined when the team has one with this name. */
export function createProject(
  app: Connections,
  tenant: Tenant,
  { project, by }: { project: { id: string; name: string; metadata: JsonObject }; by: Actor },
): Promise<HostedProject | undefined> {
  const { team_id } = tenant;
  return inTenant(app, tenant, async (connection) => {
    const { rows } = await connection.query<HostedProject>({
      text: `insert into projects (id, team_id, name, metadata)
        values ($1, $2, $3, $4)
        on conflict (team_id, name) do nothing
        returning ${columns}`,
      values: [project.id, team_id, project.name, JSON.stringify(project.metadata)],
    });
    if (rows[0] !== undefined) await insertAudit(connection, projectCreated({ team_id, ...project }, by));
    return rows[0];
  });
}

/** Who acted, for the audit log. */
type Actor = Pick<AuditRow, "api_key_id" | "request_id">;

/** The audit row of a new project. */
export function projectCreated({ id, team_id }: { id: string; team_id: string }, by: Actor): AuditRow {
  const what = { action: "project.created", resource_type: "project", resource_id: id };
  return { ...by, ...what, team_id, project_id: id, details: {} };
}

const columns = `id, team_id, name, metadata,
  ${epochMs("created_at")} as created_at_epoch,
  ${epochMs("updated_at")} as updated_at_epoch`;
