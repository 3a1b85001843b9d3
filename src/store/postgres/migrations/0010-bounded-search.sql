-- The candidates of a search without reading every record of a word that stands in very many: of such a common word only
-- so many are read that it is known to be one. It then adds to what the rarer words found, to titles, to the records that
-- hold all common words together, to the newest ones, and to those that were read. Each statement is planned once: to
-- plan it took longer than to run it.

-- Functions of mem_system are made by itself: who may only become it, and inherits nothing, could not replace them.
grant create on schema mem to mem_system;
set local role mem_system;

-- Records that hold all of the words, in about the order of their making. One entry of the index after the other, whatever
-- the planner thinks of their number: `offset 0` keeps the rest out of its choice.
create function search_postings(
  of_team uuid,
  of_project uuid,
  words bigint[],
  of_kind text,
  of_type text,
  of_platform text,
  most integer)
returns setof bigint
language sql stable rows 100
as $$
  select s.seq
  from (
    select o.seq, o.team_id, o.project_id, o.kind, o.obs_type, o.platform_source
    from observation_search o
    where o.codes @> words
    offset 0
  ) s
  where s.team_id = of_team and s.project_id = of_project
    and (of_kind is null or s.kind = of_kind)
    and (of_type is null or s.obs_type = of_type)
    and (of_platform is null or s.platform_source = of_platform)
  limit most
$$;

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
    cross join lateral
      search_postings(own_team, of_project, array[word.code], of_kind, of_type, of_platform, reads) row (seq)
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
  ),
  best as materialized (
    select p.seq, sum(p.share * (select f.idf from frequency f)[p.place]) as score
    from posting p
    group by p.seq
    order by score desc, p.seq desc
    limit most
  )
  select f.found, (select array_agg(b.seq) from best b), (select array_agg(b.score) from best b)
  into counts, seqs, scores
  from frequency f;

  if reads <= any (counts) then
    return query
      select c.seq, c.score, c.found
      from search_common_candidates(
        own_team, of_project, asked, marked, population, of_kind, of_type, of_platform, most, reads, counts, seqs) c;
    return;
  end if;
  return query select b.seq, b.score, counts from unnest(seqs, scores) b (seq, score);
end $$;

-- The same where some of the words are common. `counts` is how many records were read of each word, `known` the best of
-- them. Called by search_candidates alone, which has looked at the tenant.
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
  known bigint[])
returns table (seq bigint, score double precision, found integer[])
language plpgsql stable rows 120
set search_path = mem, pg_temp
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Of which it is looked how common a word is today: what was read of it are the oldest.
  sample constant integer := 2000;
  common constant bigint[] := array(
    select a.code
    from unnest(asked, counts) with ordinality a (code, n, place)
    where a.n >= reads
    order by a.place);
  newest bigint[];
  together bigint[];
  estimates integer[];
  idf double precision[];
begin
  with latest as materialized (
    select o.seq, o.codes, o.kind, o.obs_type, o.platform_source
    from observation_search o
    where o.team_id = own_team and o.project_id = of_project
    order by o.seq desc
    limit sample
  ),
  holding as materialized (
    select l.seq, c.code
    from latest l
    join unnest(common) c (code) on l.codes @> array[c.code]
    where (of_kind is null or l.kind = of_kind)
      and (of_type is null or l.obs_type = of_type)
      and (of_platform is null or l.platform_source = of_platform)
  )
  select
    (select array_agg(n.seq) from (select distinct h.seq from holding h order by h.seq desc limit 300) n),
    array_agg(
      case
        when w.n < reads then w.n
        else least(
          greatest(population, w.n),
          greatest(w.n, population * coalesce(held.n, 0) / (select greatest(count(*), 1) from latest)))::integer
      end
      order by w.place)
  into newest, estimates
  from unnest(asked, counts) with ordinality w (code, n, place)
  left join (select h.code, count(*) as n from holding h group by h.code) held on held.code = w.code;

  select array_agg(ln(1 + (greatest(population - e.n, 0) + 0.5::float8) / (e.n + 0.5::float8)) order by e.place)
  into idf
  from unnest(estimates) with ordinality e (n, place);

  if cardinality(common) > 1 then
    together := array(
      select search_postings(own_team, of_project, common, of_kind, of_type, of_platform, 100));
    -- All but one of them: where hardly any record holds all.
    if cardinality(common) > 2 and cardinality(together) < most then
      together := together || array(
        select t.seq
        from unnest(common) c (code)
        cross join lateral search_postings(
          own_team, of_project, array_remove(common, c.code), of_kind, of_type, of_platform, 100) t (seq));
    end if;
  end if;

  return query
    with rarer as materialized (
      select row.seq, sum(word.share * idf[word.place]) as score
      from (
        select a.place, a.code, 1::float8 as share
        from unnest(asked) with ordinality a (code, place)
        where counts[a.place] < reads
        union all
        -- A title may be the only one with a word that stands everywhere; what that is worth is added below.
        select m.place, m.code, case when counts[m.place] < reads then 0.5::float8 else 0 end
        from unnest(marked) with ordinality m (code, place)
      ) word
      cross join lateral
        search_postings(own_team, of_project, array[word.code], of_kind, of_type, of_platform, reads) row (seq)
      group by row.seq
      order by score desc, row.seq desc
      limit 300
    )
    select one.seq, one.score + held.score as score, estimates
    from (
      select each.seq, max(each.score) as score
      from (
        select r.seq, r.score from rarer r
        union all
        select other.seq, 0 from unnest(known || newest || together) other (seq)
      ) each
      group by each.seq
    ) one
    cross join lateral (
      select coalesce(sum(idf[c.place] * case when whole.codes @> array[c.mark] then 1.5 else 1 end), 0) as score
      from (
        select o.codes
        from observation_search o
        where o.team_id = own_team and o.project_id = of_project and o.seq = one.seq
        limit 1
      ) whole
      join unnest(asked, marked) with ordinality c (code, mark, place)
        on c.code = any (common) and whole.codes @> array[c.code]
    ) held
    order by score desc, one.seq desc
    limit most;
end $$;

revoke execute on function search_postings from public;
revoke execute on function search_common_candidates from public;
reset role;
revoke create on schema mem from mem_system;
