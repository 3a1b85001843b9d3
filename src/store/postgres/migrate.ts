// Migrates the server's database; concurrent starts wait for each other.
import { runMigrations } from "graphile-worker";
import type { Pool, PoolClient } from "pg";
import { codeOf } from "../../core/error-code.ts";
import { failOpen, MemError } from "../../core/errors.ts";
import tenancy from "./migrations/0001-tenancy.sql";
import memory from "./migrations/0002-memory.sql";
import usageAndAudit from "./migrations/0003-usage-and-audit.sql";
import rights from "./migrations/0004-rights.sql";
import turns from "./migrations/0005-turns.sql";
import ingest from "./migrations/0006-ingest.sql";
import observationSearch from "./migrations/0007-observation-search.sql";
import admission from "./migrations/0008-admission.sql";
import olderReads from "./migrations/0009-older-reads.sql";
import boundedSearch from "./migrations/0010-bounded-search.sql";
import slidingRate from "./migrations/0011-sliding-rate.sql";
import freshWork from "./migrations/0012-fresh-work.sql";
import statements from "./migrations/0013-statements.sql";
import askedPrompts from "./migrations/0014-asked-prompts.sql";
import superseded from "./migrations/0015-superseded.sql";
import hub from "./migrations/0016-hub.sql";
import sharedRecords from "./migrations/0017-shared-records.sql";
import sharedDevices from "./migrations/0018-shared-devices.sql";
import kinds from "./migrations/0019-kinds.sql";
import remembered from "./migrations/0020-remembered.sql";
import { rightsMissing, roles, usableAs } from "./owner-rights.ts";
import { toStorageError } from "./storage-error.ts";

const migrations = [
  { version: 1, name: "tenancy", sql: tenancy },
  { version: 2, name: "memory", sql: memory },
  { version: 3, name: "usage-and-audit", sql: usageAndAudit },
  { version: 4, name: "rights", sql: rights },
  { version: 5, name: "turns", sql: turns },
  { version: 6, name: "ingest", sql: ingest },
  { version: 7, name: "observation-search", sql: observationSearch },
  { version: 8, name: "admission", sql: admission },
  { version: 9, name: "older-reads", sql: olderReads },
  { version: 10, name: "bounded-search", sql: boundedSearch },
  { version: 11, name: "sliding-rate", sql: slidingRate },
  { version: 12, name: "fresh-work", sql: freshWork },
  { version: 13, name: "statements", sql: statements },
  { version: 14, name: "asked-prompts", sql: askedPrompts },
  { version: 15, name: "superseded", sql: superseded },
  { version: 16, name: "hub", sql: hub },
  { version: 17, name: "shared-records", sql: sharedRecords },
  { version: 18, name: "shared-devices", sql: sharedDevices },
  { version: 19, name: "kinds", sql: kinds },
  { version: 20, name: "remembered", sql: remembered },
] as const;

/** The schema version that this code writes. */
export const serverSchemaVersion = Math.max(...migrations.map(({ version }) => version));

// An arbitrary key of an advisory lock.
const lockKey = 6_365_120_026;
const oldestMajor = 14;

interface MigrateOptions {
  /** Prints a line for the operator: who has the lock. */
  say?: ((line: string) => void) | undefined;
  waitMs?: number;
}

/**
 * Applies missing migrations as the owner; returns their versions. Throws `database_newer`, `setting_invalid`, and
 * `storage_busy` when another session has the lock for a minute.
 */
export async function migrateServer(
  owner: Pool,
  product: string,
  options: MigrateOptions = {},
): Promise<number[]> {
  const lock = await owner.connect().catch((cause: unknown) => {
    throw toStorageError(cause);
  });
  try {
    const major = await demandVersion(lock);
    await takeLock(lock, options);
    const client = await owner.connect();
    try {
      await makeRoles(client, major);
      await runMigrations({ pgPool: owner });
      return await applyMissing(client, product);
    } catch (cause) {
      if (codeOf(cause) === "42501") throw await rightsMissing(client, major, cause);
      throw cause;
    } finally {
      client.release(true);
    }
  } catch (cause) {
    throw toStorageError(cause);
  } finally {
    await failOpen("ending the transaction of the migration lock", () => lock.query("rollback"));
    lock.release(true);
  }
}

const lockWaitMs = 60_000;
const lockTries = 12;

