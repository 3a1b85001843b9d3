// The first commit of a repository: what tells it where it has no remote.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSmall } from "./read-small.ts";

export interface RootCommits {
  /** The first commit, when it is known at once; what is not is looked for behind the caller, for the next time. */
  of(gitDir: string): string | null;
  /** Ends what is being looked for. */
  stop(): void;
}

/** `git` is the program that is asked where the log of the repository does not say it; null when there is none. */
export function createRootCommits(git: string | null): RootCommits {
  const known = new Map<string, string | null>();
  const stopping = new AbortController();

  function lookFor(gitDir: string): void {
    if (git === null || known.size >= mostKnown || existsSync(join(gitDir, "shallow"))) return;
    known.set(gitDir, null);
    const args = [...harmless, `--git-dir=${gitDir}`, "rev-list", "--max-parents=0", "HEAD"];
    const options = {
      env: quietEnvironment,
      timeout: timeoutMs,
      maxBuffer: maxBytes,
      signal: stopping.signal,
    };
    // Without an answer the project is known by its path.
    execFile(git, args, options, (error, stdout) => {
      const commit = error === null ? stdout.trim().split("\n").at(-1) : undefined;
      if (commit !== undefined && isCommit.test(commit)) known.set(gitDir, commit);
    });
  }

  return {
    of(gitDir) {
      const logged = firstCommitMade(gitDir);
      if (logged !== null) return logged;
      if (!known.has(gitDir)) lookFor(gitDir);
      return known.get(gitDir) ?? null;
    },
    stop: () => stopping.abort(),
  };
}

const isCommit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const mostKnown = 1_000;
const timeoutMs = 5_000;
const maxBytes = 65_536;

// A repository may name programs in its configuration: none of them is run, and nothing is fetched.
const harmless = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "protocol.allow=never",
  "-c",
  "core.hooksPath=/dev/null",
];
const quietEnvironment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
};

/** The commit that began the repository here, from the first line of its log. */
function firstCommitMade(gitDir: string): string | null {
  const log = readSmall(join(gitDir, "logs", "HEAD"), 1_024);
  return /^0{40,64} ([0-9a-f]{40,64}) [^\n\t]*\tcommit \(initial\)/.exec(log ?? "")?.[1] ?? null;
}
