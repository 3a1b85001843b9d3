-- What tells the records that a prompt is compared with from those that are known already stands in the index: reading
-- 2,000 rows for it takes three times as long.
drop index observations_telling;
create index observations_telling on observations
  (project, created_at_epoch, id, revision, synced_at, standing, statement_kind, status, routine, salience, generator)
  where status = 'active' and routine = 0 and (salience is not null or generator <> 'local');
