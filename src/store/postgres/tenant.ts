// Transactions. A tenant's transaction sets its team, and its project if any, for row-level security.
import type { QueryResultRow } from "pg";
import { MemError } from "../../core/errors.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import type { Connections, Queryable, Statement } from "./open.ts";

/**
 * Runs `work` in a transaction in which row-level security shows only this tenant's rows; commits when it resolves. The
 * setting ends with the transaction.
 */
export function inTenant<T>(
  connections: Connections,
  tenant: Tenant,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return transaction(connections, beginText(tenant), work);
}

/** A read-only `inTenant` that sees one snapshot. */
export function inTenantSnapshot<T>(
  connections: Connections,
  tenant: Tenant,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return transaction(connections, beginText(tenant, "isolation level repeatable read read only"), work);
}

/** A transaction without a tenant, for `mem_system`. */
export function inTransaction<T>(
  connections: Connections,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return transaction(connections, "begin", work);
}

/** The rows of a statement in which `$1` is the team and `$2` the project, or null. */
export async function rowsIn<R extends QueryResultRow>(
  connection: Queryable,
  { team_id, project_id }: Tenant,
  { values = [], ...statement }: Statement,
): Promise<R[]> {
  const { rows } = await connection.query<R>({ ...statement, values: [team_id, project_id, ...values] });
  return rows;
}

/** `rowsIn`, in its own transaction. */
export function rowsInTenant<R extends QueryResultRow>(
  connections: Connections,
  tenant: Tenant,
  statement: Statement,
): Promise<R[]> {
  return inTenant(connections, tenant, (connection) => rowsIn<R>(connection, tenant, statement));
}

function transaction<T>(
  connections: Connections,
  begin: string,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return connections.borrow(async (connection) => {
    await connection.query({ text: begin });
    const result = await work(connection);
    await connection.query({ text: "commit" });
    return result;
  });
}

// One round trip: several statements in one text take no parameters, so the ids are checked.
function beginText({ team_id, project_id }: Tenant, mode = ""): string {
  return `begin ${mode};
    select
      set_config('mem.team_id', '${demandUuid(team_id)}', true),
      set_config('mem.project_id', '${project_id === null ? "" : demandUuid(project_id)}', true)`;
}

function demandUuid(id: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new MemError("internal", { message: "The id of a tenant is not a UUID." });
}
