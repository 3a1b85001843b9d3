-- The search index: one narrow row per observation, written with it. A word of a record stands in `codes` as a number
-- that carries its project, so one entry of the index holds one project's rows only, however many tenants there are.

alter table observations add constraint observations_in_order unique (team_id, project_id, seq);
drop index observations_recent;

create table observation_search (
  team_id uuid not null,
  project_id uuid not null,
  seq bigint not null,
  session_id uuid,
  -- What a search may be narrowed to, so that the main table is not read for rows that are no answer.
  kind text not null,
  obs_type text not null,
  platform_source text not null,
  created_at timestamptz not null,
  -- The words in their order, packed, as the ranking compares them.
  terms bytea not null,
  -- The distinct words, and once more those of title and files with a mark.
  codes bigint[] not null,
  primary key (team_id, project_id, seq),
  foreign key (team_id, project_id, seq) references observations (team_id, project_id, seq) on delete cascade
);

-- Not compressed: taking it apart again costs more than reading it.
alter table observation_search alter column terms set storage external;
alter table observation_search alter column codes set storage external;

-- Without the list of pending entries: every search would have to read all of it.
create index observation_search_codes on observation_search using gin (codes) with (fastupdate = off);

select bound_by_tenant('observation_search', true);

-- The best rows for the words that are asked, by how many of them they hold and how rare each is in the project.
-- A condition on `codes` may not reach the index under row-level security, since its operator could tell what it sees;
-- so this runs as mem_system, takes the tenant from the transaction like the policies do, and answers with numbers only.
create function search_candidates(
  of_project uuid,
  asked bigint[],
  marked bigint[],
  population double precision,
  of_kind text,
  of_type text,
  of_platform text,
  most integer)
returns table (seq bigint, score double precision, found integer[])
language plpgsql stable security definer rows 120
set search_path = mem, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  own_team constant uuid := nullif(current_setting('mem.team_id', true), '')::uuid;
  own_project constant uuid := nullif(current_setting('mem.project_id', true), '')::uuid;
begin
  if own_team is null or coalesce(own_project, of_project) <> of_project then
    return;
  end if;
  return query
    with posting as materialized (
      select word.place, word.share, row.seq
      from (
        select a.place, a.code, 1::float8 as share from unnest(asked) with ordinality a (code, place)
        union all
        select m.place, m.code, 0.5::float8 from unnest(marked) with ordinality m (code, place)
      ) word
      -- One entry of the index after the other, whatever the planner thinks of their number.
      cross join lateral (
        select s.seq, s.team_id, s.project_id, s.kind, s.obs_type, s.platform_source
        from observation_search s
        where s.codes @> array[word.code]
        offset 0
      ) row
      where row.team_id = own_team and row.project_id = of_project
        and (of_kind is null or row.kind = of_kind)
        and (of_type is null or row.obs_type = of_type)
        and (of_platform is null or row.platform_source = of_platform)
    ),
    frequency as materialized (
      select array_agg(coalesce(counted.n, 0) order by a.place) as found,
        array_agg(ln(1 + (greatest(population - coalesce(counted.n, 0), 0) + 0.5::float8)
          / (coalesce(counted.n, 0) + 0.5::float8)) order by a.place) as idf
      from unnest(asked) with ordinality a (code, place)
      left join (
        select p.place, count(*)::integer as n
        from posting p
        where p.share = 1
        group by p.place
      ) counted on counted.place = a.place
    )
    select p.seq, sum(p.share * (select f.idf from frequency f)[p.place]) as score, (select f.found from frequency f)
    from posting p
    group by p.seq
    order by score desc, p.seq desc
    limit most;
end $$;

grant create on schema mem to mem_system;
alter function search_candidates owner to mem_system;
revoke create on schema mem from mem_system;
revoke execute on function search_candidates from public;
grant execute on function search_candidates to mem_app;
