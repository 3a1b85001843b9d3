-- The hub: accounts with their tokens and devices, and one append-only log per account. A log is (account, log): a reset
-- counts `log` up, and the rows of the old one are removed in steps.

create table accounts (
  key integer primary key,
  id text not null unique,
  name text not null,
  created_at_epoch integer not null,
  -- Deleted: its rows are removed in steps, itself last.
  deleted_at_epoch integer,
  log integer not null default 1,
  -- Random, so that a reader notices another log.
  epoch text not null,
  head_seq integer not null default 0,
  -- Rows of `bodies`.
  op_count integer not null default 0,
  compacted_through integer not null default 0
) strict;

create unique index accounts_by_name on accounts (name) where deleted_at_epoch is null;

create table tokens (
  id text primary key,
  account integer not null references accounts (key),
  -- SHA-256 of 256 random bits.
  token_hash blob not null unique check (length(token_hash) = 32),
  prefix text not null,
  last_four text not null,
  created_at_epoch integer not null,
  last_used_at_epoch integer,
  revoked_at_epoch integer
) strict;

create index tokens_by_account on tokens (account);

create table devices (
  account integer not null references accounts (key),
  id text not null,
  name text not null,
  nonce text not null,
  first_push_at_epoch integer not null,
  last_push_at_epoch integer not null,
  primary key (account, id)
) strict, without rowid;

-- Every operation ever accepted, without its body: what a replay is compared with.
create table ops (
  account integer not null references accounts (key),
  log integer not null,
  device text not null,
  kind text not null,
  id text not null,
  revision text not null,
  seq integer not null,
  deleted integer not null,
  sha256 blob not null check (length(sha256) = 32),
  -- When a newer revision arrived; null while it is the current one.
  replaced_at_epoch integer,
  -- 1 when its body was removed.
  compacted integer not null default 0,
  primary key (account, log, device, kind, id, revision)
) strict, without rowid;

create index ops_to_compact on ops (replaced_at_epoch) where replaced_at_epoch is not null and compacted = 0;

-- What readers get, in the order of the log.
create table bodies (
  account integer not null references accounts (key),
  log integer not null,
  seq integer not null,
  body text not null,
  bytes integer not null,
  sha256 blob not null,
  received_at_epoch integer not null,
  unique (account, log, seq)
) strict;
