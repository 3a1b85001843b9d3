-- Vectors of one embedder, model and dimension: only those can be compared with each other.
create table vector_sets (
  id integer primary key autoincrement,
  embedder text not null,
  model text not null,
  dimension integer not null,
  -- 1 once every observation had a vector of it: from then on it serves alone, and older sets go.
  complete integer not null default 0 check (complete in (0, 1)),
  unique (embedder, model, dimension)
) strict;

-- One byte per dimension; times the scale it is a vector of length one. Two sets stand side by side while one replaces
-- the other. The id is where the bytes lie: a search reads some hundred of them.
create table observation_vectors (
  id integer primary key,
  set_id integer not null references vector_sets (id) on delete cascade,
  observation_id integer not null references observations (id) on delete cascade,
  scale real not null,
  vector blob not null,
  unique (set_id, observation_id)
) strict;
create index observation_vectors_observation on observation_vectors (observation_id);

-- What an index in memory has to look at again, newest last. Only the newest are kept: an index that is further behind
-- reads everything anew.
create table vector_changes (
  seq integer primary key autoincrement,
  observation_id integer not null
) strict;

create trigger vector_changes_bounded after insert on vector_changes begin
  delete from vector_changes where seq <= new.seq - 10000;
end;
create trigger observation_vectors_added after insert on observation_vectors begin
  insert into vector_changes (observation_id) values (new.observation_id);
end;
create trigger observation_vectors_changed after update on observation_vectors begin
  insert into vector_changes (observation_id) values (new.observation_id);
end;
create trigger observation_vectors_removed after delete on observation_vectors begin
  insert into vector_changes (observation_id) values (old.observation_id);
end;

-- A vector of a text that is no longer there must not be found, whoever changed the text.
create trigger observations_text_changed
after update of title, subtitle, summary, narrative, facts on observations
when old.title is not new.title
  or old.subtitle is not new.subtitle
  or old.summary is not new.summary
  or old.narrative is not new.narrative
  or old.facts is not new.facts
begin
  delete from observation_vectors where observation_id = new.id;
end;
create trigger observations_project_changed after update of project on observations
when old.project is not new.project
begin
  insert into vector_changes (observation_id)
  select new.id
  where exists (select 1 from observation_vectors where observation_id = new.id);
end;
