-- What the user deleted, and texts before the user's edits, until they can no longer be restored.
create table trash (
  id integer primary key autoincrement,
  kind text not null check (kind in ('observation', 'summary', 'prompt', 'session')),
  record_id integer not null,
  action text not null check (action in ('deleted', 'edited')),
  title text not null,
  project text not null,
  at_epoch integer not null,
  -- Key of the text that an edit wrote: undoing it must not overwrite another text.
  text_key text
) strict;
create index trash_record on trash (kind, record_id);

-- The rows of an entry as JSON, each on its own: an entry of a long session is deleted in steps.
create table trash_rows (
  id integer primary key,
  trash_id integer not null references trash (id) on delete cascade,
  -- The table of the row, or what was changed in a row that stayed.
  place text not null,
  -- The row's id; null where it has none.
  row_id integer,
  content text not null
) strict;
create index trash_rows_entry on trash_rows (trash_id, id);
create index trash_rows_row on trash_rows (place, row_id) where row_id is not null;

-- Deleted records, without their text: none of them is generated again, and sync tells other devices.
create table tombstones (
  kind text not null check (kind in ('observation', 'summary', 'prompt')),
  record_id integer not null,
  sdk_session_id text not null,
  deleted_at_epoch integer not null,
  generation_key text,
  -- Raw events that it was made from, a JSON array.
  sources text not null default '[]',
  -- Key of the title; the title itself goes with the trash.
  title_key text,
  is_statement integer not null default 0 check (is_statement in (0, 1)),
  synced_at integer,
  origin_device_id text,
  origin_local_id integer,
  revision integer not null,
  primary key (kind, record_id)
) strict, without rowid;
create index tombstones_session on tombstones (sdk_session_id);
create index tombstones_key on tombstones (kind, generation_key) where generation_key is not null;
