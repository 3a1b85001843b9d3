// What `mem server migrate` and `mem server status` do: look at the database, bring it up to date, without serving.

import type { Log } from "../core/log.ts";
import { createStderrLog } from "../core/log.ts";
import type { VectorStatus } from "../core/records/vector-status.ts";
import { version } from "../core/version.ts";
import { serverEmbedderSettings } from "../generate/model/embedders.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { ServerSettings } from "../settings/server.ts";
import { migrateServer, schemaVersionOf, serverSchemaVersion } from "../store/postgres/migrate.ts";
import { type Database, openDatabase } from "../store/postgres/open.ts";
import { type ServerCounts, serverCounts } from "../store/postgres/server-counts.ts";
import { hostedVectorStatus, prepareHostedVectors } from "./hosted-vectors.ts";
import { findServerDatabase, type ServerDatabase } from "./own-database.ts";
import { findPrivatePostgres } from "./private-postgres.ts";

export interface AdministerOptions {
  settings: LoadedSettings;
  server: ServerSettings;
}

/** Schema versions before and after, and what was applied. */
export interface Migrated {
  database: ServerDatabase["described"];
  from: number;
  to: number;
  applied: number[];
  /** Whether there is a search by meaning: `on`, or `off` and why. */
  vectors: string;
}

/** Applies what is missing; a private PostgreSQL is started for as long as it takes. */
export function migrateNow(options: AdministerOptions): Promise<Migrated> {
  return withDatabase(options, async ({ owner }, { described }) => {
    const from = await schemaVersionOf(owner);
    const applied = await migrateServer(owner, version());
    const vectors = await prepareHostedVectors(owner, serverEmbedderSettings(options.server));
    return { database: described, from, to: await schemaVersionOf(owner), applied, vectors };
  });
}

/** How the database is: its schema, what is stored, what waits. */
export interface ServerStatus {
  database: "named" | "private" | "not running";
  /** The version is null where nobody could be asked. */
  schema: { version: number | null; expected: number };
  counts: ServerCounts | null;
  /** Days that raw events, prompts among them, are kept where a team says nothing else. */
  eventRetentionDays: number;
  vectors: VectorStatus | null;
}

/** Looks, and starts nothing: a private PostgreSQL that does not run is said not to run. */
export async function lookAtServer(options: AdministerOptions): Promise<ServerStatus> {
  const { settings, server } = options;
  const isNamed = server.get("MEM_DATABASE_URL").isSet;
  const expected = serverSchemaVersion;
  const eventRetentionDays = server.get("MEM_EVENT_RETENTION_DAYS");
  if (!isNamed && findPrivatePostgres(settings.dataDir) === undefined) {
    return {
      database: "not running",
      schema: { version: null, expected },
      counts: null,
      eventRetentionDays,
      vectors: null,
    };
  }
  return withDatabase(options, async ({ owner, system }) => {
    const schema = { version: await schemaVersionOf(owner), expected };
    const isMade = schema.version !== 0;
    return {
      database: isNamed ? "named" : "private",
      schema,
      counts: isMade ? await serverCounts(system) : null,
      eventRetentionDays,
      vectors: isMade ? await hostedVectorStatus({ owner, system }, serverEmbedderSettings(server)) : null,
    };
  });
}

/** Runs `work` on the server's database; a private PostgreSQL that does not run is started for as long as it takes. */
export async function withDatabase<T>(
  { settings, server }: AdministerOptions,
  work: (database: Database, found: ServerDatabase) => Promise<T>,
): Promise<T> {
  const { log } = createStderrLog("ERROR");
  const found = await findServerDatabase({
    named: server.get("MEM_DATABASE_URL").reveal(),
    dataDir: settings.dataDir,
    log,
    isBrief: true,
    onLost: sayLost(log),
  });
  const database = openDatabase({ url: found.url, max: 2, onConnectionLost: () => undefined });
  try {
    return await work(database, found);
  } finally {
    await database.close();
    await found.stop();
  }
}

// The statement that waits for it fails by itself, and says so to the person.
function sayLost(log: Log): (cause: Error) => void {
  return (cause) => log.error({ err: cause }, "the private PostgreSQL is lost");
}
