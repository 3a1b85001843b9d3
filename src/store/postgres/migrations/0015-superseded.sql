-- Statements of earlier turns that no longer hold. A search still finds them; nothing injects them.
alter table observations
  -- The newer record that holds instead. When it is deleted, the older one holds again.
  add column superseded_by uuid references observations (id) on delete set null,
  -- Open work that was finished, or a failure of a command that passes now.
  add column ended boolean not null default false;

create index observations_superseded_by on observations (superseded_by) where superseded_by is not null;
