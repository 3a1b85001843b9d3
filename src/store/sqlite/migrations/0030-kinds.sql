-- What a statement is. Older ones: by their type, as far as that says it.
alter table observations add column statement_kind text;
update observations
set statement_kind = case
  when standing = 1 then 'rule'
  when said_by = 'tool' and obs_type = 'bugfix' then 'fix'
  when said_by = 'tool' then 'open'
  when obs_type = 'decision' then 'decision'
  when said_by = 'user' then null
  when obs_type = 'bugfix' then 'cause'
  when obs_type = 'discovery' then 'fact'
  else 'outcome' end
where salience is not null;
create index observations_proposed on observations (project) where standing = 0 and statement_kind in ('rule', 'preference');
