-- Who owns what: teams, their projects, the keys that reach them. Every child carries (team_id, project_id), and its
-- foreign key is composite, so a row cannot stand in one team's project and belong to another team.

create table teams (
  id uuid primary key,
  name text not null unique,
  -- Days that raw events are kept; null is the server's setting.
  retention_days integer check (retention_days between 1 and 3650),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table projects (
  id uuid primary key,
  team_id uuid not null references teams (id),
  name text not null,
  metadata jsonb not null default '{}',
  -- Raised by every purge: what was begun under an older epoch may write nothing any more.
  memory_epoch bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (team_id, id),
  unique (team_id, name)
);

create table api_keys (
  id uuid primary key,
  team_id uuid not null references teams (id),
  -- Null reaches every project of the team.
  project_id uuid,
  -- The key that minted it; null for one made on the server's host.
  parent_id uuid,
  -- SHA-256: the key has 214 random bits, so a slow hash would protect nothing more.
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  -- Shown in lists, so that an owner tells keys apart.
  prefix text not null,
  last_four text not null,
  label text not null default '',
  scopes text[] not null check (scopes <@ array['memories:read', 'memories:write'] and cardinality(scopes) > 0),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  unique (team_id, id),
  foreign key (team_id, project_id) references projects (team_id, id),
  foreign key (team_id, parent_id) references api_keys (team_id, id)
);

create index api_keys_by_parent on api_keys (team_id, parent_id);
