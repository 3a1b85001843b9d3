// The first commit of a repository, which identifies it where its remote is another one or none.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ReadGit } from "./git.ts";
import { readSmall } from "./work-tree.ts";

export type RootCommits = ReturnType<typeof createRootCommits>;

/** `git`: null without the program, then only the repository's log is read. */
export function createRootCommits(git: ReadGit | null) {
  /** Undefined while git is asked. */
  const known = new Map<string, { commit: string | null | undefined; asked?: Promise<void> }>();
  const stopping = new AbortController();

  function lookFor(gitDir: string): void {
    if (git === null || known.size >= mostKnown || existsSync(join(gitDir, "shallow"))) {
      known.set(gitDir, { commit: null });
      return;
    }
    const args = ["rev-list", "--max-parents=0", "HEAD"];
    // Without an answer the project is identified by its path.
    const asked = git(gitDir, { args, timeoutMs, maxBytes, signal: stopping.signal }).then((stdout) => {
      const commit = stdout?.trim().split("\n").at(-1) ?? "";
      known.set(gitDir, { commit: isCommit.test(commit) ? commit : null });
    });
    known.set(gitDir, { commit: undefined, asked });
  }

  return {
    /** The first commit; null if it cannot be known; undefined while git is asked in the background. */
    of(gitDir: string): string | null | undefined {
      const logged = firstCommitMade(gitDir);
      if (logged !== null) return logged;
      if (!known.has(gitDir)) lookFor(gitDir);
      return known.get(gitDir)?.commit;
    },
    /** Resolves when git has answered; undefined where it is not being asked. */
    asked: (gitDir: string): Promise<void> | undefined => known.get(gitDir)?.asked,
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
