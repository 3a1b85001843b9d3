-- What a prompt is compared with. Records that `local` wrote of one tool use are most of a store, and never among them.
drop index observations_telling;
create index observations_telling on observations (project, created_at_epoch, id)
  where status = 'active' and routine = 0 and (salience is not null or generator <> 'local');
