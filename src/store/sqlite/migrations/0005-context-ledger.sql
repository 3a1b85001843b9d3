-- What stands in an agent's context already, so that no record is put there twice, whatever happens to the worker.
-- session: the host's id of it, which can come before the session's own row. reader: the sub-agent, or empty for the
-- main one. item: 'start', 'prompt', 'event:<key>' or 'record:<observation id>'.
create table context_ledger (
  session text not null,
  reader text not null,
  item text not null,
  at_epoch integer not null,
  primary key (session, reader, item)
) strict, without rowid;
create index context_ledger_time on context_ledger (at_epoch);

-- The context files in folders of projects that we have written into, so that they are found again and can be removed
-- whatever became of the records or of the setting.
create table folder_files (
  path text primary key,
  project text not null,
  written_at_epoch integer not null
) strict, without rowid;
