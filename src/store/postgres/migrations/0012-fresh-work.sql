-- Claims read the first jobs of their group, however many wait: by session, or of a project the jobs without one.
create index generation_jobs_fresh on generation_jobs (team_id, project_id, session_id, seq)
  where status = 'queued' and attempts = 0;
create index generation_jobs_retried on generation_jobs (team_id, project_id, session_id, seq)
  where status = 'queued' and attempts > 0;

-- Turns that ended servers left behind. The queue locks a turn while it is worked on; a request for the next turn sets a
-- locked one to its last attempt, so that it never runs again. The process that locked it deletes it, unless it is killed.
-- A turn carries no work: deleting one that is worked on after all changes nothing, and the sweep requests what is due.
create function delete_left_turns(locked_for interval) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with gone as (
    delete from graphile_worker._private_jobs j
    using graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = 'turn'
      and (j.locked_at < now() - locked_for or j.locked_at is null and j.attempts >= j.max_attempts)
    returning j.id)
  select count(*) from gone;
$$;

revoke execute on function delete_left_turns(interval) from public;
grant execute on function delete_left_turns(interval) to mem_system;
