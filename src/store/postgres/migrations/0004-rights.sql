-- The second wall: row-level security, forced, for a role that owns nothing. `mem_app` sees the tenant that its
-- transaction names and nothing without one; `mem_system` finds the tenant of a key, and work that waits, across teams.
-- The roles themselves are made before, by migrate.ts: they belong to the cluster, not to the database.

grant usage on schema mem to mem_app, mem_system;
grant select, insert, update, delete on all tables in schema mem to mem_app, mem_system;
grant usage on all sequences in schema mem to mem_app, mem_system;
alter default privileges in schema mem grant select, insert, update, delete on tables to mem_app, mem_system;
alter default privileges in schema mem grant usage on sequences to mem_app, mem_system;
revoke insert, update, delete on mem.schema_versions from mem_app, mem_system;
revoke delete, truncate on teams from mem_app;
revoke update, delete on audit_log from mem_app;

-- Named once here; a table that comes later calls it in its own migration.
create function bound_by_tenant(target regclass, with_project boolean) returns void
language plpgsql as $$
declare
  team constant text := $q$team_id = (select nullif(current_setting('mem.team_id', true), '')::uuid)$q$;
  project constant text := $q$ and ((select coalesce(current_setting('mem.project_id', true), '')) = ''
    or project_id = (select nullif(current_setting('mem.project_id', true), '')::uuid))$q$;
  bound constant text := team || case when with_project then project else '' end;
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy tenant on %s to mem_app using (%s) with check (%s)', target, bound, bound);
  execute format('create policy everything on %s to mem_system using (true) with check (true)', target);
end $$;

alter table teams enable row level security;
alter table teams force row level security;
create policy tenant on teams to mem_app
  using (id = (select nullif(current_setting('mem.team_id', true), '')::uuid));
create policy everything on teams to mem_system using (true) with check (true);

alter table projects enable row level security;
alter table projects force row level security;
create policy tenant on projects to mem_app
  using (
    team_id = (select nullif(current_setting('mem.team_id', true), '')::uuid)
    and ((select coalesce(current_setting('mem.project_id', true), '')) = ''
      or id = (select nullif(current_setting('mem.project_id', true), '')::uuid)));
create policy everything on projects to mem_system using (true) with check (true);

select bound_by_tenant('api_keys', true);
select bound_by_tenant('sessions', true);
select bound_by_tenant('agent_events', true);
select bound_by_tenant('idempotency_keys', true);
select bound_by_tenant('generation_jobs', true);
select bound_by_tenant('observations', true);
select bound_by_tenant('observation_sources', true);
select bound_by_tenant('audit_log', true);
-- Totals are the team's by contract, for a key of one project too.
select bound_by_tenant('usage_events', false);
select bound_by_tenant('usage_rollups', false);
select bound_by_tenant('rate_limit_counters', false);
