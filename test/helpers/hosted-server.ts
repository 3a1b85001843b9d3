// The hosted server on a database of the test file, and keys that open it.
import { afterAll } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { createStderrLog, type Log } from "../../src/core/log.ts";
import type { Scope } from "../../src/core/records/tenancy.ts";
import { buildServer, type HostedServer } from "../../src/server/build.ts";
import type { Environment } from "../../src/settings/environment.ts";
import { loadServerSettings } from "../../src/settings/server.ts";
import { insertKey } from "../../src/store/postgres/api-keys.ts";
import type { Database } from "../../src/store/postgres/open.ts";
import { ensureProject, ensureTeam } from "../../src/store/postgres/teams.ts";
import { freshKey } from "../../src/tenancy/keys/new-key.ts";
import { openTestDatabase } from "./postgres.ts";

export interface TestKey {
  id: string;
  apiKey: string;
  team_id: string;
  project_id: string | null;
}

export interface KeyKind {
  team?: string;
  /** The name of its project; left out, it reaches the whole team. */
  project?: string;
  scopes?: readonly Scope[];
  expiresInDays?: number;
  parent_id?: string;
}

export interface TestServer extends HostedServer {
  database: Database & { url: string };
  /** A key in the database; team and project are made when there are none of the name. */
  addKey(kind?: KeyKind): Promise<TestKey>;
}

/** The server, ready, closed after the last test. It asks for keys and limits no wrong ones unless `env` says else. */
export async function openTestServer(env: Environment = {}, log?: Log): Promise<TestServer> {
  const database = await openTestDatabase();
  const server = buildServer({
    database,
    role: "http",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key", MEM_AUTH_FAILURES_PER_MIN: "0", ...env }),
    log: log ?? createStderrLog("SILENT").log,
    clock: systemClock,
    address: () => ({ host: "127.0.0.1", port: 80 }),
  });
  await server.ready();
  afterAll(() => server.close());
  return { ...server, database, addKey: (kind) => addTestKey(database, kind) };
}

export async function addTestKey({ system }: Database, kind: KeyKind = {}): Promise<TestKey> {
  const { team = "team", project, scopes = ["memories:read", "memories:write"], expiresInDays = 90 } = kind;
  const team_id = await ensureTeam(system, { id: newId(), name: team });
  const project_id =
    project === undefined ? null : await ensureProject(system, { id: newId(), team_id, name: project });
  const made = freshKey(
    { team_id, project_id, scopes },
    { label: "", expiresInDays, now: systemClock.now() },
  );
  await insertKey(system, { ...made, parent_id: kind.parent_id ?? null });
  return { id: made.id, apiKey: made.apiKey, team_id, project_id };
}