// In a transaction: a pooler would keep a lock of the session after its client has gone.
async function takeLock(client: PoolClient, { say, waitMs = lockWaitMs }: MigrateOptions): Promise<void> {
  for (let tried = 1; ; tried++) {
    const each = `begin; set local lock_timeout = ${Math.ceil(waitMs / lockTries)}`;
    await client.query(`${each}; set local idle_in_transaction_session_timeout = 0`);
    try {
      await client.query("select pg_advisory_xact_lock($1)", [lockKey]);
      return;
    } catch (cause) {
      if (codeOf(cause) !== "55P03") throw cause;
      await client.query("rollback");
      const { rows } = await client.query<{ pid: number; who: string }>(lockHolder, [lockKey]);
      const { pid, who } = rows[0] ?? { pid: 0, who: "a session that has just ended" };
      if (tried === 1) say?.(`waiting for the migration lock, which ${who} has`);
      if (tried < lockTries) continue;
      throw new MemError("storage_busy", {
        message: `The migration lock is taken: ${who} has it.`,
        hint: `Wait until that migration ends. If nothing migrates, run as an administrator: \`select pg_terminate_backend(${pid})\`.`,
        cause,
      });
    }
  }
}

const lockHolder = `
  select pid, format('process %s (%s, %s, in this state since %s)', pid, coalesce(nullif(application_name, ''), usename),
      coalesce(state, 'of another user'), coalesce(to_char(state_change, 'HH24:MI:SS'), 'unknown')) as who
  from pg_locks
  join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and (classid::bigint << 32) + objid::bigint = $1
    and pg_locks.database = (select oid from pg_database where datname = current_database())
  limit 1`;

// The system takes minutes to notice a dead connection.
const versionTimeoutMs = 3_000;

/** The schema version of the database, 0 before the first migration. Throws `storage_failed` when it does not answer. */
export async function schemaVersionOf(owner: Pool): Promise<number> {
  const question = {
    text: "select max(version) as version from mem.schema_versions having max(version) is not null",
    query_timeout: versionTimeoutMs,
  };
  const { rows } = await owner.query<{ version: number }>(question).catch((cause: unknown) => {
    if (["42P01", "3F000"].includes(codeOf(cause))) return { rows: [] };
    throw toStorageError(cause);
  });
  return rows[0]?.version ?? 0;
}

async function demandVersion(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ number: string }>(
    "select current_setting('server_version_num') as number",
  );
  const major = Math.floor(Number(rows[0]?.number ?? 0) / 10_000);
  if (major >= oldestMajor) return major;
  throw new MemError("setting_invalid", {
    message: `MEM_DATABASE_URL is PostgreSQL ${major}; mem server needs ${oldestMajor} or later.`,
    hint: "Upgrade it, or unset MEM_DATABASE_URL to run a private PostgreSQL.",
  });
}

// Roles belong to the cluster: servers of two databases may create them concurrently.
async function makeRoles(client: PoolClient, major: number): Promise<void> {
  for (const role of roles) {
    const { rowCount } = await client.query("select 1 from pg_roles where rolname = $1", [role]);
    if (rowCount === 0) {
      await client.query(`create role ${role} nologin`).catch((cause: unknown) => {
        if (!["42710", "23505"].includes(codeOf(cause))) throw cause;
      });
    }
    const { rows } = await client.query<{ member: boolean }>(
      "select pg_has_role(current_user, $1, $2) as member",
      [role, usableAs(major)],
    );
    if (rows[0]?.member !== true) await client.query(`grant ${role} to current_user`);
  }
}

async function applyMissing(client: PoolClient, product: string): Promise<number[]> {
  await client.query(`
    create schema if not exists mem;
    create table if not exists mem.schema_versions (
      version integer primary key,
      name text not null,
      product text not null,
      applied_at timestamptz not null default now()
    )`);
  const { rows } = await client.query<{ version: number; product: string }>(
    "select version, product from mem.schema_versions order by version desc limit 1",
  );
  const current = rows[0]?.version ?? 0;
  if (rows[0] !== undefined && current > serverSchemaVersion) {
    throw new MemError("database_newer", {
      message: `The database has schema version ${current} (written by mem ${rows[0].product}); mem ${product} knows version ${serverSchemaVersion} at most.`,
      hint: "Update mem on this node; older nodes that already run are not affected.",
    });
  }
  const missing = migrations.filter(({ version }) => version > current);
  for (const migration of missing) {
    await client.query(
      `begin; set local search_path = mem; ${migration.sql};
       insert into mem.schema_versions (version, name, product)
       values (${migration.version}, '${migration.name}', '${product.replaceAll("'", "")}');
       commit`,
    );
  }
  return missing.map(({ version }) => version);
}
