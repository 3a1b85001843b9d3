-- What makes an observation a statement: something that was said or concluded. An account of what was done has neither a
-- speaker nor a salience.
alter table observations
  add column said_by text check (said_by in ('user', 'agent', 'tool')),
  -- A rule that stands until the user revokes it.
  add column standing boolean not null default false,
  add column reach text not null default 'project' check (reach in ('project', 'everywhere')),
  -- How likely a colleague would pass it on, a logit.
  add column salience double precision,
  -- Work of no lasting interest: reads, listings, status.
  add column routine boolean not null default false;

create index observations_standing on observations (team_id, project_id, seq) where standing;
create index observations_salience on observations (team_id, project_id, salience) where salience is not null;

-- Command families for which an observation is a known fix.
create table fix_commands (
  team_id uuid not null,
  project_id uuid not null,
  family text not null,
  observation_id uuid not null,
  primary key (team_id, project_id, family, observation_id),
  foreign key (team_id, project_id, observation_id)
    references observations (team_id, project_id, id) on delete cascade
);

create index fix_commands_of_observation on fix_commands (team_id, project_id, observation_id);

select bound_by_tenant('fix_commands', true);
