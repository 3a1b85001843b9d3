-- What was injected into the context of an agent. No reference to sessions: a start comes before its session's row.
-- session, reader: as in the context ledger. The log stays when a compaction clears the ledger.
create table injections (
  id integer primary key autoincrement,
  session text not null,
  reader text not null,
  moment text not null check (moment in ('start', 'prompt', 'file', 'command', 'project')),
  at_epoch integer not null,
  tokens integer not null,
  -- What caused it: the start of the prompt, the file or the command; null at a start.
  cause text,
  -- Names of the records in it, each between commas: ',12,S3,'. A table of them dirtied up to 30 pages for each start.
  records text not null
) strict;
create index injections_session on injections (session, id);

-- The text as it was injected. Kept for a shorter time, and apart so that reading the log does not read the texts.
create table injection_texts (
  injection_id integer primary key references injections (id) on delete cascade,
  text text not null
) strict;
