// The first commit of a repository, which identifies one without a remote.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ReadGit } from "./git.ts";
import { readSmall } from "./work-tree.ts";

export type RootCommits = ReturnType<typeof createRootCommits>;

/** `git`: null without the program, then only the repository's log is read. */
export function createRootCommits(git: ReadGit | null) {
  const known = new Map<string, string | null>();
  const stopping = new AbortController();

  function lookFor(gitDir: string): void {
    if (git === null || known.size >= mostKnown || existsSync(join(gitDir, "shallow"))) return;
    known.set(gitDir, null);
    const args = ["rev-list", "--max-parents=0", "HEAD"];
    // Without an answer the project is identified by its path.
    void git(gitDir, { args, timeoutMs, maxBytes, signal: stopping.signal }).then((stdout) => {
      const commit = stdout?.trim().split("\n").at(-1);
      if (commit !== undefined && isCommit.test(commit)) known.set(gitDir, commit);
    });
  }

  return {
    /** The first commit if known; otherwise null, and git is asked in the background for the next call. */
    of(gitDir: string): string | null {
      const logged = firstCommitMade(gitDir);
      if (logged !== null) return logged;
      if (!known.has(gitDir)) lookFor(gitDir);
      return known.get(gitDir) ?? null;
    },
    /** Stops running git processes. */
    stop: () => stopping.abort(),
  };
}

const isCommit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const mostKnown = 1_000;
const timeoutMs = 5_000;
const maxBytes = 65_536;

/** The initial commit from the first line of the log; null for a clone. */
function firstCommitMade(gitDir: string): string | null {
  const log = readSmall(join(gitDir, "logs", "HEAD"), 1_024);
  return /^0{40,64} ([0-9a-f]{40,64}) [^\n\t]*\tcommit \(initial\)/.exec(log ?? "")?.[1] ?? null;
}
