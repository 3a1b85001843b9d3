-- The sync hub: accounts with their tokens and devices, and one append-only log per account. An account is a tenant: its id
-- stands in team_id, so that the tenant of a transaction bounds it like a team. A log is (team_id, log): a reset counts
-- `log` up, and the rows of the old one are removed in steps.

create table hub_accounts (
  team_id uuid primary key,
  name text not null,
  created_at timestamptz not null default now(),
  -- Deleted: its rows are removed in steps, itself last.
  deleted_at timestamptz,
  log integer not null default 1,
  -- Random, so that a reader notices another log.
  epoch text not null,
  head_seq bigint not null default 0,
  -- Rows of `hub_bodies`.
  op_count bigint not null default 0,
  compacted_through bigint not null default 0
);

create unique index hub_accounts_by_name on hub_accounts (name) where deleted_at is null;

create table hub_tokens (
  id uuid primary key,
  team_id uuid not null references hub_accounts (team_id),
  -- SHA-256 of 256 random bits.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  prefix text not null,
  last_four text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index hub_tokens_by_account on hub_tokens (team_id);

create table hub_devices (
  team_id uuid not null references hub_accounts (team_id),
  id text collate "C" not null,
  name text not null,
  nonce text not null,
  first_push_at timestamptz not null,
  last_push_at timestamptz not null,
  primary key (team_id, id)
);

-- Every operation ever accepted, without its body: what a replay is compared with.
create table hub_ops (
  team_id uuid not null references hub_accounts (team_id),
  log integer not null,
  device text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  revision text collate "C" not null,
  seq bigint not null,
  deleted boolean not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- When a newer revision arrived; null while it is the current one.
  replaced_at timestamptz,
  -- True when its body was removed.
  compacted boolean not null default false,
  primary key (team_id, log, device, kind, id, revision)
);

create index hub_ops_to_compact on hub_ops (replaced_at) where replaced_at is not null and not compacted;

-- What readers get, in the order of the log.
create table hub_bodies (
  team_id uuid not null references hub_accounts (team_id),
  log integer not null,
  seq bigint not null,
  body text not null,
  bytes integer not null,
  sha256 bytea not null,
  received_at timestamptz not null,
  primary key (team_id, log, seq)
);

select bound_by_tenant('hub_accounts', false);
select bound_by_tenant('hub_tokens', false);
select bound_by_tenant('hub_devices', false);
select bound_by_tenant('hub_ops', false);
select bound_by_tenant('hub_bodies', false);
