// Checks in the background which branches of a project are merged, and keeps what they found out.

import type { ReadGit } from "../capture/projects/git.ts";
import { type Head, headOf, readRefs } from "../capture/projects/git-head.ts";
import { type CheckedBranch, checkBranches, defaultNames } from "../capture/projects/merged-branches.ts";
import type { Repository } from "../capture/projects/work-tree.ts";
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { BranchRow } from "../store/sqlite/branches.ts";
import type { Store } from "../store/sqlite/store.ts";

/** Where somebody asks: a work tree, what it is on, and the branches of its project. */
export interface AskedPlace {
  project: string;
  repository: Repository;
  head: Head | null;
  /** Commits of the default branch under each name that it may have. */
  defaults: readonly (string | null)[];
  rows: readonly BranchRow[];
  /** Changes with everything that an answer depends on. */
  key: string;
}

/** Reads what the work tree is on. */
export function readPlace({
  project,
  repository,
  rows,
}: Pick<AskedPlace, "project" | "repository" | "rows">) {
  const commitOf = readRefs(repository.common);
  const head = headOf(repository, commitOf);
  return withKey({ project, repository, head, defaults: defaultRefs.map(commitOf), rows });
}

export type Answers = ReadonlyMap<string, CheckedBranch>;

interface CheckDeps {
  store: Pick<Store, "branches" | "commit">;
  clock: Clock;
  git: ReadGit;
  /** Called when a check wrote what it found out. */
  onChange: () => void;
}

export function createBranchChecks({ store, clock, git, onChange }: CheckDeps) {
  const { branches } = store;
  const stopping = new AbortController();
  // By everything that an answer depends on: a switch back to a known place needs no check.
  const known = new RecentMap<string, { answers: Answers; until: number }>(mostAnswers);
  const latest = new Map<string, Answers>();
  const running = new Map<string, Promise<void>>();

  async function check(place: AskedPlace): Promise<void> {
    const { project, repository, head, rows, key } = place;
    const startedAt = clock.now();
    const found = await checkBranches({
      ...{ repository, git, head: head?.commit ?? null, branches: rows.map(seenOf) },
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(checkMs)]),
    });
    if (stopping.signal.aborted) return;
    const answers = new Map((found ?? []).map((one) => [one.branch, one]));
    // A check that failed or took too long may succeed later.
    const isAnswered = found?.every((one) => one.isInHead !== null || one.isInDefault !== null) === true;
    const until = isAnswered ? Number.POSITIVE_INFINITY : clock.now() + failedMs;
    known.set(key, { answers, until });
    latest.set(project, answers);
    const changed = (found ?? []).flatMap((one) => changeOf(one, rows, startedAt));
    if (changed.length === 0) return;
    await store.commit(() => {
      for (const row of changed) branches.keep({ ...row, project });
    });
    onChange();
    // The rows are part of the key. After a merge the next check tells what is new since then.
    const isSettled = changed.every((row) => row.merged_until_epoch < startedAt);
    if (isSettled)
      known.set(withKey({ ...place, rows: branches.of(project, mostBranches) }).key, { answers, until });
  }

  const idle = async (): Promise<void> => void (await Promise.all(running.values()));

  return {
    /** What is known for this place, or undefined, and `before`: of the project's last check. Starts a check if needed. */
    ask(place: AskedPlace): { here: Answers | undefined; before: Answers | undefined } {
      const { project, key } = place;
      const found = known.get(key);
      const here = found !== undefined && clock.now() < found.until ? found.answers : undefined;
      if (here === undefined && !running.has(project) && !stopping.signal.aborted) {
        const work = failOpen("checking which branches are merged", () => check(place));
        running.set(
          project,
          work.then(() => void running.delete(project)),
        );
      }
      return { here, before: latest.get(project) };
    },
    /** Waits a moment for a running check. */
    async settle(project: string): Promise<void> {
      const work = running.get(project);
      if (work !== undefined) await atMost(settleMs, work);
    },
    idle,
    async close(): Promise<void> {
      stopping.abort();
      await idle();
    },
  };
}

/** Branches of a project that are looked at, the last seen. */
export const mostBranches = 1_000;
const mostAnswers = 32;
const checkMs = 15_000;
const failedMs = 60_000;
// A session start waits for its context.
const settleMs = 150;

function seenOf({ branch, tip, has_commits, merged_until_epoch: mergedUntil }: BranchRow) {
  return { branch, tip, hasCommits: has_commits === 1, mergedUntil };
}

const remote = "refs/remotes/origin/";
const defaultRefs = [
  ...defaultNames.flatMap((name) => [`refs/heads/${name}`, `${remote}${name}`]),
  `${remote}HEAD`,
];

/** The key changes with HEAD, with the default branch, and with what is known of the branches. */
function withKey(place: Omit<AskedPlace, "key">): AskedPlace {
  const { project, repository, head, defaults, rows } = place;
  return { ...place, key: JSON.stringify([project, repository.own, head, defaults, rows]) };
}

/** The row of a branch of which a check found out something new. */
function changeOf(
  { branch, tip, hasCommits, isInDefault }: CheckedBranch,
  rows: readonly BranchRow[],
  now: number,
): BranchRow[] {
  const before = rows.find((row) => row.branch === branch);
  if (before === undefined) return [];
  // What follows on the branch is new work, merged or not by itself.
  const after: BranchRow = isInDefault
    ? { branch, tip, has_commits: 0, merged_until_epoch: now }
    : { ...before, tip, has_commits: hasCommits ? 1 : 0 };
  const isSame = before.tip === tip && before.has_commits === after.has_commits;
  return isSame && (!isInDefault || before.merged_until_epoch > 0) ? [] : [after];
}

export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
