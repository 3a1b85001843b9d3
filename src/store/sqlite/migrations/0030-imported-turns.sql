-- Turns that an import adds to a session recorded here are not from after the connection, also when their rows are.
drop trigger observations_for_team;
create trigger observations_for_team after insert on observations
when new.origin_device_id is null and (
  exists (select 1 from team_records where kind = 'observation' and record_id = new.id)
  or exists (
    select 1
    from team_projects t
    where t.project = new.project and new.id > t.last_observation
      and (new.created_at_epoch >= t.since_epoch
        or (new.generation_key is null and new.generator = 'manual')
        or exists (
          select 1
          from sessions s
          where s.id = new.session_id and s.represented_until_epoch is null
            and not exists (select 1 from imported_sessions i where i.session_id = s.id)
            and (s.id > t.last_session or exists (
              select 1
              from user_prompts p
              where p.session_id = s.id and p.prompt_number = new.prompt_number and p.id > t.last_prompt))
            and not exists (
              select 1 from raw_events r where r.session_id = s.id and r.imported_at_epoch is not null)))))
begin
  insert into team_records (kind, record_id) values ('observation', new.id)
  on conflict (kind, record_id) do update set changed = changed + 1, refused = null;
end;
drop trigger summaries_for_team;
create trigger summaries_for_team after insert on session_summaries
when new.origin_device_id is null and (
  exists (select 1 from team_records where kind = 'summary' and record_id = new.id)
  or exists (
    select 1
    from team_projects t
    where t.project = new.project and new.id > t.last_summary
      and (new.created_at_epoch >= t.since_epoch
        or exists (
          select 1
          from sessions s
          where s.id = new.session_id and s.represented_until_epoch is null
            and not exists (select 1 from imported_sessions i where i.session_id = s.id)
            and (s.id > t.last_session or exists (
              select 1
              from user_prompts p
              where p.session_id = s.id and p.prompt_number = new.prompt_number and p.id > t.last_prompt))
            and not exists (
              select 1 from raw_events r where r.session_id = s.id and r.imported_at_epoch is not null)))))
begin
  insert into team_records (kind, record_id) values ('summary', new.id)
  on conflict (kind, record_id) do update set changed = changed + 1, refused = null;
end;
