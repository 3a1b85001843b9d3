-- Events of many requests and tenants stored by one statement: the writer collects them while the batch before is under
-- way. Runs as its caller, so every statement is bound by the tenant that its part of the batch names.

-- Ingest holds a project together with others, a purge alone. Row locks let newcomers pass who waits for them to end, so
-- a busy project would never be purged; this lock has a queue. Held to the end of the transaction.
create function hold_project(project uuid) returns void
language sql as $$ select pg_advisory_xact_lock(hashtextextended(project::text, 6)) $$;

create function share_project(project uuid) returns void
language sql as $$ select pg_advisory_xact_lock_shared(hashtextextended(project::text, 6)) $$;

-- A turn that waits already is held until the transaction ends, so that whoever takes it sees what was stored; asking for
-- it again would cost as much as fifteen events. One that somebody works on has perhaps looked before: then another one.
create function ensure_turn(team uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform 1
    from graphile_worker._private_jobs j
    where j.key = 'turn:' || team::text and j.locked_at is null and j.run_at <= now() and j.attempts < j.max_attempts
    for key share skip locked;
  if not found then perform mem.request_turn(team); end if;
end $$;

-- Takes [{ team_id, project_id, named, session_names, sessions, keys, jobs, events }], one part per project; answers once per event:
-- created, repeated (`event` is the one that was stored for its key), conflict, no_session, no_project, or busy: the
-- project is being purged, and who is not `patient` does not wait for that.
create function ingest_events(batch jsonb, patient boolean)
returns table (item uuid, outcome text, event uuid, session uuid, at double precision)
language plpgsql
-- Plans are kept for as long as the connection is: one that was made while the tables were small would read them whole.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  part record;
  lost record;
  project_epoch bigint;
  refused uuid[];
  turns uuid[] := '{}';
  stored_at constant double precision := floor(extract(epoch from now()) * 1000);
begin
  for part in
    select *
    from jsonb_to_recordset(batch) as p(
      team_id uuid, project_id uuid, named uuid[], session_names text[], sessions jsonb, keys jsonb, jobs jsonb,
      events jsonb)
  loop
    perform set_config('mem.team_id', part.team_id::text, true),
      set_config('mem.project_id', part.project_id::text, true);

    project_epoch := null;
    if patient then
      perform share_project(part.project_id);
      select p.memory_epoch into project_epoch
        from projects p
        where p.team_id = part.team_id and p.id = part.project_id
        for share;
    elsif pg_try_advisory_xact_lock_shared(hashtextextended(part.project_id::text, 6)) then
      select p.memory_epoch into project_epoch
        from projects p
        where p.team_id = part.team_id and p.id = part.project_id
        for share skip locked;
    end if;
    if project_epoch is null then
      return query
        select
          e.id,
          case when exists (select 1 from projects p where p.team_id = part.team_id and p.id = part.project_id)
            then 'busy' else 'no_project' end,
          null::uuid, null::uuid, stored_at
        from jsonb_to_recordset(part.events) as e(id uuid);
      continue;
    end if;

    refused := '{}';
    if part.named is not null then
      select coalesce(array_agg(e.id), '{}') into refused
        from jsonb_to_recordset(part.events) as e(id uuid, session_id uuid)
        where e.session_id is not null
          and not exists (
            select 1 from sessions s
            where s.team_id = part.team_id and s.project_id = part.project_id and s.id = e.session_id);
      return query select r.id, 'no_session', null::uuid, null::uuid, stored_at from unnest(refused) as r(id);
    end if;

    if part.keys is not null then
      insert into idempotency_keys (team_id, project_id, key, body_hash, event_ids)
        select distinct on (k.key) part.team_id, part.project_id, k.key, decode(k.body_hash, 'hex'), array[k.event_id]
        from jsonb_to_recordset(part.keys) as k(key text, body_hash text, event_id uuid)
        where k.event_id <> all (refused)
        order by k.key
        on conflict (team_id, project_id, key) do nothing;
      -- A key that names another event is one that was there before, or that a neighbour in the batch was first with.
      for lost in
        select
          k.event_id,
          array_agg(k.key) as keys,
          array_agg(distinct o.event_ids[1]) filter (where o.event_ids[1] is distinct from k.event_id) as owners,
          bool_and(o.body_hash = decode(k.body_hash, 'hex')) as same_body
        from jsonb_to_recordset(part.keys) as k(key text, body_hash text, event_id uuid)
        cross join lateral (
          select i.event_ids, i.body_hash
          from idempotency_keys i
          where i.team_id = part.team_id and i.project_id = part.project_id and i.key = k.key
          offset 0) o
        where k.event_id <> all (refused)
        group by k.event_id
        having bool_or(o.event_ids[1] is distinct from k.event_id)
      loop
        refused := refused || lost.event_id;
        if lost.same_body and cardinality(lost.owners) = 1 and lost.owners[1] is not null then
          -- Its other key was new: from now on that means the same event.
          update idempotency_keys set event_ids = lost.owners
            where team_id = part.team_id and project_id = part.project_id
              and key = any (lost.keys) and event_ids = array[lost.event_id];
          return query select lost.event_id, 'repeated', lost.owners[1], null::uuid, stored_at;
        else
          delete from idempotency_keys
            where team_id = part.team_id and project_id = part.project_id
              and key = any (lost.keys) and event_ids = array[lost.event_id];
          return query select lost.event_id, 'conflict', null::uuid, null::uuid, stored_at;
        end if;
      end loop;
    end if;

    if part.sessions is not null then
      insert into sessions (id, team_id, project_id, content_session_id, platform_source, memory_epoch)
        select s.id, part.team_id, part.project_id, s.content_session_id, s.platform_source, project_epoch
        from jsonb_to_recordset(part.sessions) as s(id uuid, content_session_id text, platform_source text)
        where cardinality(refused) = 0
          or exists (
            select 1
            from jsonb_to_recordset(part.events) as e(id uuid, content_session_id text)
            where e.content_session_id = s.content_session_id and e.id <> all (refused))
        order by s.content_session_id
        on conflict (team_id, project_id, content_session_id) do nothing;
    end if;

    return query
      with made as (
        insert into agent_events (
          id, team_id, project_id, session_id, source_type, source_event_id, event_type, platform_source,
          payload, metadata, memory_epoch, occurred_at)
        select
          e.id, part.team_id, part.project_id,
          coalesce(e.session_id, (
            select s.id from sessions s
            where s.team_id = part.team_id and s.project_id = part.project_id
              and s.content_session_id = e.content_session_id)),
          e.source_type, e.source_event_id,
          e.event_type, e.platform_source, coalesce(e.payload, 'null'), e.metadata, project_epoch,
          to_timestamp(e.occurred_at_epoch / 1000.0)
        from rows from (jsonb_to_recordset(part.events) as (
          id uuid, session_id uuid, content_session_id text, source_type text, source_event_id text,
          event_type text, platform_source text, payload jsonb, metadata jsonb, occurred_at_epoch bigint))
          with ordinality as e(
            id, session_id, content_session_id, source_type, source_event_id,
            event_type, platform_source, payload, metadata, occurred_at_epoch, place)
        where e.id <> all (refused)
        order by e.place
        returning id, session_id, seq
      ), queued as (
        insert into generation_jobs (id, team_id, project_id, session_id, source_type, source_id, memory_epoch)
        select j.id, part.team_id, part.project_id, made.session_id, 'agent_event', made.id, project_epoch
        from made
        join jsonb_to_recordset(part.jobs) as j(id uuid, event_id uuid) on j.event_id = made.id
        order by made.seq
      )
      select made.id, 'created', made.id, made.session_id, stored_at from made;

    -- To ten seconds: a row that is written for every event would be written again and again.
    if part.sessions is not null then
      update sessions s set last_active_at = now()
        where s.team_id = part.team_id and s.project_id = part.project_id
          and s.content_session_id = any (part.session_names)
          and s.last_active_at < now() - interval '10 seconds';
    end if;
    if part.named is not null then
      update sessions s set last_active_at = now()
        where s.team_id = part.team_id and s.project_id = part.project_id and s.id = any (part.named)
          and s.last_active_at < now() - interval '10 seconds';
    end if;
    if part.jobs is not null then turns := turns || part.team_id; end if;
  end loop;

  -- Last, and in one order: the row of a team's turn is held to the end of the transaction.
  perform ensure_turn(t.team) from (select distinct u.team from unnest(turns) as u(team) order by 1) as t;
end $$;

revoke execute on function hold_project(uuid) from public;
revoke execute on function share_project(uuid) from public;
revoke execute on function ensure_turn(uuid) from public;
revoke execute on function ingest_events(jsonb, boolean) from public;
grant execute on function hold_project(uuid) to mem_app, mem_system;
grant execute on function share_project(uuid) to mem_app, mem_system;
grant execute on function ensure_turn(uuid) to mem_app, mem_system;
grant execute on function ingest_events(jsonb, boolean) to mem_app;

-- For lists of what did not come to a good end, and is looked for among many that did.
create index generation_jobs_unfinished on generation_jobs (team_id, project_id, seq)
  where status in ('failed', 'cancelled');
