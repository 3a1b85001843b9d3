// Extension and tables of the vectors. Every start creates what is missing, so that an extension installed later is found;
// not a numbered migration, since not every database has pgvector.
import type { Pool, PoolClient } from "pg";
import { codeOf } from "../../core/error-code.ts";
import { toStorageError } from "./storage-error.ts";

/** `schema` is the schema of the extension. */
export type VectorPlace = { state: "on"; schema: string } | { state: "off"; reason: string };

// An arbitrary key of an advisory lock.
const lockKey = 6_365_120_027;

/** Creates the extension and the tables as the owner. Missing rights are `off`; throws when the database does not answer. */
export function prepareVectors(owner: Pool): Promise<VectorPlace> {
  return withLock(owner, async (client) => {
    const found = (await findExtension(client)) ?? (await createExtension(client));
    if (found.state === "off") return found;
    const refused = await openSchema(client, found.schema);
    if (refused !== null) return refused;
    try {
      await createTables(client, found.schema);
    } catch (cause) {
      if (codeOf(cause) !== forbidden) throw cause;
      return off("the user of MEM_DATABASE_URL may not create their tables");
    }
    return found;
  });
}

/** Looks for them; creates nothing. */
export async function findVectors(owner: Pool): Promise<VectorPlace> {
  const { rows } = await owner
    .query<{ made: boolean; available: boolean }>(
      `select to_regclass('mem.observation_vectors') is not null
          and exists (select 1 from pg_extension where extname = 'vector') as made,
        exists (select 1 from pg_available_extensions where name = 'vector') as available`,
    )
    .catch((cause: unknown) => {
      throw toStorageError(cause);
    });
  if (rows[0]?.made === true) return { state: "on", schema: "" };
  return rows[0]?.available === true
    ? off("their tables are missing; `mem server migrate` or a start creates them")
    : off(noPgvector);
}

const forbidden = "42501";
const noPgvector = "the database has no pgvector";

function off(reason: string): VectorPlace & { state: "off" } {
  return { state: "off", reason };
}

async function withLock<T>(owner: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await owner.connect().catch((cause: unknown) => {
    throw toStorageError(cause);
  });
  try {
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    return await work(client);
  } catch (cause) {
    throw toStorageError(cause);
  } finally {
    // Ends the session and with it the lock.
    client.release(true);
  }
}

