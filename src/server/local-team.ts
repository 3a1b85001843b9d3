// The team of a server without keys; created at the first request, with a project.
import { newId } from "../core/ids.ts";
import { type Caller, scopes } from "../core/records/tenancy.ts";
import type { Database } from "../store/postgres/open.ts";
import { ensureProject, ensureTeam } from "../store/postgres/teams.ts";

export interface LocalTeam {
  caller(): Promise<Caller>;
}

export function createLocalTeam({ system }: Pick<Database, "system">): LocalTeam {
  let found: Promise<Caller> | undefined;

  async function make(): Promise<Caller> {
    const team_id = await ensureTeam(system, { id: newId(), name: "local" });
    await ensureProject(system, { id: newId(), team_id, name: "default" });
    return { team_id, project_id: null, key_id: null, scopes, expires_at_epoch: null };
  }

  return {
    caller() {
      found ??= make().catch((cause: unknown) => {
        found = undefined;
        throw cause;
      });
      return found;
    },
  };
}
