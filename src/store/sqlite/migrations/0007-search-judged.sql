-- The few observations that a user said something of: looked up for every candidate of a search without its record.
create index observations_judged on observations (id, status) where status <> 'active';
