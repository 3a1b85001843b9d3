-- The git branch and commit that work was done on: no branch with a detached HEAD, neither outside of a repository.
alter table sessions add column branch text;
alter table sessions add column git_commit text;
alter table user_prompts add column branch text;
alter table user_prompts add column git_commit text;
alter table observations add column branch text;
alter table observations add column git_commit text;
alter table session_summaries add column branch text;
alter table session_summaries add column git_commit text;

-- What is known of the branches that records were made on.
create table branches (
  project text not null,
  branch text not null,
  -- Its commit when it was seen last.
  tip text not null,
  -- 1 when it had commits that the default branch did not have.
  has_commits integer not null default 0 check (has_commits in (0, 1)),
  -- Its records up to then are merged.
  merged_until_epoch integer not null default 0,
  seen_at_epoch integer not null,
  primary key (project, branch)
) strict, without rowid;
