-- A rate that holds in any minute, for all nodes: per key the requests of each of the last 61 seconds, the one that runs
-- included. A request leaves the window when its second is 61 seconds old, so after 60 seconds at the least and 61 at the
-- most; two windows that are weighted against each other let half as many again through at their boundary.
--
-- One statement counts and decides for all requests of a team that one node has waiting, whichever their keys.
--
-- `rate_limit_counters` and `admit_requests` stay for nodes of an older version that still run.

create table rate_limit_windows (
  team_id uuid not null references teams (id),
  api_key_id uuid not null,
  -- The epoch second of the last of `counts`; the first is 60 seconds older.
  newest_second bigint not null,
  counts integer[] not null check (cardinality(counts) = 61),
  primary key (team_id, api_key_id)
)
-- Changed in place again and again: with room on its page, a new version of a row touches no index.
with (fillfactor = 50);

select bound_by_tenant('rate_limit_windows', false);

-- `wanted[n]` requests of `keys[n]`, of which `exempt[n]` are answered also when the month is used up: they come first, are
-- counted, and are refused by the rate alone. Null as a key has no rate, 0 as a limit is none. `at` is null but in tests: a
-- node's own clock may be wrong, the database's is everybody's.
create function admit_together(
  team uuid,
  keys uuid[],
  wanted integer[],
  exempt integer[],
  per_minute integer,
  month_cap bigint,
  at timestamptz,
  out granted integer[],
  out remaining integer[],
  -- When the key has its whole limit again, as an epoch in seconds, and in how many seconds there is room for one.
  out reset_at double precision[],
  out retry_after integer[],
  -- How many of those that are not exempt the month has room for.
  out month_granted integer,
  out month_used bigint,
  out tokens_used bigint
)
language plpgsql as $$
declare
  this_month constant date := date_trunc('month', coalesce(at, now()) at time zone 'UTC')::date;
  opened integer;
  found record;
  rate record;
begin
  -- A crash may forget the last half second of counting; in return nobody waits for a disk while he holds the row.
  perform set_config('synchronous_commit', 'off', true);
  granted := wanted;
  remaining := array_fill(0, array[cardinality(keys)]);
  reset_at := remaining;
  retry_after := remaining;
  if per_minute > 0 then
    -- In one order everywhere, so that two nodes never wait for each other.
    for found in
      select k.id, k.place::integer
      from unnest(keys) with ordinality as k (id, place)
      where k.id is not null
      order by k.id
    loop
      select * into rate from admit_key(team, found.id, wanted[found.place], per_minute, at);
      granted[found.place] := rate.granted;
      remaining[found.place] := rate.remaining;
      reset_at[found.place] := rate.reset_at;
      retry_after[found.place] := rate.retry_after;
    end loop;
  end if;
  select coalesce(sum(least(g, o)), 0), coalesce(sum(g - least(g, o)), 0)
  into opened, month_granted
  from unnest(granted, exempt) as each (g, o);
  month_used := 0;
  if month_cap > 0 and opened + month_granted > 0 then
    insert into usage_rollups (team_id, month, kind, total)
    values (team, this_month, 'request', 0)
    on conflict do nothing;
    select total into month_used
    from usage_rollups
    where team_id = team and month = this_month and kind = 'request'
    for update;
    month_used := month_used + opened;
    month_granted := greatest(0, least(month_granted, month_cap - month_used));
    update usage_rollups
    set total = total + opened + month_granted
    where team_id = team and month = this_month and kind = 'request' and opened + month_granted > 0;
    month_used := month_used + month_granted;
  end if;
  select coalesce(sum(total), 0) into tokens_used
  from usage_rollups
  where team_id = team and month = this_month and kind = 'tokens';
end $$;

-- The rate of one key.
create function admit_key(
  team uuid,
  key uuid,
  wanted integer,
  per_minute integer,
  at timestamptz,
  out granted integer,
  out remaining integer,
  out reset_at double precision,
  out retry_after integer
)
language plpgsql as $$
declare
  seconds constant integer := 61;
  nothing constant integer[] := array_fill(0, array[seconds]);
  newest bigint;
  kept integer[];
  moment double precision;
  passed bigint;
  used bigint;
begin
  insert into rate_limit_windows (team_id, api_key_id, newest_second, counts)
  values (team, key, 0, nothing)
  on conflict do nothing;
  select newest_second, counts into newest, kept
  from rate_limit_windows
  where team_id = team and api_key_id = key
  for update;
  -- Read when the row is ours: who waited for it longer must not write into an older second.
  moment := extract(epoch from coalesce(at, clock_timestamp()));
  passed := floor(moment)::bigint - newest;
  -- A clock that was set back: by a little the newest second goes on, by more than the window it means nothing any more.
  if passed >= seconds or passed <= -seconds then
    kept := nothing;
    newest := floor(moment);
  elsif passed > 0 then
    kept := kept[passed + 1 : seconds] || array_fill(0, array[passed::integer]);
    newest := newest + passed;
  end if;
  select sum(c) into used from unnest(kept) as c;
  granted := greatest(0, least(wanted, per_minute - used));
  remaining := greatest(0, per_minute - used - granted);
  if granted > 0 then
    kept[seconds] := kept[seconds] + granted;
    update rate_limit_windows
    set newest_second = newest, counts = kept
    where team_id = team and api_key_id = key;
  end if;
  -- What stands at place n leaves n seconds after the newest second began.
  select
    newest + coalesce(max(n) filter (where c > 0), 0),
    greatest(0, ceil(newest + coalesce(min(n) filter (where gone > used + granted - per_minute), 0) - moment))
  into reset_at, retry_after
  from (select n, c, sum(c) over (order by n) as gone from unnest(kept) with ordinality as k (c, n)) as sums;
end $$;

grant execute on function admit_together to mem_app, mem_system;
grant execute on function admit_key to mem_app, mem_system;
