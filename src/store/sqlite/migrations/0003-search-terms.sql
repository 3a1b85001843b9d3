-- What the ranking reads of an observation instead of the record: its time, its terms as numbers. Written with it; a row
-- that is not there yet is made from the record when it is read.
create table observation_terms (
  observation_id integer primary key references observations (id) on delete cascade,
  created_at_epoch integer not null,
  terms blob not null
) strict;

-- Records whose derived rows are of an older form: they are made anew in small batches behind the worker's answers.
create table stale_derived (
  kind text not null check (kind in ('observations', 'session_summaries', 'user_prompts')),
  id integer not null,
  primary key (kind, id)
) strict, without rowid;
insert into stale_derived (kind, id) select 'observations', id from observations;
insert into stale_derived (kind, id) select 'session_summaries', id from session_summaries;
insert into stale_derived (kind, id) select 'user_prompts', id from user_prompts;
