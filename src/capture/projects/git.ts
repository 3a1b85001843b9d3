// Runs git to read a repository that may be hostile: no program of its configuration runs, and nothing is fetched.
import { execFile } from "node:child_process";

export interface GitRun {
  args: readonly string[];
  input?: string;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
}

/** Runs git in a repository; null when it fails, takes too long, or says too much. */
export type ReadGit = (gitDir: string, run: GitRun) => Promise<string | null>;

/** The same within one repository and the bounds of one check. */
export type RunGit = (args: readonly string[], input?: string) => Promise<string | null>;

/** `git`: path of the program. */
export function createReadGit(git: string): ReadGit {
  return (gitDir, { args, input, timeoutMs, maxBytes, signal }) =>
    new Promise((resolve) => {
      const options = { env: quietEnvironment, timeout: timeoutMs, maxBuffer: maxBytes, signal };
      const words = [...harmless, `--git-dir=${gitDir}`, ...args];
      const child = execFile(git, words, options, (error, stdout) => resolve(error === null ? stdout : null));
      // A git that ends early does not read its input.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input ?? "");
    });
}

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
