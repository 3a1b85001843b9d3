// What the logs of a repository say of branches: commits made on one, and where a deleted one ended.
import { join } from "node:path";
import { type Repository, readSmall } from "./work-tree.ts";

/** Whether a commit was made on the branch after `since` (epoch ms); null without a log. */
export function hasOwnCommits(common: string, branch: string, since: number): boolean | null {
  const log = linesOf(join(common, "logs", "refs", "heads", branch));
  return log === null ? null : log.some(({ at, what }) => at > since && makesCommit.test(what));
}

// A rebase or a pull may only take over commits of the default branch.
const makesCommit = /^(?:commit|cherry-pick|revert|am)\b/;

/** The commit on which the work tree left each branch last. */
export function tipsLeft({ own }: Repository): Map<string, string> {
  const tips = new Map<string, string>();
  for (const { before, what } of linesOf(join(own, "logs", "HEAD")) ?? []) {
    const branch = /^checkout: moving from (\S+) to /.exec(what)?.[1];
    if (branch !== undefined) tips.set(branch, before);
  }
  return tips;
}

interface LogLine {
  before: string;
  at: number;
  what: string;
}

/** The end of a log; null without one. */
function linesOf(path: string): LogLine[] | null {
  const text = readSmall(path, maxLogBytes, "last");
  if (text === null) return null;
  return text.split("\n").flatMap((line) => {
    const [, before = "", seconds = "", what = ""] = logLine.exec(line) ?? [];
    return before === "" ? [] : [{ before, at: Number(seconds) * 1_000, what }];
  });
}

const logLine = /^([0-9a-f]{40,64}) [0-9a-f]{40,64} [^\t]*> (\d{1,12}) [+-]\d{4}\t(.*)$/;
const maxLogBytes = 256 * 1024;
