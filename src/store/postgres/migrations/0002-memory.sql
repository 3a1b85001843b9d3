-- What a team's agents did and what was made of it. `seq` orders records as they came and is the number that the older
-- routes know them by; ids are random, so that they tell nothing.

create table sessions (
  id uuid primary key,
  seq bigint generated always as identity unique,
  team_id uuid not null,
  project_id uuid not null,
  -- The host agent's own name for it.
  content_session_id text not null,
  platform_source text not null default '',
  agent_id text,
  agent_type text,
  title text,
  status text not null default 'active' check (status in ('active', 'completed')),
  prompt_count integer not null default 0,
  metadata jsonb not null default '{}',
  memory_epoch bigint not null,
  started_at timestamptz not null default now(),
  last_active_at timestamptz not null default now(),
  ended_at timestamptz,
  last_generated_at timestamptz,
  unique (team_id, project_id, id),
  unique (team_id, project_id, content_session_id),
  foreign key (team_id, project_id) references projects (team_id, id)
);

create index sessions_recent on sessions (team_id, project_id, seq);

create table agent_events (
  id uuid primary key,
  seq bigint generated always as identity unique,
  team_id uuid not null,
  project_id uuid not null,
  session_id uuid,
  -- hook, worker, provider, server or api.
  source_type text not null,
  -- The sender's own id of it, if it has one.
  source_event_id text,
  event_type text not null,
  platform_source text not null default '',
  payload jsonb not null default 'null',
  metadata jsonb not null default '{}',
  memory_epoch bigint not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  unique (team_id, project_id, id),
  foreign key (team_id, project_id) references projects (team_id, id),
  foreign key (team_id, project_id, session_id) references sessions (team_id, project_id, id)
);

create index agent_events_of_session on agent_events (team_id, project_id, session_id, seq);
create index agent_events_received on agent_events (received_at);

-- The answer to a repeated request: the same key and body are the same events. Kept for a day at least; a purge takes it.
create table idempotency_keys (
  team_id uuid not null,
  project_id uuid not null,
  key text not null,
  body_hash bytea not null,
  event_ids uuid[] not null,
  created_at timestamptz not null default now(),
  primary key (team_id, project_id, key),
  foreign key (team_id, project_id) references projects (team_id, id)
);

create index idempotency_keys_created on idempotency_keys (created_at);

create table generation_jobs (
  id uuid primary key,
  seq bigint generated always as identity unique,
  team_id uuid not null,
  project_id uuid not null,
  session_id uuid,
  -- agent_event, or session_summary.
  source_type text not null check (source_type in ('agent_event', 'session_summary')),
  source_id uuid not null,
  job_type text not null default 'observation',
  status text not null default 'queued'
    check (status in ('queued', 'processing', 'completed', 'failed', 'cancelled')),
  attempts integer not null default 0,
  max_attempts integer not null default 5,
  next_attempt_at timestamptz not null default now(),
  -- Who holds it, proved in the transaction that completes it; free again when the lease has run out.
  lease_token uuid,
  lease_expires_at timestamptz,
  locked_by text,
  -- Ours, never the provider's text: { code, message }.
  last_error jsonb,
  memory_epoch bigint not null,
  completed_at timestamptz,
  failed_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (team_id, project_id, id),
  unique (team_id, project_id, source_type, source_id, job_type),
  check ((status = 'processing') = (lease_token is not null)),
  foreign key (team_id, project_id) references projects (team_id, id),
  foreign key (team_id, project_id, session_id) references sessions (team_id, project_id, id)
);

create index generation_jobs_queued on generation_jobs (team_id, next_attempt_at, seq) where status = 'queued';
create index generation_jobs_leased on generation_jobs (lease_expires_at) where status = 'processing';
create index generation_jobs_recent on generation_jobs (team_id, project_id, seq);

create table observations (
  id uuid primary key,
  seq bigint generated always as identity unique,
  team_id uuid not null,
  project_id uuid not null,
  session_id uuid,
  -- observation, session_summary or manual.
  kind text not null default 'observation',
  -- A type of the mode, for example bugfix.
  obs_type text not null default 'discovery',
  title text not null default '',
  subtitle text,
  -- One sentence: what happened.
  summary text not null default '',
  narrative text,
  facts text[] not null default '{}',
  concepts text[] not null default '{}',
  files_read text[] not null default '{}',
  files_modified text[] not null default '{}',
  -- The whole record as one text, as search and context return it.
  content text not null,
  metadata jsonb not null default '{}',
  -- `local`, or the model that wrote it.
  generator text not null default '',
  provenance text not null default 'agent',
  prompt_number integer,
  discovery_tokens integer not null default 0 check (discovery_tokens >= 0),
  -- Unique in the tenant: a job that is worked on twice makes one record.
  generation_key text,
  created_by_job_id uuid,
  memory_epoch bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (team_id, project_id, id),
  unique (team_id, project_id, generation_key),
  foreign key (team_id, project_id) references projects (team_id, id),
  foreign key (team_id, project_id, session_id) references sessions (team_id, project_id, id)
);

create index observations_recent on observations (team_id, project_id, seq);
create index observations_of_session on observations (team_id, project_id, session_id, seq);

create table observation_sources (
  id uuid primary key,
  team_id uuid not null,
  project_id uuid not null,
  observation_id uuid not null,
  -- agent_event, session_summary or manual.
  source_type text not null,
  source_id uuid not null,
  generation_job_id uuid,
  created_at timestamptz not null default now(),
  unique (team_id, project_id, observation_id, source_type, source_id),
  foreign key (team_id, project_id, observation_id)
    references observations (team_id, project_id, id) on delete cascade
);

create index observation_sources_of_source on observation_sources (team_id, project_id, source_id);
