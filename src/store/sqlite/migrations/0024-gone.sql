-- Deleted sessions by a hash of the host's id, also after they left the trash: what a host says about the time before is
-- not recorded again.
create table deleted_sessions (
  session_key text primary key,
  deleted_at_epoch integer not null
) strict, without rowid;

-- Days after which records of the project go to the trash: 0 keeps them, null follows the general policy.
alter table projects add column retention_days integer check (retention_days >= 0);

-- The general policy, null for off, and the last run. One row.
create table retention (
  id integer primary key check (id = 1),
  days integer check (days > 0),
  last_run_epoch integer,
  -- When the clock was read last, and since when it runs without a jump.
  clock_epoch integer not null default 0,
  steady_since_epoch integer not null default 0
) strict;
insert into retention (id) values (1);

-- Runs that applied the redaction of today to what was stored before.
create table scrubs (
  id integer primary key autoincrement,
  at_epoch integer not null,
  -- The table that it is in, and the last row of it; null when it has read everything.
  position text,
  rows_read integer not null default 0,
  -- Changed rows by table, a JSON object.
  changed text not null default '{}',
  -- When no table, full text or log had a former text any more.
  ended_at_epoch integer,
  -- When the database file was written again without bytes of them.
  erased_at_epoch integer
) strict;
