-- Devices that share records with a secret, by its SHA-256: from then on only who has it writes under the device's name.
create table shared_devices (
  team_id uuid not null,
  project_id uuid not null,
  device text collate "C" not null,
  secret_hash bytea not null,
  primary key (team_id, project_id, device),
  foreign key (team_id, project_id) references projects (team_id, id)
);

select bound_by_tenant('shared_devices', true);
