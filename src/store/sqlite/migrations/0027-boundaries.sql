-- 1 when it does not leave this device: an import, or regenerated from what was there before sync was set up. It is not in the
-- index of what waits: each push would look at all of an import.
alter table observations add column stays_here integer not null default 0 check (stays_here in (0, 1));
alter table session_summaries add column stays_here integer not null default 0 check (stays_here in (0, 1));
alter table user_prompts add column stays_here integer not null default 0 check (stays_here in (0, 1));
alter table sessions add column stays_here integer not null default 0 check (stays_here in (0, 1));
drop index observations_unsynced;
drop index session_summaries_unsynced;
drop index user_prompts_unsynced;
drop index sessions_unsynced;
create index observations_unsynced on observations (project, id) where synced_at is null and stays_here = 0;
create index session_summaries_unsynced on session_summaries (project, id) where synced_at is null and stays_here = 0;
create index user_prompts_unsynced on user_prompts (project, id)
  where synced_at is null and private = 0 and stays_here = 0;
create index sessions_unsynced on sessions (project, id) where synced_at is null and stays_here = 0;

-- The newest rows when the project was connected, 0 with earlier records: the clock may be set back since.
alter table team_projects add column last_observation integer not null default 0;
alter table team_projects add column last_summary integer not null default 0;
alter table team_projects add column last_prompt integer not null default 0;
alter table team_projects add column last_session integer not null default 0;
update team_projects
set last_observation = (select coalesce(max(id), 0) from observations),
  last_summary = (select coalesce(max(id), 0) from session_summaries),
  last_prompt = (select coalesce(max(id), 0) from user_prompts),
  last_session = (select coalesce(max(id), 0) from sessions);

-- New by its time, written by hand, or of a session or prompt that came after the connection. What was restored and was
-- queued before follows.
-- Turns that an import adds to a session recorded here are not from after the connection.
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
