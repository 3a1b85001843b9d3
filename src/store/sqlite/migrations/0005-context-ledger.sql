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
