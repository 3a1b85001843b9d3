-- The candidates of a search at a cost that does not grow with the project: of a word that stands in very many records
-- only so many are read that it is known to be common. Such a word then adds to the records that the rarer words found,
-- to those that hold all common words (or all but one) together, and to the newest ones. Planned once: to plan it took
-- longer than to run it.
create or replace function search_candidates(
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
set plan_cache_mode = force_generic_plan
as $$
declare
  own_team constant uuid := nullif(current_setting('mem.team_id', true), '')::uuid;
  own_project constant uuid := nullif(current_setting('mem.project_id', true), '')::uuid;
  -- Records that are read of one word; a long question reads fewer of each.
  reads constant integer := greatest(300, least(1000, 8000 / greatest(cardinality(asked), 1)));
  seqs bigint[];
  scores double precision[];
  counts integer[];
  latest bigint[];
begin
  if own_team is null or coalesce(own_project, of_project) <> of_project then
    return;
  end if;

  with posting as materialized (
    select word.place, word.share, row.seq
    from (
      select a.place, a.code, 1::float8 as share from unnest(asked) with ordinality a (code, place)
      union all
      select m.place, m.code, 0.5::float8 from unnest(marked) with ordinality m (code, place)
    ) word
    cross join lateral (
      select s.seq
      -- One entry of the index after the other, whatever the planner thinks of their number.
      from (
        select o.seq, o.team_id, o.project_id, o.kind, o.obs_type, o.platform_source
        from observation_search o
        where o.codes @> array[word.code]
        offset 0
      ) s
      where s.team_id = own_team and s.project_id = of_project
        and (of_kind is null or s.kind = of_kind)
        and (of_type is null or s.obs_type = of_type)
        and (of_platform is null or s.platform_source = of_platform)
      limit reads
    ) row
  ),
  frequency as materialized (
    select array_agg(coalesce(counted.n, 0) order by a.place) as found,
      array_agg(counted.latest order by a.place) as latest,
      array_agg(ln(1 + (greatest(population - coalesce(counted.n, 0), 0) + 0.5::float8)
        / (coalesce(counted.n, 0) + 0.5::float8)) order by a.place) as idf
    from unnest(asked) with ordinality a (code, place)
    left join (
      select p.place, count(*)::integer as n, max(p.seq) as latest
      from posting p
      where p.share = 1
      group by p.place
    ) counted on counted.place = a.place
  ),
  best as materialized (
    select p.seq, sum(p.share * (select f.idf from frequency f)[p.place]) as score
    from posting p
    group by p.seq
    order by score desc, p.seq desc
    limit most
  )
  select f.found, f.latest, (select array_agg(b.seq) from best b), (select array_agg(b.score) from best b)
  into counts, latest, seqs, scores
  from frequency f;

  if reads <= any (counts) then
    return query
      select c.seq, c.score, c.found
      from search_common_candidates(
        own_team, of_project, asked, marked, population, of_kind, of_type, of_platform, most, reads, counts, latest) c;
    return;
  end if;
  return query select b.seq, b.score, counts from unnest(seqs, scores) b (seq, score);
end $$;

-- Where some of the words are common: their number of records, and the last one that was read, are about as far as the
-- reading came. Called by search_candidates alone, which has looked at the tenant.
create function search_common_candidates(
  own_team uuid,
  of_project uuid,
  asked bigint[],
  marked bigint[],
  population double precision,
  of_kind text,
  of_type text,
  of_platform text,
  most integer,
  reads integer,
  counts integer[],
  latest bigint[])
returns table (seq bigint, score double precision, found integer[])
language plpgsql stable rows 120
set search_path = mem, pg_temp
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  common constant bigint[] := array(
    select a.code
    from unnest(asked, counts) with ordinality a (code, n, place)
    where a.n >= reads
    order by a.place);
  estimates integer[];
  idf double precision[];
begin
  -- Rows come in about the order of their making: how far the reading came tells how many there are.
  select array_agg(
      case
        when c.n < reads then c.n
        else least(
          greatest(population, c.n),
          c.n * (ends.last - ends.first + 1)::float8 / greatest(c.latest - ends.first + 1, 1))::integer
      end
      order by c.place)
  into estimates
  from unnest(counts, latest) with ordinality c (n, latest, place)
  cross join (
    -- Not min and max, which read the whole project.
    select
      (select o.seq from observation_search o
        where o.team_id = own_team and o.project_id = of_project order by o.seq limit 1) as first,
      (select o.seq from observation_search o
        where o.team_id = own_team and o.project_id = of_project order by o.seq desc limit 1) as last
  ) ends;
  select array_agg(ln(1 + (greatest(population - e.n, 0) + 0.5::float8) / (e.n + 0.5::float8)) order by e.place)
  into idf
  from unnest(estimates) with ordinality e (n, place);

  return query
    with rarer as materialized (
      select row.seq, sum(word.share * idf[word.place]) as score
      from (
        select a.place, a.code, 1::float8 as share from unnest(asked) with ordinality a (code, place)
        union all
        select m.place, m.code, 0.5::float8 from unnest(marked) with ordinality m (code, place)
      ) word
      cross join lateral (
        select s.seq
        from (
          select o.seq, o.team_id, o.project_id, o.kind, o.obs_type, o.platform_source
          from observation_search o
          where o.codes @> array[word.code]
          offset 0
        ) s
        where s.team_id = own_team and s.project_id = of_project
          and (of_kind is null or s.kind = of_kind)
          and (of_type is null or s.obs_type = of_type)
          and (of_platform is null or s.platform_source = of_platform)
        limit reads
      ) row
      where counts[word.place] < reads
      group by row.seq
      order by score desc, row.seq desc
      limit 300
    ),
    together as materialized (
      select t.seq
      from (
        select common as codes
        union all
        select array_remove(common, c.code) from unnest(common) c (code) where cardinality(common) > 2
      ) subset
      cross join lateral (
        select s.seq
        from (
          select o.seq, o.team_id, o.project_id, o.kind, o.obs_type, o.platform_source
          from observation_search o
          where o.codes @> subset.codes
          offset 0
        ) s
        where s.team_id = own_team and s.project_id = of_project
          and (of_kind is null or s.kind = of_kind)
          and (of_type is null or s.obs_type = of_type)
          and (of_platform is null or s.platform_source = of_platform)
        limit 100
      ) t
      where cardinality(common) > 1
    ),
    newest as materialized (
      select s.seq
      from (
        select o.seq, o.codes, o.kind, o.obs_type, o.platform_source
        from observation_search o
        where o.team_id = own_team and o.project_id = of_project
        order by o.seq desc
        limit 2000
      ) s
      where s.codes && common
        and (of_kind is null or s.kind = of_kind)
        and (of_type is null or s.obs_type = of_type)
        and (of_platform is null or s.platform_source = of_platform)
      limit 300
    )
    select one.seq, one.score + held.score as score, estimates
    from (
      select each.seq, max(each.score) as score
      from (
        select r.seq, r.score from rarer r
        union all
        select t.seq, 0 from together t
        union all
        select n.seq, 0 from newest n
      ) each
      group by each.seq
    ) one
    cross join lateral (
      select coalesce(sum(idf[c.place]), 0) as score
      from (
        select o.codes
        from observation_search o
        where o.team_id = own_team and o.project_id = of_project and o.seq = one.seq
        limit 1
      ) whole
      join unnest(asked) with ordinality c (code, place) on c.code = any (common) and whole.codes @> array[c.code]
    ) held
    order by score desc, one.seq desc
    limit most;
end $$;

revoke execute on function search_common_candidates from public;
grant execute on function search_common_candidates to mem_system;
