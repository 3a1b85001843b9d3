// `mem server migrate` and `mem server status`, and what the commands on the server's host share.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MemError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { createStderrLog } from "../../core/log.ts";
import type { VectorStatus } from "../../core/records/vector-status.ts";
import { version } from "../../core/version.ts";
import { serverEmbedderSettings } from "../../generate/model/embedders.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { ServerSettings } from "../../settings/server.ts";
import { insertAudit } from "../../store/postgres/audit.ts";
import { migrateServer, schemaVersionOf, serverSchemaVersion } from "../../store/postgres/migrate.ts";
import { type Database, openDatabase, type Queryable } from "../../store/postgres/open.ts";
import { projectCreated } from "../../store/postgres/projects.ts";
import { type ServerCounts, serverCounts } from "../../store/postgres/server-counts.ts";
import { ensureProject, ensureTeam } from "../../store/postgres/teams.ts";
import { labelOf } from "../keys.ts";
import { findServerDatabase, type ServerDatabase } from "../postgres/own-database.ts";
import { findPrivatePostgres } from "../postgres/private-postgres.ts";
import { hostedVectorStatus, prepareHostedVectors } from "../vectors/hosted-vectors.ts";

export interface AdministerOptions {
  settings: LoadedSettings;
  server: ServerSettings;
  /** Prints a line for the operator. */
  say?(line: string): void;
}

/** Schema versions before and after, and the migrations that were applied. */
export interface Migrated {
  database: ServerDatabase["described"];
  from: number;
  to: number;
  applied: number[];
  /** State of the search by meaning: `on`, or `off` and why. */
  vectors: string;
}

/** Applies missing migrations. */
export function migrateNow(options: AdministerOptions): Promise<Migrated> {
  return withDatabase(options, async ({ owner }, { described }) => {
    const from = await schemaVersionOf(owner);
    const applied = await migrateServer(owner, version(), options);
    const vectors = await prepareHostedVectors(owner, serverEmbedderSettings(options.server));
    return { database: described, from, to: await schemaVersionOf(owner), applied, vectors };
  });
}

/** State of the database: its schema, what is stored, what waits. */
export interface ServerStatus {
  database: "named" | "private" | "not running";
  /** The version is null when no database runs. */
  schema: { version: number | null; expected: number };
  counts: ServerCounts | null;
  /** Days that raw events, prompts among them, are kept unless a team sets its own. */
  eventRetentionDays: number;
  vectors: VectorStatus | null;
}

/** Reads the status; does not start a private PostgreSQL. */
export async function lookAtServer(options: AdministerOptions): Promise<ServerStatus> {
  const { settings, server } = options;
  const isNamed = server.get("MEM_DATABASE_URL").isSet;
  const expected = serverSchemaVersion;
  const eventRetentionDays = server.get("MEM_EVENT_RETENTION_DAYS");
  if (!isNamed && findPrivatePostgres(settings.dataDir) === undefined) {
    const schema = { version: null, expected };
    return { database: "not running", schema, counts: null, eventRetentionDays, vectors: null };
  }
  return withDatabase(options, async ({ owner, system }) => {
    const schema = { version: await schemaVersionOf(owner), expected };
    const isMigrated = schema.version !== 0;
    return {
      database: isNamed ? "named" : "private",
      schema,
      counts: isMigrated ? await serverCounts(system) : null,
      eventRetentionDays,
      vectors: isMigrated
        ? await hostedVectorStatus({ owner, system }, serverEmbedderSettings(server))
        : null,
    };
  });
}

/** Runs `work` on the server's database, migrated; starts a private PostgreSQL for that time if none runs. */
export function withMigrated<T>(
  options: AdministerOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return withDatabase(options, async (database) => {
    await migrateServer(database.owner, version(), options);
    return work(database);
  });
}

async function withDatabase<T>(
  { settings, server, say }: AdministerOptions,
  work: (database: Database, found: ServerDatabase) => Promise<T>,
): Promise<T> {
  const { log } = createStderrLog("ERROR");
  const found = await findServerDatabase({
    named: server.get("MEM_DATABASE_URL").reveal(),
    dataDir: settings.dataDir,
    log,
    isBrief: true,
    say,
    // The statement that waits for it fails, and its error reaches the user.
    onLost: (cause) => log.error({ err: cause }, "the private PostgreSQL is lost"),
  });
  const database = openDatabase({ url: found.url, max: 2, onConnectionLost: () => undefined });
  try {
    return await work(database, found);
  } finally {
    await database.close();
    await found.stop();
  }
}

/** Throws `not_found` when no server has run here: creating a cluster to find it empty takes seconds and 40 MB. */
export function demandCluster(
  { settings, server }: AdministerOptions,
  refusal: { message: string; hint: string },
): void {
  if (server.get("MEM_DATABASE_URL").isSet) return;
  if (existsSync(join(settings.dataDir, "postgres", "cluster", "PG_VERSION"))) return;
  throw new MemError("not_found", refusal);
}

const maxNameChars = 200;

/** The name of a team or project, cleaned. Throws `usage`. */
export function parseName(what: "team" | "project", text: string, hint: string): string {
  const name = labelOf(text);
  if (name !== "" && name.length <= maxNameChars) return name;
  throw new MemError("usage", {
    message: `The name of the ${what} must have 1 to ${maxNameChars} characters.`,
    hint,
  });
}

const host = { api_key_id: null, request_id: null };

/** Finds the team or creates it, with an audit row. As `mem_system`, in a transaction. */
export async function ensureNamedTeam(
  system: Queryable,
  name: string,
): Promise<{ id: string; isNew: boolean }> {
  const newTeam = newId();
  const id = await ensureTeam(system, { id: newTeam, name });
  const isNew = id === newTeam;
  if (isNew) {
    const what = { action: "team.created", resource_type: "team", resource_id: id };
    await insertAudit(system, { ...host, ...what, team_id: id, project_id: null, details: {} });
  }
  return { id, isNew };
}

/** Finds the project or creates it, with an audit row. As `mem_system`, in a transaction. */
export async function ensureNamedProject(
  system: Queryable,
  { team_id, name }: { team_id: string; name: string },
): Promise<{ id: string; isNew: boolean }> {
  const newProject = newId();
  const id = await ensureProject(system, { id: newProject, team_id, name });
  const isNew = id === newProject;
  if (isNew) await insertAudit(system, projectCreated({ id, team_id }, host));
  return { id, isNew };
}
