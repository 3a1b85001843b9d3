// Deletion, audit log and team settings in the store, in the tenant of the caller; the team of a server without keys.
import { newId } from "../core/ids.ts";
import { type Caller, scopes } from "../core/records/tenancy.ts";
import type { AuditPorts } from "../http/v1/audit.ts";
import type { DeletionPorts } from "../http/v1/deletion.ts";
import type { ProjectScopePorts } from "../http/v1/project-scope.ts";
import type { TeamPorts } from "../http/v1/team.ts";
import type { ServerSettings } from "../settings/server.ts";
import { insertAudit, readAudit } from "../store/postgres/audit.ts";
import { deleteObservation, purgeProject } from "../store/postgres/deletion.ts";
import type { Database } from "../store/postgres/open.ts";
import { ensureProject, ensureTeam, setRetention, teamById } from "../store/postgres/teams.ts";
import { inTenant } from "../store/postgres/tenant.ts";

export function createDeletion({ app }: Pick<Database, "app">, projects: ProjectScopePorts): DeletionPorts {
  const by = (caller: Caller, request_id: string) => ({ api_key_id: caller.key_id, request_id });
  return {
    ...projects,
    deleteMemory: (caller, id, requestId) =>
      deleteObservation(app, { tenant: caller, id, by: by(caller, requestId) }),
    purge: (caller, project_id, requestId) =>
      purgeProject(app, { tenant: caller, project_id, by: by(caller, requestId) }),
  };
}

export function createAudit({ app }: Pick<Database, "app">, { idOfName }: ProjectScopePorts): AuditPorts {
  return {
    idOfName,
    read: (caller, page) => inTenant(app, caller, (connection) => readAudit(connection, caller, page)),
  };
}

export function createTeam({ app }: Pick<Database, "app">, settings: ServerSettings): TeamPorts {
  const withDefault = (team: Awaited<ReturnType<typeof teamById>>) => ({
    ...team,
    effective_retention_days: team.retention_days ?? settings.get("MEM_EVENT_RETENTION_DAYS"),
  });
  return {
    find: async (caller) =>
      withDefault(await inTenant(app, caller, (connection) => teamById(connection, caller))),
    setRetention: (caller, days, request_id) =>
      inTenant(app, caller, async (connection) => {
        await setRetention(connection, caller, days);
        await insertAudit(connection, {
          team_id: caller.team_id,
          project_id: null,
          api_key_id: caller.key_id,
          action: "team.retention_changed",
          resource_type: "team",
          resource_id: caller.team_id,
          details: { retentionDays: days },
          request_id,
        });
        return withDefault(await teamById(connection, caller));
      }),
  };
}

export function createLocalTeam({ system }: Pick<Database, "system">) {
  let found: Promise<Caller> | undefined;

  async function make(): Promise<Caller> {
    const team_id = await ensureTeam(system, { id: newId(), name: "local" });
    await ensureProject(system, { id: newId(), team_id, name: "default" });
    return { team_id, project_id: null, key_id: null, scopes, expires_at_epoch: null };
  }

  return {
    caller(): Promise<Caller> {
      found ??= make().catch((cause: unknown) => {
        found = undefined;
        throw cause;
      });
      return found;
    },
  };
}
