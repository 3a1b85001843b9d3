-- What the user says of an observation. superseded_by stays when the record is rejected, so that undoing finds it again.
alter table observations add column status text not null default 'active'
  check (status in ('active', 'superseded', 'rejected'));
alter table observations add column pinned integer not null default 0 check (pinned in (0, 1));
alter table observations add column superseded_by integer references observations (id) on delete set null;
create index observations_superseded_by on observations (superseded_by) where superseded_by is not null;
create index observations_pinned on observations (project, id) where pinned = 1;

-- What was superseded by a record that is gone is the best there is again.
create trigger observations_successor_gone before delete on observations
begin
  update observations
  set superseded_by = null, status = iif(status = 'superseded', 'active', status),
    revision = revision + 1, synced_at = null
  where superseded_by = old.id;
end;

-- The git blob id that each file of an observation had when the observation was stored; the content is not kept.
-- path is spelled as in the record, place from the top folder of the work tree, with '/'.
create table observation_blobs (
  observation_id integer not null references observations (id) on delete cascade,
  path text not null,
  place text not null,
  blob_id text not null,
  size integer not null,
  -- Modification time of the file, as text: nanoseconds are more than a number holds. Null when it was too fresh to
  -- tell a later write of the same size apart.
  mtime_ns text,
  primary key (observation_id, path)
) strict, without rowid;

-- Where the project was seen last: the top folder of its work tree.
alter table projects add column folder text;

-- What a project is told by, besides its label: 'remote:<host/path>', 'root:<commit>' or 'path:<real path>'.
create table project_identities (
  identity text primary key,
  project_id integer not null references projects (id) on delete cascade
) strict, without rowid;
create index project_identities_project on project_identities (project_id);

-- Labels that a project had before it was renamed, or was merged into another: what comes under them is its.
create table project_aliases (
  label text primary key,
  project_id integer not null references projects (id) on delete cascade
) strict, without rowid;
create index project_aliases_project on project_aliases (project_id);

-- Relabelling that is not finished: records go over by batches.
create table project_moves (
  from_label text primary key,
  to_label text not null,
  -- 1 when the records are scoped by another id in the full text.
  reindex integer not null check (reindex in (0, 1))
) strict, without rowid;
