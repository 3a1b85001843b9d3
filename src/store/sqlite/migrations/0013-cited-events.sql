-- 1 for an event that a statement only cites, mostly of an earlier turn: the statement is not made again with it.
alter table observation_sources add column cited integer not null default 0 check (cited in (0, 1));

-- What ends the turns of a session: few, so this costs a tool use nothing.
create index raw_events_summarize on raw_events (session_id, id) where kind = 'summarize';
