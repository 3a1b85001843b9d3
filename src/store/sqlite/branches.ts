// The branches that records were made on: their last commits, and up to when their records are merged.
import type { GitPlace } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

/** A branch of a project. */
export interface BranchRow {
  branch: string;
  tip: string;
  has_commits: 0 | 1;
  merged_until_epoch: number;
}

/** A record that was made on a branch. */
export interface BranchedRecord {
  id: number;
  project: string;
  branch: string;
  commit: string | null;
  created_at_epoch: number;
}

export function createBranches(db: Sqlite) {
  const sql = createSql(db);
  const setPlace = sql.run<[branch: string | null, commit: string | null, id: number]>(
    "update sessions set branch = ?, git_commit = ? where id = ?",
  );
  const see = sql.run<[{ project: string; branch: string; tip: string; now: number }]>(
    `insert into branches (project, branch, tip, seen_at_epoch)
     values (@project, @branch, @tip, @now)
     on conflict (project, branch) do update set tip = excluded.tip, seen_at_epoch = excluded.seen_at_epoch
     where excluded.seen_at_epoch >= seen_at_epoch`,
  );
  const add = sql.run<[{ project: string; branch: string; tip: string; now: number }]>(
    `insert into branches (project, branch, tip, seen_at_epoch)
     values (@project, @branch, @tip, @now)
     on conflict do nothing`,
  );
  return {
    /** Keeps where the session's work is done from now on. */
    seePlace({ id, project }: { id: number; project: string }, place: GitPlace, now: number): void {
      const { branch = null, commit = null } = place;
      setPlace(branch, commit, id);
      if (branch !== null && commit !== null) see({ project, branch, tip: commit, now });
    },
    /** A branch that records of another device or of an import name. */
    add,
    /** The branches seen last, at most `limit`. */
    of: sql.all<[project: string, limit: number], BranchRow>(
      `select branch, tip, has_commits, merged_until_epoch
       from branches
       where project = ?
       order by seen_at_epoch desc
       limit ?`,
    ),
    /** Keeps what a check found out. */
    keep: sql.run<[BranchRow & { project: string }]>(
      `update branches
       set tip = @tip, has_commits = @has_commits, merged_until_epoch = @merged_until_epoch
       where project = @project and branch = @branch`,
    ),
    /** The records among `ids` that were made on a branch; rules apply on all of them. */
    branched: {
      observation: createBranched(db, "observations", "and r.standing = 0"),
      session: createBranched(db, "session_summaries"),
      prompt: createBranched(db, "user_prompts"),
    },
  };
}

function createBranched(db: Sqlite, table: string, and = ""): (ids: readonly number[]) => BranchedRecord[] {
  const read = createSql(db).all<[ids: string], BranchedRecord>(
    `select r.id, r.project, r.branch, r.git_commit as "commit", r.created_at_epoch
     from json_each(?) one
     cross join ${table} r on r.id = one.value
     where r.branch is not null ${and}`,
  );
  return (ids) => (ids.length === 0 ? [] : read(JSON.stringify(ids)));
}
