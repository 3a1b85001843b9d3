-- What makes an observation a statement: something that was said or concluded. An account of what was done has neither a
-- speaker nor a salience.
alter table observations add column said_by text check (said_by in ('user', 'agent', 'tool'));
-- 1 for a rule that stands until the user revokes it.
alter table observations add column standing integer not null default 0 check (standing in (0, 1));
alter table observations add column reach text not null default 'project' check (reach in ('project', 'everywhere'));
-- How likely a colleague would pass it on, a logit.
alter table observations add column salience real;
-- 1 for work of no lasting interest: reads, listings, status.
alter table observations add column routine integer not null default 0 check (routine in (0, 1));
create index observations_standing on observations (reach, project, id) where standing = 1;
create index observations_salience on observations (project, salience) where salience is not null;
-- What a prompt is compared with: without it the routine work of a project is read too.
create index observations_telling on observations (project, created_at_epoch, id) where status = 'active' and routine = 0;

-- Command families for which an observation is a known fix.
create table fix_commands (
  family text not null,
  observation_id integer not null references observations (id) on delete cascade,
  primary key (family, observation_id)
) strict, without rowid;
create index fix_commands_observation on fix_commands (observation_id);
