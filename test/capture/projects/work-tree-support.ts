// Repositories made by hand, so that the tests need no git.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A folder with a repository that has this remote, or none. */
export function makeRepository(folder: string, remote?: string, firstCommit?: string): string {
  const config = remote === undefined ? "[core]\n" : `[remote "origin"]\n\turl = ${remote}\n`;
  write(join(folder, ".git", "config"), config);
  write(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
  if (firstCommit !== undefined) {
    const who = "A <a@a.example> 1760000000 +0000";
    const none = "0".repeat(40);
    write(
      join(folder, ".git", "logs", "HEAD"),
      `${none} ${firstCommit} ${who}\tcommit (initial): begin\n${firstCommit} ${"b".repeat(40)} ${who}\tcommit: on\n`,
    );
  }
  return folder;
}

/** A linked work tree of the repository in `main`, as `git worktree add` makes it. */
export function linkWorkTree(main: string, folder: string, gitDir = join(main, ".git")): string {
  const own = join(gitDir, "worktrees", "linked");
  write(join(own, "commondir"), "../..\n");
  write(join(own, "gitdir"), `${join(folder, ".git")}\n`);
  write(join(folder, ".git"), `gitdir: ${own}\n`);
  return folder;
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
