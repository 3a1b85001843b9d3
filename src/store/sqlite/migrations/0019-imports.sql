-- How far imports have read each source, so that they continue there.
create table import_sources (
  -- Hash of the kind and place of the source.
  key text primary key,
  -- JSON that the reader of the source understands.
  position text not null,
  updated_at_epoch integer not null
) strict, without rowid;

-- Sessions that an import created, and when it last wrote to them. A live session has no row.
create table imported_sessions (
  session_id integer primary key references sessions (id) on delete cascade,
  imported_at_epoch integer not null
) strict;

-- When it was imported: it is kept from then on, and local rules write its records. Null for live events.
alter table raw_events add column imported_at_epoch integer;
