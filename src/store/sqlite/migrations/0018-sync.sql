-- revised_by: the device that made the present revision of a pulled row, where that is not its origin device.
-- sent_revision: the newest revision that was sent to the hub, 0 for none. A row that was never sent needs no deletion there.
-- shared_project: the label that other devices know, where this device renamed that project.
-- incarnation: counts restorations. A deletion is final for other devices, so a restored row is another record for them.
alter table observations add column revised_by text;
alter table observations add column shared_project text;
alter table observations add column sent_revision integer not null default 0;
alter table observations add column incarnation integer not null default 0;
alter table session_summaries add column revised_by text;
alter table session_summaries add column shared_project text;
alter table session_summaries add column sent_revision integer not null default 0;
alter table session_summaries add column incarnation integer not null default 0;
alter table user_prompts add column revised_by text;
alter table user_prompts add column shared_project text;
alter table user_prompts add column sent_revision integer not null default 0;
alter table user_prompts add column incarnation integer not null default 0;
alter table sessions add column synced_at integer;
alter table sessions add column origin_device_id text;
alter table sessions add column origin_local_id integer;
alter table sessions add column revision integer not null default 1;
alter table sessions add column revised_by text;
alter table sessions add column shared_project text;
alter table sessions add column sent_revision integer not null default 0;
alter table sessions add column incarnation integer not null default 0;
create unique index sessions_origin on sessions (origin_device_id, origin_local_id) where origin_device_id is not null;

-- By project: rows of a project that stays on this device are never looked at.
drop index observations_unsynced;
drop index session_summaries_unsynced;
drop index user_prompts_unsynced;
create index observations_unsynced on observations (project, id) where synced_at is null;
create index session_summaries_unsynced on session_summaries (project, id) where synced_at is null;
create index user_prompts_unsynced on user_prompts (project, id) where synced_at is null and private = 0;
create index sessions_unsynced on sessions (project, id) where synced_at is null;
-- Changes of pulled rows go back whatever their project: their text is on the hub already.
create index observations_revised on observations (id) where synced_at is null and origin_device_id is not null;
create index session_summaries_revised on session_summaries (id)
  where synced_at is null and origin_device_id is not null;
create index user_prompts_revised on user_prompts (id) where synced_at is null and origin_device_id is not null;
create index sessions_revised on sessions (id) where synced_at is null and origin_device_id is not null;

-- 1 when the user lets the records leave this device; null until the user was asked.
alter table projects add column synced integer check (synced in (0, 1));

-- Records that no longer exist and that other devices have, or had. device is empty for this one's.
create table sync_deletions (
  device text not null,
  kind text not null,
  origin_id integer not null,
  revision integer not null,
  synced_at integer,
  primary key (device, kind, origin_id)
) strict, without rowid;
create index sync_deletions_unsynced on sync_deletions (kind) where synced_at is null;

create trigger observations_unsync after delete on observations
when old.sent_revision > 0 or old.origin_device_id is not null
begin
  insert into sync_deletions (device, kind, origin_id, revision)
  values (coalesce(old.origin_device_id, ''), 'observation',
    coalesce(old.origin_local_id, old.id + old.incarnation * 1099511627776), old.revision + 1)
  on conflict do nothing;
end;
create trigger session_summaries_unsync after delete on session_summaries
when old.sent_revision > 0 or old.origin_device_id is not null
begin
  insert into sync_deletions (device, kind, origin_id, revision)
  values (coalesce(old.origin_device_id, ''), 'summary',
    coalesce(old.origin_local_id, old.id + old.incarnation * 1099511627776), old.revision + 1)
  on conflict do nothing;
end;
create trigger user_prompts_unsync after delete on user_prompts
when old.sent_revision > 0 or old.origin_device_id is not null
begin
  insert into sync_deletions (device, kind, origin_id, revision)
  values (coalesce(old.origin_device_id, ''), 'prompt',
    coalesce(old.origin_local_id, old.id + old.incarnation * 1099511627776), old.revision + 1)
  on conflict do nothing;
end;
create trigger user_prompts_hidden after update of private on user_prompts
when new.private = 1 and old.private = 0 and old.sent_revision > 0
begin
  insert into sync_deletions (device, kind, origin_id, revision)
  values (coalesce(old.origin_device_id, ''), 'prompt',
    coalesce(old.origin_local_id, old.id + old.incarnation * 1099511627776), old.revision + 1)
  on conflict do nothing;
end;
create trigger sessions_unsync after delete on sessions
when old.sent_revision > 0 or old.origin_device_id is not null
begin
  insert into sync_deletions (device, kind, origin_id, revision)
  values (coalesce(old.origin_device_id, ''), 'session',
    coalesce(old.origin_local_id, old.id + old.incarnation * 1099511627776), old.revision + 1)
  on conflict do nothing;
end;

-- Successors of pulled observations that are not here yet, by name.
create table sync_references (
  observation_id integer primary key references observations (id) on delete cascade,
  device text not null,
  origin_id integer not null
) strict;
create index sync_references_name on sync_references (device, origin_id);

-- Operations that the hub or this device refused, until their record changes.
create table sync_failures (
  direction text not null check (direction in ('push', 'pull')),
  device text not null,
  kind text not null,
  origin_id text not null,
  revision text not null,
  reason text not null,
  at_epoch integer not null,
  primary key (direction, device, kind, origin_id)
) strict, without rowid;

-- Projects that the user renamed or merged here, for other devices.
create table sync_remaps (
  id integer primary key autoincrement,
  from_label text not null,
  to_label text not null,
  synced_at integer
) strict;

-- Device id, nonce, epoch, cursor and the like.
create table sync_state (
  name text primary key,
  value text not null
) strict, without rowid;
