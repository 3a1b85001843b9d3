// Work inside one tenant: a transaction that names the team (and the project of a key that has one) to the database.

import { MemError } from "../../core/errors.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import type { Connections, Queryable } from "./open.ts";

/**
 * Runs `work` in one transaction in which row-level security shows this tenant's rows only; commits when it resolves.
 * The setting ends with the transaction, so the next borrower of the connection sees nothing of it.
 */
export function inTenant<T>(
  connections: Connections,
  tenant: Tenant,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return connections.borrow(async (connection) => {
    await connection.query({ text: beginText(tenant) });
    const result = await work(connection);
    await connection.query({ text: "commit" });
    return result;
  });
}

/** `inTenant` that only reads, and reads everything as it is at one moment, however long it takes. */
export function inTenantSnapshot<T>(
  connections: Connections,
  tenant: Tenant,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return connections.borrow(async (connection) => {
    await connection.query({ text: beginText(tenant, "isolation level repeatable read read only") });
    const result = await work(connection);
    await connection.query({ text: "commit" });
    return result;
  });
}

/** A transaction without a tenant, for `mem_system`. */
export function inTransaction<T>(
  connections: Connections,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return connections.borrow(async (connection) => {
    await connection.query({ text: "begin" });
    const result = await work(connection);
    await connection.query({ text: "commit" });
    return result;
  });
}

// One round trip instead of two: a text of several statements takes no values, so the ids are checked to be ids.
function beginText({ team_id, project_id }: Tenant, mode = ""): string {
  return `begin ${mode};
    select
      set_config('mem.team_id', '${demandUuid(team_id)}', true),
      set_config('mem.project_id', '${project_id === null ? "" : demandUuid(project_id)}', true)`;
}

function demandUuid(id: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new MemError("internal", { message: "A tenant has an id that is none." });
}
