// What `mem keys` does on the server's host: the first key, lists over every team, revocation. The database is the permission.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, isoTime } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import { scopes as everyScope, type Scope } from "../core/records/tenancy.ts";
import { version } from "../core/version.ts";
import { insertKey, listAllKeys, type NamedKey, revokeKey, teamOfKey } from "../store/postgres/api-keys.ts";
import { insertAudit } from "../store/postgres/audit.ts";
import { migrateServer } from "../store/postgres/migrate.ts";
import type { Connections } from "../store/postgres/open.ts";
import { teamExists } from "../store/postgres/teams.ts";
import { inTransaction } from "../store/postgres/tenant.ts";
import { freshKey } from "../tenancy/keys/new-key.ts";
import { type AdministerOptions, withDatabase } from "./administer.ts";
import { ensureNamedProject, ensureNamedTeam } from "./ensure-home.ts";
import { labelOf } from "./key-ports.ts";

export interface FirstKey {
  team: string;
  /** Left out, the key reaches every project of the team. */
  project: string | undefined;
  scopes: readonly Scope[];
  expiresInDays: number;
  label: string;
}

/** What `mem keys create --json` prints; the text of the key is shown this once. */
export interface CreatedKey {
  id: string;
  apiKey: string;
  teamId: string;
  projectId: string | null;
  scopes: readonly Scope[];
  expiresAt: string;
}

/** Makes a key, and its team and project when there are none of the name. A private PostgreSQL is started if need be. */
export function createKeyNow(options: AdministerOptions, wish: FirstKey, clock: Clock): Promise<CreatedKey> {
  const team = nameOf("team", wish.team);
  const project = wish.project === undefined ? undefined : nameOf("project", wish.project);
  return withDatabase(options, async ({ owner, system }) => {
    await migrateServer(owner, version());
    return inTransaction(system, async (connection) => {
      const { id: team_id } = await ensureNamedTeam(connection, team);
      const project_id =
        project === undefined ? null : (await ensureNamedProject(connection, { team_id, name: project })).id;
      const made = freshKey(
        { team_id, project_id, scopes: wish.scopes },
        { label: labelOf(wish.label), expiresInDays: wish.expiresInDays, now: clock.now() },
      );
      await insertKey(connection, made);
      await insertAudit(connection, {
        ...{ team_id, project_id, api_key_id: null, request_id: null },
        ...{ action: "key.created", resource_type: "api_key", resource_id: made.id },
        details: { scopes: [...made.scopes], expiresAtEpoch: made.expires_at_epoch },
      });
      return {
        id: made.id,
        apiKey: made.apiKey,
        teamId: team_id,
        projectId: project_id,
        scopes: made.scopes,
        expiresAt: isoTime(made.expires_at_epoch),
      };
    });
  });
}

/** Keys of every team, or of the one of that name. Throws `not_found` where no server has run yet, or no team has it. */
export function listKeysNow(options: AdministerOptions, team: string | undefined): Promise<NamedKey[]> {
  demandServer(options);
  return withDatabase(options, async ({ owner, system }) => {
    await migrateServer(owner, version());
    if (team !== undefined && !(await teamExists(system, team))) {
      throw new MemError("not_found", {
        message: `There is no team named \`${team}\`.`,
        hint: "`mem keys list` lists the keys of every team.",
      });
    }
    return listAllKeys(system, team);
  });
}

/** Ends a key and every key that descends from it; the ids of those that lived. Throws `not_found`. */
export function revokeKeyNow(options: AdministerOptions, id: string): Promise<string[]> {
  demandServer(options);
  return withDatabase(options, async ({ owner, system }) => {
    await migrateServer(owner, version());
    return revokeAnywhere(system, id);
  });
}

async function revokeAnywhere(system: Connections, id: string): Promise<string[]> {
  const team_id = await teamOfKey(system, id);
  if (team_id === undefined) {
    throw new MemError("not_found", {
      message: "There is no key of that id.",
      hint: "`mem keys list` shows the ids.",
    });
  }
  return inTransaction(system, async (connection) => {
    const revokedIds = await revokeKey(connection, { team_id, project_id: null, scopes: everyScope }, id);
    if (revokedIds === undefined || revokedIds.length === 0) return [];
    await insertAudit(connection, {
      ...{ team_id, project_id: null, api_key_id: null, request_id: null },
      ...{ action: "key.revoked", resource_type: "api_key", resource_id: id },
      details: { revokedIds },
    });
    return revokedIds;
  });
}

// A cluster that is made only to be found empty would take seconds and 40 MB.
function demandServer({ settings, server }: AdministerOptions): void {
  if (server.get("MEM_DATABASE_URL").isSet) return;
  if (existsSync(join(settings.dataDir, "postgres", "cluster", "PG_VERSION"))) return;
  throw new MemError("not_found", {
    message: "No server has a database here, so there are no keys.",
    hint: "Set MEM_DATABASE_URL to the server's, or make the first key with `mem keys create`.",
  });
}

const maxNameChars = 200;

function nameOf(what: string, text: string): string {
  const name = labelOf(text);
  if (name !== "" && name.length <= maxNameChars) return name;
  throw new MemError("usage", {
    message: `The name of the ${what} must have 1 to ${maxNameChars} characters.`,
    hint: "See `mem keys create --help`.",
  });
}
