-- How far the daily comparison of what follows from the records has come, and what the last whole one found: a worker
-- that lives for less than a round goes on where the last one stopped. part: which of the tables; after: the last id.
create table derived_comparison (
  id integer primary key check (id = 1),
  part integer not null,
  after integer not null,
  found integer not null,
  ended_at_epoch integer,
  ended_found integer not null
) strict;
insert into derived_comparison (id, part, after, found, ended_at_epoch, ended_found) values (1, 0, -9007199254740991, 0, null, 0);
