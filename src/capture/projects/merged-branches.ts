// Finds out which branches are merged into the default branch or into HEAD: by ancestry, by equal files, by equal patches.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { historyOf, type Outside } from "./branch-history.ts";
import type { ReadGit, RunGit } from "./git.ts";
import { hasOwnCommits, tipsLeft } from "./reflogs.ts";
import type { Repository } from "./work-tree.ts";

/** A branch as it was seen before. */
export interface SeenBranch {
  branch: string;
  tip: string;
  hasCommits: boolean;
  /** Its records up to then are merged. */
  mergedUntil: number;
}

/** What a check found out; null for what it could not. */
export interface CheckedBranch {
  branch: string;
  tip: string;
  /** It had commits that the default branch did not have. */
  hasCommits: boolean;
  isInDefault: boolean | null;
  isInHead: boolean | null;
}

export interface BranchCheck {
  repository: Repository;
  /** Commit of the work tree that asks; null for one without commits. */
  head: string | null;
  /** Newest first. */
  branches: readonly SeenBranch[];
  git: ReadGit;
  signal: AbortSignal;
}

/**
 * Null where nothing can be said: git fails, or the history is cut. Starts at most 5 processes for any number of branches,
 * and 2 for each of the few branches whose patches are compared.
 */
export async function checkBranches(check: BranchCheck): Promise<CheckedBranch[] | null> {
  const { repository, head, branches } = check;
  const { common } = repository;
  if (existsSync(join(common, "shallow"))) return null;
  const git = (args: readonly string[], input = "") =>
    check.git(common, { args, input, timeoutMs, maxBytes, signal: check.signal });
  const refs = await readRefs(git);
  if (refs === null) return null;
  const tips = await presentTips(git, { repository, refs, branches });
  if (tips === null) return null;
  const defaults = refs.defaults;
  const present = branches.flatMap((seen) => {
    const tip = tips.get(seen.branch);
    return tip === undefined ? [] : [{ seen, tip }];
  });
  const all = present.map(({ tip }) => tip);
  const inDefault = defaults.length === 0 ? null : await historyOf(git, all, defaults);
  const isHeadDefault = head !== null && defaults.includes(head);
  const inHead = head === null || isHeadDefault ? inDefault : await historyOf(git, all, [head]);
  const states = present.map(({ seen, tip }) => {
    const outside = (inDefault ?? inHead)?.has(tip) === true;
    const hasCommits = seen.hasCommits || outside;
    const isOwn =
      hasCommits || seen.branch === refs.name || isWorkCommitted(repository, refs.tips, seen, tip);
    return { seen, tip, hasCommits, isOwn };
  });
  const answer = (history: Outside | null, { tip, isOwn }: (typeof states)[number]): boolean | null =>
    history === null ? null : history.has(tip) ? history.isSame(tip) : isOwn;
  return states.map((state) => ({
    branch: state.seen.branch,
    tip: state.tip,
    hasCommits: state.hasCommits,
    isInDefault: answer(inDefault, state),
    isInHead: answer(inHead, state),
  }));
}

const timeoutMs = 5_000;
const maxBytes = 8 * 1024 * 1024;

interface Refs {
  tips: ReadonlyMap<string, string>;
  /** The default branch; undefined without one. */
  name: string | undefined;
  /** Its commits: here and of the remote. */
  defaults: string[];
}

const remote = "refs/remotes/origin/";

async function readRefs(git: RunGit): Promise<Refs | null> {
  const format = "--format=%(refname)%09%(objectname)%09%(symref)";
  const listed = await git(["for-each-ref", format, "refs/heads", remote.slice(0, -1)]);
  if (listed === null) return null;
  const tips = new Map<string, string>();
  let named: string | undefined;
  for (const line of listed.split("\n")) {
    const [ref = "", commit = "", symref = ""] = line.split("\t");
    if (ref === `${remote}HEAD`) named = symref.slice(remote.length) || undefined;
    else if (commit !== "") tips.set(ref, commit);
  }
  const commitsOf = (name: string) =>
    [`refs/heads/${name}`, `${remote}${name}`].flatMap((ref) => tips.get(ref) ?? []);
  const name = [named, ...defaultNames].find((one) => one !== undefined && commitsOf(one).length > 0);
  return { tips, name, defaults: name === undefined ? [] : [...new Set(commitsOf(name))] };
}

export const defaultNames = ["main", "master"];

/** The last commit of each branch, deleted ones included; a commit that is gone is left out. */
async function presentTips(
  git: RunGit,
  { repository, refs, branches }: { repository: Repository; refs: Refs; branches: readonly SeenBranch[] },
): Promise<Map<string, string> | null> {
  const tips = new Map<string, string>();
  const gone: SeenBranch[] = [];
  for (const seen of branches) {
    const tip = refs.tips.get(`refs/heads/${seen.branch}`) ?? refs.tips.get(`${remote}${seen.branch}`);
    if (tip === undefined) gone.push(seen);
    else tips.set(seen.branch, tip);
  }
  if (gone.length === 0) return tips;
  const left = tipsLeft(repository);
  const last = gone.map(({ branch, tip }) => ({ branch, tip: left.get(branch) ?? tip }));
  const asked = await git(
    ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    last.map(({ tip }) => `${tip}\n`).join(""),
  );
  if (asked === null) return null;
  const lines = asked.split("\n");
  for (const [index, { branch, tip }] of last.entries())
    if (lines[index] === `${tip} commit`) tips.set(branch, tip);
  return tips;
}

/**
 * For a tip that is an ancestor: true when it has work of the branch, false when the branch only began there and its work
 * is not committed yet. Of a deleted branch nothing waits for a commit.
 */
function isWorkCommitted(
  { common }: Repository,
  tips: ReadonlyMap<string, string>,
  { branch, tip: seenTip, mergedUntil }: SeenBranch,
  tip: string,
): boolean {
  if (!tips.has(`refs/heads/${branch}`)) return true;
  return hasOwnCommits(common, branch, mergedUntil) ?? tip !== seenTip;
}
