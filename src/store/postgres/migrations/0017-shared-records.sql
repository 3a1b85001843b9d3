-- Records that devices share with the team: which record one became. Without a record it was deleted, by the device
-- (withdrawn) or by the team; what the team deleted never returns.
create table shared_records (
  team_id uuid not null,
  project_id uuid not null,
  device text collate "C" not null,
  kind text collate "C" not null,
  origin_id text collate "C" not null,
  revision bigint not null,
  observation_id uuid references observations (id) on delete set null,
  withdrawn boolean not null default false,
  updated_at timestamptz not null default now(),
  primary key (team_id, project_id, device, kind, origin_id),
  foreign key (team_id, project_id) references projects (team_id, id)
);

create index shared_records_record on shared_records (observation_id) where observation_id is not null;

select bound_by_tenant('shared_records', true);
