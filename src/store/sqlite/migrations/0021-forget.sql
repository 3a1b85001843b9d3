-- Receipts of deletions of many records with one command. They keep how much was deleted, none of its content.
create table forgets (
  id integer primary key autoincrement,
  chosen_by text not null check (chosen_by in ('ids', 'query', 'project', 'session', 'before', 'retention')),
  at_epoch integer not null,
  -- Counts by kind, a JSON object.
  counts text not null,
  -- What a worker that was stopped in the middle needs to go on, a JSON object; null when everything is in the trash.
  work text,
  -- When it left the tables, the full text and the log of the database; null while it can be restored.
  gone_at_epoch integer,
  -- When the database file was written again without bytes of it.
  erased_at_epoch integer,
  -- Words that only the deleted records had, and how many of them a search found afterwards.
  words integer not null default 0,
  found integer not null default 0
) strict;

-- All entries of one forget are listed and restored together.
alter table trash add column forget_id integer references forgets (id);
create index trash_forget on trash (forget_id) where forget_id is not null;

-- When rows left the trash last, and when the file was written again last. One row.
create table erasure (
  id integer primary key check (id = 1),
  deleted_at_epoch integer not null,
  erased_at_epoch integer not null
) strict;
insert into erasure (id, deleted_at_epoch, erased_at_epoch) values (1, 0, 0);
