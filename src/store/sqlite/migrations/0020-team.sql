-- Projects whose accepted records go to the team's server too. since_epoch: older records stay here; 0 for none.
create table team_projects (
  project text primary key,
  team_project text not null,
  since_epoch integer not null,
  -- Why the server takes nothing for it; null while it does.
  problem text
) strict, without rowid;

-- Records of these projects. changed counts changes and is the revision that the server knows; what is above `acked` waits.
create table team_records (
  kind text not null check (kind in ('observation', 'summary')),
  record_id integer not null,
  changed integer not null default 1,
  acked integer not null default 0,
  -- Where the server has it, and the device it was made on; null while it does not.
  team_project text,
  device text,
  -- 1 when the team deleted it: it is never sent again.
  ended integer not null default 0,
  -- Why the server refused this revision; the next change tries again.
  refused text,
  primary key (kind, record_id)
) strict, without rowid;
create index team_records_waiting on team_records (kind, record_id)
  where changed > acked and ended = 0 and refused is null;

create trigger observations_for_team after insert on observations
when new.origin_device_id is null
  and exists (select 1 from team_projects where project = new.project and since_epoch <= new.created_at_epoch)
begin
  insert into team_records (kind, record_id) values ('observation', new.id)
  on conflict (kind, record_id) do update set changed = changed + 1, refused = null;
end;
create trigger observations_changed_for_team after update of revision, status on observations
begin
  update team_records
  set changed = changed + 1, refused = null
  where kind = 'observation' and record_id = new.id;
end;
create trigger observations_gone_for_team after delete on observations
begin
  update team_records
  set changed = changed + 1, refused = null
  where kind = 'observation' and record_id = old.id;
end;
create trigger summaries_for_team after insert on session_summaries
when new.origin_device_id is null
  and exists (select 1 from team_projects where project = new.project and since_epoch <= new.created_at_epoch)
begin
  insert into team_records (kind, record_id) values ('summary', new.id)
  on conflict (kind, record_id) do update set changed = changed + 1, refused = null;
end;
create trigger summaries_changed_for_team after update of revision on session_summaries
begin
  update team_records
  set changed = changed + 1, refused = null
  where kind = 'summary' and record_id = new.id;
end;
create trigger summaries_gone_for_team after delete on session_summaries
begin
  update team_records
  set changed = changed + 1, refused = null
  where kind = 'summary' and record_id = old.id;
end;
