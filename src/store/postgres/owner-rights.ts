// Missing rights of the user of MEM_DATABASE_URL, with the statements that grant them.
import type { ClientBase } from "pg";
import { MemError } from "../../core/errors.ts";

/** The roles of the server. */
export const roles = ["mem_app", "mem_system"] as const;

/** The membership that a user needs: since 16 the creator of a role is a member that may not `set` it. */
export function usableAs(major: number): "set" | "member" {
  return major >= 16 ? "set" : "member";
}

interface Found {
  user: string;
  database: string;
  absent: string[];
  unusable: string[];
  may_create: boolean;
  schemas: { name: string; owner: string; ours: boolean }[];
}

/** An error with the statements that an administrator has to run. */
export async function rightsMissing(client: ClientBase, major: number, cause: unknown): Promise<MemError> {
  // The failed statement may have left a transaction open.
  await client.query("rollback");
  const { rows } = await client.query<Found>(question, [roles, usableAs(major)]);
  const statements = rows[0] === undefined ? [] : statementsFor(rows[0]);
  const { user = "", database = "" } = rows[0] ?? {};
  return new MemError("setting_invalid", {
    message: `The user ${user} of MEM_DATABASE_URL lacks rights in the database ${database}.`,
    hint:
      statements.length === 0
        ? `Migrate as the user that created the schemas mem and graphile_worker, or make ${user} their owner. Then start mem again.`
        : `As an administrator, run in that database: ${statements.join(" ")} Then start mem again.`,
    cause,
  });
}

const question = `
  select
    quote_ident(current_user) as user,
    quote_ident(current_database()) as database,
    array(
      select wanted from unnest($1::text[]) as wanted
      where not exists (select 1 from pg_roles where rolname = wanted)) as absent,
    array(
      select rolname::text from pg_roles
      where rolname = any($1::text[]) and not pg_has_role(current_user, oid, $2)
      order by rolname) as unusable,
    has_database_privilege(current_database(), 'create') as may_create,
    (
      select coalesce(json_agg(json_build_object(
        'name', nspname,
        'owner', quote_ident(pg_get_userbyid(nspowner)),
        'ours', pg_has_role(current_user, nspowner, 'usage'))), '[]')
      from pg_namespace
      where nspname in ('mem', 'graphile_worker')
    ) as schemas`;

function statementsFor({ user, database, absent, unusable, may_create, schemas }: Found): string[] {
  const granted = roles.filter((role) => absent.includes(role) || unusable.includes(role));
  const owners = new Set(schemas.filter(({ ours }) => !ours).map(({ owner }) => owner));
  return [
    ...absent.map((role) => `create role ${role} nologin;`),
    ...(granted.length === 0 ? [] : [`grant ${granted.join(", ")} to ${user};`]),
    ...(may_create || schemas.length === 2 ? [] : [`grant create on database ${database} to ${user};`]),
    ...[...owners].map((owner) => `grant ${owner} to ${user};`),
  ];
}