// Version 0.7 has vectors of half precision, which take half the space.
async function findExtension(client: PoolClient): Promise<VectorPlace | undefined> {
  const { rows } = await client.query<{ schema: string; version: string; has_halves: boolean }>(
    `select quote_ident(n.nspname) as schema, e.extversion as version,
        exists (select 1 from pg_type t where t.typnamespace = n.oid and t.typname = 'halfvec') as has_halves
      from pg_extension e
      join pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'vector'`,
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  return found.has_halves
    ? { state: "on", schema: found.schema }
    : off(`the database's pgvector is ${found.version}; 0.7 or newer is needed`);
}

async function createExtension(client: PoolClient): Promise<VectorPlace> {
  const { rowCount } = await client.query("select 1 from pg_available_extensions where name = 'vector'");
  if (rowCount === 0) return off(noPgvector);
  try {
    await client.query("create extension if not exists vector schema mem");
  } catch (cause) {
    const code = codeOf(cause);
    if (/^(08|53|57P)/.test(code) || code === "") throw cause;
    return off(
      "the user of MEM_DATABASE_URL may not create the extension; as an administrator of the database run: create extension vector",
    );
  }
  return (await findExtension(client)) ?? off(noPgvector);
}

// An extension that an administrator created may be in a schema that our roles may not use.
async function openSchema(client: PoolClient, schema: string): Promise<VectorPlace | null> {
  const { rows } = await client.query<{ open: boolean }>(
    `select bool_and(has_schema_privilege(role, n.oid, 'usage')) as open
      from pg_namespace n, unnest(array[current_user, 'mem_app', 'mem_system']::name[]) role
      where quote_ident(n.nspname) = $1`,
    [schema],
  );
  if (rows[0]?.open === true) return null;
  try {
    await client.query(`grant usage on schema ${schema} to mem_app, mem_system`);
    return null;
  } catch (cause) {
    if (codeOf(cause) !== forbidden) throw cause;
    return off(
      `mem may not use the schema of pgvector; as an administrator run: grant usage on schema ${schema} to public`,
    );
  }
}

async function createTables(client: PoolClient, schema: string): Promise<void> {
  const { rows } = await client.query<Found>(foundText);
  const has = rows[0] ?? { tables: false, embedding: false, uses: false, app_writes: false };
  if (has.embedding && has.uses && !has.app_writes) return;
  // Dropping the extension drops the column: the remaining rows are useless.
  const embedding = `
     alter table observation_vectors add column embedding ${schema}.halfvec;
     alter table observation_vectors alter column embedding set storage main;`;
  await client.query(
    `begin;
     set local search_path = mem;
     ${has.tables ? "" : tables}
     ${has.tables && !has.embedding ? "truncate observation_vectors;" : ""}
     ${has.embedding ? "" : embedding}
     ${has.uses ? "" : uses}
     ${has.app_writes ? "revoke insert, update, delete on observation_vectors from mem_app;" : ""}
     commit`,
  );
}

interface Found {
  tables: boolean;
  embedding: boolean;
  uses: boolean;
  app_writes: boolean;
}

// An earlier version may have created the tables.
const foundText = `select
    to_regclass('mem.observation_vectors') is not null as tables,
    exists (
      select 1 from pg_attribute
      where attrelid = to_regclass('mem.observation_vectors') and attname = 'embedding' and not attisdropped)
      as embedding,
    exists (
      select 1 from pg_attribute
      where attrelid = to_regclass('mem.embedder_states') and attname = 'used_at' and not attisdropped)
      as uses,
    coalesce(has_table_privilege('mem_app', to_regclass('mem.observation_vectors'), 'insert, update, delete'), false)
      as app_writes`;

// When a process last used an embedder's vectors. A process of an earlier version does not write it; the default gives a day.
const uses = "alter table embedder_states add column used_at timestamptz not null default now();";

// The key begins like a record's, for the cascade. A row without an embedding is a claim, or a text that the embedder
// refuses; it is free again at `free_at`. Embeddings are stored inline (`main`): a search reads all of a project, and each
// one out of line would cost another lookup.
const tables = `
  create table observation_vectors (
    team_id uuid not null,
    project_id uuid not null,
    seq bigint not null,
    embedder text not null,
    model text not null,
    -- 0 before there is one.
    dimension integer not null default 0,
    -- Id of the claim.
    claim uuid,
    -- Null when it is done.
    free_at timestamptz,
    primary key (team_id, project_id, seq, embedder, model),
    foreign key (team_id, project_id, seq) references observations (team_id, project_id, seq) on delete cascade
  );
  create index observation_vectors_claimed on observation_vectors (team_id, project_id) where claim is not null;
  select bound_by_tenant('observation_vectors', true);
  grant select, insert, update, delete on observation_vectors to mem_system;
  -- Only mem_system writes vectors; they are deleted by the cascade.
  revoke all on observation_vectors from mem_app;
  grant select on observation_vectors to mem_app;
  -- Whether the embedder works, for the operator; belongs to no tenant.
  create table embedder_states (
    embedder text not null,
    model text not null,
    failure text,
    told_at timestamptz not null default now(),
    primary key (embedder, model)
  );
  grant select, insert, update, delete on embedder_states to mem_system;
  revoke all on embedder_states from mem_app;`;

/** The text form of a vector; half precision holds three digits. */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (each) => Number(each.toPrecision(5))).join(",")}]`;
}
