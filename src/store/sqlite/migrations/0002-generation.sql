-- Every call of a model: what it was for, what it cost. No reference to sessions: spend outlives what it was spent on.
create table model_calls (
  id integer primary key autoincrement,
  at_epoch integer not null,
  provider text not null,
  model text not null,
  session_id integer,
  project text not null,
  messages integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cached_tokens integer not null,
  -- Millionths of a US dollar; null where the price table does not know the model.
  cost_micro_usd integer,
  -- 'ok', or the kind of the failure.
  outcome text not null
) strict;
create index model_calls_time on model_calls (at_epoch);
create index model_calls_session on model_calls (session_id) where session_id is not null;

-- 1 where the local provider stood in for a model whose budget was spent: `mem regenerate` makes it better.
alter table observations add column upgrade integer not null default 0;
alter table session_summaries add column upgrade integer not null default 0;
create index observations_generator on observations (generator, id);
create index session_summaries_generator on session_summaries (generator, id);

-- Raw events that `mem regenerate` has still to make again; a finished one leaves the table.
create table regenerations (
  raw_event_id integer primary key references raw_events (id) on delete cascade,
  session_id integer not null references sessions (id) on delete cascade,
  failures integer not null default 0,
  last_error text
) strict;
create index regenerations_session on regenerations (session_id, raw_event_id);

-- What a raw event stands in: a batch looks for what must be made again together with it.
create index observation_sources_raw_event on observation_sources (raw_event_id);
