-- Counts and decides in one statement, for all requests of a key that arrived together: so 400 at once at a cap of 100
-- are exactly 100, and a busy team waits for one row once, not 400 times.
--
-- The rate is a sliding minute: what was counted in the minute before counts as far as it still lies within the last 60 s.
-- The month is UTC. A cap of 0 is none. `now()` is the database's, the same for every node.

create function admit_requests(
  team uuid,
  key uuid,
  wanted integer,
  per_minute integer,
  month_cap bigint,
  out rate_granted integer,
  out month_granted integer,
  out previous integer,
  out counted integer,
  out elapsed_ms integer,
  out month_used bigint,
  out tokens_used bigint
)
language plpgsql as $$
declare
  minute constant timestamptz := date_trunc('minute', now());
  this_month constant date := date_trunc('month', now() at time zone 'UTC')::date;
begin
  elapsed_ms := floor(extract(epoch from now() - minute) * 1000);
  rate_granted := wanted;
  previous := 0;
  counted := 0;
  if per_minute > 0 and key is not null then
    insert into rate_limit_counters (team_id, api_key_id, window_start, requests)
    values (team, key, minute, 0)
    on conflict do nothing;
    select requests into counted
    from rate_limit_counters
    where team_id = team and api_key_id = key and window_start = minute
    for update;
    select coalesce(sum(requests), 0) into previous
    from rate_limit_counters
    where team_id = team and api_key_id = key and window_start = minute - interval '1 minute';
    rate_granted := greatest(0, least(wanted,
      greatest(0, floor(per_minute - previous::numeric * (60000 - elapsed_ms) / 60000))::integer - counted));
    update rate_limit_counters
    set requests = requests + rate_granted
    where team_id = team and api_key_id = key and window_start = minute;
    counted := counted + rate_granted;
  end if;
  month_granted := rate_granted;
  month_used := 0;
  if month_cap > 0 then
    insert into usage_rollups (team_id, month, kind, total)
    values (team, this_month, 'request', 0)
    on conflict do nothing;
    select total into month_used
    from usage_rollups
    where team_id = team and month = this_month and kind = 'request'
    for update;
    month_granted := greatest(0, least(rate_granted, month_cap - month_used));
    update usage_rollups
    set total = total + month_granted
    where team_id = team and month = this_month and kind = 'request' and month_granted > 0;
    month_used := month_used + month_granted;
  end if;
  select coalesce(sum(total), 0) into tokens_used
  from usage_rollups
  where team_id = team and month = this_month and kind = 'tokens';
end $$;

grant execute on function admit_requests to mem_app, mem_system;
