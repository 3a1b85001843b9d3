-- What was used and what was done. These rows outlive a purge: they hold no content.

create table usage_events (
  id bigint generated always as identity primary key,
  team_id uuid not null references teams (id),
  project_id uuid,
  api_key_id uuid,
  -- request, tokens, tokens_in, tokens_out or observation.
  kind text not null,
  quantity bigint not null check (quantity >= 0),
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create index usage_events_of_team on usage_events (team_id, created_at);

-- One row per team, UTC month and kind, changed with the event, so that a cap is one indexed read.
create table usage_rollups (
  team_id uuid not null references teams (id),
  month date not null check (extract(day from month) = 1),
  kind text not null,
  total bigint not null default 0 check (total >= 0),
  primary key (team_id, month, kind)
);

create table rate_limit_counters (
  team_id uuid not null references teams (id),
  api_key_id uuid not null,
  window_start timestamptz not null,
  requests integer not null check (requests >= 0),
  primary key (team_id, api_key_id, window_start)
);

create index rate_limit_counters_old on rate_limit_counters (window_start);

create table audit_log (
  id uuid primary key,
  seq bigint generated always as identity unique,
  team_id uuid not null references teams (id),
  project_id uuid,
  api_key_id uuid,
  -- observation.read, observation.deleted, project.memory_purged and so on.
  action text not null,
  resource_type text not null default '',
  resource_id text,
  -- Counts and ids; never content, never the words of a search.
  details jsonb not null default '{}',
  request_id text,
  created_at timestamptz not null default now()
);

create index audit_log_of_team on audit_log (team_id, seq);
