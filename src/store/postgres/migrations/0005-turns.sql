-- A turn of a team: the queue holds one that nobody works on yet per team, whoever has how many jobs, so teams take
-- turns. A turn that begins asks for the next one. Made by the owner, since the queue's tables are not the roles' own.

create function request_turn(team uuid, run_at timestamptz default null) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select graphile_worker.add_job(
    'turn',
    json_build_object('team_id', team),
    run_at => run_at,
    job_key => 'turn:' || team::text,
    -- Now brings a later one forward; a later one leaves an earlier one where it is.
    job_key_mode => case when run_at is null then 'replace' else 'preserve_run_at' end,
    max_attempts => 25);
$$;

revoke execute on function request_turn(uuid, timestamptz) from public;
grant execute on function request_turn(uuid, timestamptz) to mem_app, mem_system;
