// Commits of branches that a target does not have, and whether the target has their changes under other commits.
import type { RunGit } from "./git.ts";

/** Of the tips of branches, compared with one target. */
export interface Outside {
  /** True for a tip that is no ancestor of the target. */
  has(tip: string): boolean;
  /** True when the target has the changes of such a tip, by a squash or a rebase. */
  isSame(tip: string): boolean;
}

/** `targets`: commits, all of one branch. Null when git does not answer, or with too many commits to read. */
export async function historyOf(
  git: RunGit,
  tips: readonly string[],
  targets: readonly string[],
): Promise<Outside | null> {
  if (tips.length === 0) return { has: () => false, isSame: () => false };
  const given = [...tips, ...targets.map((target) => `^${target}`)].map((line) => `${line}\n`).join("");
  const listed = await git(["rev-list", "--parents", `--max-count=${mostListed + 1}`, "--stdin"], given);
  if (listed === null) return null;
  const parents = new Map<string, string[]>();
  for (const line of listed.split("\n")) {
    const [commit = "", ...before] = line.split(" ");
    if (commit !== "" && !commit.startsWith("-")) parents.set(commit, before);
  }
  if (parents.size > mostListed) return null;
  const outside = [...new Set(tips)].filter((tip) => parents.has(tip));
  const same = await sameFiles(git, { parents, tips: outside.slice(0, mostCompared), targets });
  const rest = outside.filter((tip) => !same.has(tip)).slice(0, mostPatches);
  for (const tip of rest) if (await hasSamePatches(git, tip, targets)) same.add(tip);
  return { has: (tip) => parents.has(tip), isSame: (tip) => same.has(tip) };
}

const mostListed = 10_000;
// Of the branches seen last; an older one was compared when it was new.
const mostCompared = 64;
// Each takes a process.
const mostPatches = 4;
const mostCommits = 2_000;
const mostFiles = 5_000;

interface Compared {
  /** Of the commits that the targets do not have. */
  parents: ReadonlyMap<string, readonly string[]>;
  tips: readonly string[];
  targets: readonly string[];
}

/** The tips whose files are the same in a target as on the branch: those that changed since it began. */
async function sameFiles(git: RunGit, { parents, tips, targets }: Compared): Promise<Set<string>> {
  const pairs = tips.flatMap((tip) => basesOf(tip, parents).map((base) => ({ tip, base })));
  if (pairs.length === 0) return new Set();
  const changes = await git(
    ["diff-tree", "--stdin", "-r", "-z", "--no-renames", "--no-ext-diff", "--root"],
    pairs.map(({ tip, base }) => `${tip} ${base}\n`).join(""),
  );
  const changed = changes === null ? [] : changesIn(changes, new Set(tips)).filter(isComparable);
  const asked = changed.flatMap(({ files }) =>
    targets.flatMap((target) => files.map(({ path }) => `${target}:${path}\n`)),
  );
  const answer =
    asked.length === 0 ? "" : await git(["cat-file", "--batch-check=%(objectname)"], asked.join(""));
  const blobs = answer === null ? [] : answer.split("\n");
  const same = new Set<string>();
  let at = 0;
  for (const { tip, files } of changed)
    for (const _target of targets) {
      const found = blobs.slice(at, at + files.length);
      at += files.length;
      const isHere = answer !== null && files.every(({ blob }, index) => isBlob(found[index], blob));
      if (isHere) same.add(tip);
    }
  return same;
}

/** The commits where the branch began, or that were merged into it. */
function basesOf(tip: string, parents: ReadonlyMap<string, readonly string[]>): string[] {
  const bases = new Set<string>();
  const seen = new Set([tip]);
  for (const commit of seen) {
    for (const before of parents.get(commit) ?? []) (parents.has(before) ? seen : bases).add(before);
    if (seen.size > mostCommits) return [];
  }
  return [...bases].slice(0, mostBases);
}

const mostBases = 3;

interface Changed {
  tip: string;
  files: { path: string; blob: string }[];
}

function changesIn(text: string, tips: ReadonlySet<string>): Changed[] {
  const changed: Changed[] = [];
  const parts = text.split("\0");
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    if (tips.has(part)) changed.push({ tip: part, files: [] });
    else if (part.startsWith(":")) {
      index += 1;
      changed.at(-1)?.files.push({ path: parts[index] ?? "", blob: part.split(" ")[3] ?? "" });
    }
  }
  return changed;
}

// A question of `cat-file` is one line.
function isComparable({ files }: Changed): boolean {
  return files.length > 0 && files.length <= mostFiles && !files.some(({ path }) => path.includes("\n"));
}

function isBlob(found = "", blob: string): boolean {
  return /^0+$/.test(blob) ? found.endsWith(" missing") : found === blob;
}

/** `git cherry` compares commit by commit: a rebase changes the commits, not their patches. */
async function hasSamePatches(git: RunGit, tip: string, targets: readonly string[]): Promise<boolean> {
  for (const target of targets) {
    const lines = (await git(["cherry", target, tip]))?.trim().split("\n") ?? [];
    if (lines.length > 0 && lines.every((line) => line.startsWith("- "))) return true;
  }
  return false;
}
