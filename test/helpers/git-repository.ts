// A git repository in a temporary directory, and the commands of tests in it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface GitRepository {
  folder: string;
  git(...args: string[]): string;
  /** Writes the file and commits it. */
  commit(file: string, text: string): string;
}

const parent = tmpdir();
let template: string | undefined;

/** With one commit on `main`: a copy of the first one, which took four processes. */
export function gitRepository(folder: string): GitRepository {
  template ??= newRepository(mkdtempSync(join(parent, "git-")));
  cpSync(template, folder, { recursive: true });
  return commandsIn(folder);
}

function newRepository(folder: string): string {
  const { git, commit } = commandsIn(folder);
  git("init", "--quiet", "--initial-branch=main", "--template=");
  commit("a.txt", "one\n");
  return folder;
}

function commandsIn(folder: string): GitRepository {
  const git = (...args: string[]): string => run(folder, args);
  const commit = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text);
    git("add", file);
    git("commit", "--quiet", "--message", `Change ${file}`);
    return git("rev-parse", "HEAD");
  };
  return { folder, git, commit };
}

function run(folder: string, args: readonly string[]): string {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", env, stdio: "pipe" }).trim();
}
