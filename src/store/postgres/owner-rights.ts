// What the user of MEM_DATABASE_URL lacks for migrations, as the statements that give it.
import type { ClientBase } from "pg";
import { MemError } from "../../core/errors.ts";

/** The roles that the server works as. */
export const roles = ["mem_app", "mem_system"] as const;

/** How a member must be able to use a role: since 16 who makes one is a member that may pass it on, yet may not take it. */
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

/** The refusal of a user without the rights, with what an administrator has to run, and nothing that is there already. */
export async function rightsMissing(client: ClientBase, major: number, cause: unknown): Promise<MemError> {
  // What failed may have left a transaction open.
  await client.query("rollback");
  const { rows } = await client.query<Found>(question, [roles, usableAs(major)]);
  const statements = rows[0] === undefined ? [] : statementsFor(rows[0]);
  const { user = "", database = "" } = rows[0] ?? {};
  return new MemError("setting_invalid", {
    message: `The user ${user} of MEM_DATABASE_URL lacks rights in the database ${database}.`,
    hint:
      statements.length === 0
        ? `Let the user that made the schemas mem and graphile_worker migrate, or make ${user} their owner; then start mem again.`
        : `As an administrator run in that database: ${statements.join(" ")} Then start mem again.`,
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
