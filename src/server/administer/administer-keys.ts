// `mem keys` on the server's host: the first key, keys of every team, revocation. Access to the database is the permission.
import { type Clock, isoTime } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import { scopes as everyScope, type Scope } from "../../core/records/tenancy.ts";
import {
  insertKey,
  listAllKeys,
  type NamedKey,
  revokeKey,
  teamOfKey,
} from "../../store/postgres/api-keys.ts";
import { insertAudit } from "../../store/postgres/audit.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { teamExists } from "../../store/postgres/teams.ts";
import { inTransaction } from "../../store/postgres/tenant.ts";
import { freshKey } from "../../tenancy/keys/new-key.ts";
import { labelOf } from "../keys.ts";
import {
  type AdministerOptions,
  demandCluster,
  ensureNamedProject,
  ensureNamedTeam,
  parseName,
  withMigrated,
} from "./administer.ts";

export interface FirstKey {
  team: string;
  /** Left out, the key reaches every project of the team. */
  project: string | undefined;
  scopes: readonly Scope[];
  expiresInDays: number;
  label: string;
}

/** Output of `mem keys create --json`; the key itself is shown only this once. */
export interface CreatedKey {
  id: string;
  apiKey: string;
  teamId: string;
  projectId: string | null;
  scopes: readonly Scope[];
  expiresAt: string;
}

/** Creates a key, and its team and project if there are none of the name. */
export function createKeyNow(options: AdministerOptions, wish: FirstKey, clock: Clock): Promise<CreatedKey> {
  const help = "See `mem keys create --help`.";
  const team = parseName("team", wish.team, help);
  const project = wish.project === undefined ? undefined : parseName("project", wish.project, help);
  return withMigrated(options, ({ system }) =>
    inTransaction(system, async (connection) => {
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
    }),
  );
}

const noServer = {
  message: "No server database exists on this machine, so there are no keys.",
  hint: "Set MEM_DATABASE_URL to the server's, or create the first key with `mem keys create`.",
};

/** Keys of every team, or of one. Throws `not_found` when no server has run yet, or no team has the name. */
export function listKeysNow(options: AdministerOptions, team: string | undefined): Promise<NamedKey[]> {
  demandCluster(options, noServer);
  return withMigrated(options, async ({ system }) => {
    if (team !== undefined && !(await teamExists(system, team))) {
      throw new MemError("not_found", {
        message: `No team named \`${team}\`.`,
        hint: "`mem keys list` lists the keys of every team.",
      });
    }
    return listAllKeys(system, team);
  });
}

/** Revokes a key and its descendants; returns the ids of those that were active. Throws `not_found`. */
export function revokeKeyNow(options: AdministerOptions, id: string): Promise<string[]> {
  demandCluster(options, noServer);
  return withMigrated(options, ({ system }) => revokeAnywhere(system, id));
}

async function revokeAnywhere(system: Connections, id: string): Promise<string[]> {
  const team_id = await teamOfKey(system, id);
  if (team_id === undefined) {
    throw new MemError("not_found", {
      message: "No key has this id.",
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
