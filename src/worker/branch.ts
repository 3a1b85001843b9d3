// The branch of the git checkout that the worker runs from; a package has none.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MemError } from "../core/errors.ts";
import type { BranchPorts } from "../http/api/branch.ts";
import { childEnvironment, type Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";

/** Runs git in the checkout with these arguments; resolves with its output. */
export type RunGit = (args: readonly string[]) => Promise<string>;

interface BranchDeps {
  /** Folder of the package. */
  root: string;
  version: string;
  git: RunGit;
}

/** Changes only by fast-forward, and only a clean tree. A name from outside is checked before git sees it. */
export function createBranch({ root, version, git }: BranchDeps): BranchPorts {
  const isCheckout = existsSync(join(root, ".git"));
  let last: Promise<unknown> = Promise.resolve();

  // Two changes of one checkout would meet each other half done.
  function alone<T>(change: (tree: Tree) => Promise<T>): Promise<T> {
    if (!isCheckout) throw packaged(version);
    const run = async (): Promise<T> => {
      const tree = await readTree(git);
      if (tree.isDirty) throw dirty(root);
      return change(tree);
    };
    const next = last.then(run, run);
    last = next;
    next.catch(() => undefined);
    return next;
  }

  return {
    async status() {
      const package_ = { current: null, remote: null, ahead: 0, behind: 0, update: updatePackage };
      if (!isCheckout) return { installed: "package", version, ...package_ };
      const { current, remote, ahead, behind } = await readTree(git);
      const update = `git -C ${root} pull --ff-only && ${rebuild}`;
      return { installed: "checkout", version, current, remote, ahead, behind, update };
    },
    async switchTo(branch) {
      if (!isBranchName(branch)) throw badName();
      return alone(async () => {
        if (!(await isKnown(git, branch))) {
          await git(["fetch", "--quiet"]);
          if (!(await isKnown(git, branch))) throw unknownBranch();
        }
        await git(["switch", "--quiet", "--no-recurse-submodules", "--", branch]);
        return { success: true, next: rebuild };
      });
    },
    async update() {
      return alone(async ({ remote }) => {
        if (remote === null) throw noRemote();
        await git(["fetch", "--quiet"]);
        const { ahead, behind } = await readTree(git);
        if (behind === 0) return { success: true, updated: false, next: null };
        if (ahead > 0) throw diverged(ahead, behind);
        await git(["merge", "--quiet", "--ff-only", "@{upstream}"]);
        return { success: true, updated: true, next: rebuild };
      });
    },
  };
}

const updatePackage = "npm install -g agent-mem@latest && mem repair && mem worker restart";
const rebuild = "npm install && mem worker restart";

/** True for a plain branch name: no option, no `..`, nothing that a shell or a revision reads otherwise. */
function isBranchName(text: string): boolean {
  return /^[A-Za-z0-9][\w./-]{0,200}$/.test(text) && !/\.\.|\/\/|\/\.|\.lock(?:\/|$)|[./]$|^HEAD$/.test(text);
}

interface Tree {
  current: string | null;
  remote: string | null;
  ahead: number;
  behind: number;
  isDirty: boolean;
}

async function readTree(git: RunGit): Promise<Tree> {
  const lines = (await git(["status", "--porcelain=v2", "--branch", "--untracked-files=no"])).split("\n");
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`# ${name} `))?.slice(name.length + 3) ?? null;
  const head = field("branch.head");
  const [, ahead = "0", behind = "0"] = /^\+(\d+) -(\d+)$/.exec(field("branch.ab") ?? "") ?? [];
  return {
    current: head === "(detached)" ? null : head,
    remote: field("branch.upstream"),
    ahead: Number(ahead),
    behind: Number(behind),
    isDirty: lines.some((line) => line !== "" && !line.startsWith("#")),
  };
}

/** True if the branch exists here or was fetched from a remote. */
async function isKnown(git: RunGit, branch: string): Promise<boolean> {
  const patterns = [`refs/heads/${branch}`, `refs/remotes/*/${branch}`];
  return (await git(["for-each-ref", "--format=%(refname)", "--", ...patterns])) !== "";
}

const deadlineMs = 60_000;
const maxBytes = 4 * 1024 * 1024;

// No hook or other program of the repository's configuration runs, nothing runs on after the call, and submodules stay as
// they are.
const harmless = [
  ...["-c", "core.fsmonitor=false"],
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "fetch.recurseSubmodules=false"],
  ...["-c", "gc.auto=0"],
  ...["-c", "maintenance.auto=false"],
  ...["-c", "protocol.ext.allow=never"],
  ...["-c", "submodule.recurse=false"],
];
// Git asks for no password, neither in the terminal nor in a window. An empty program overrides `core.askPass` too.
const quietEnvironment = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GCM_INTERACTIVE: "never",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  LC_ALL: "C",
};

/** Runs the user's git in `root`, without a shell, for at most a minute. */
export function createGit(root: string, environment: Environment): RunGit {
  return (args) => {
    const program = findExecutable(environment, "git");
    if (program === null) throw noGit();
    const env = childEnvironment(environment, quietEnvironment);
    const options = { cwd: root, env, timeout: deadlineMs, maxBuffer: maxBytes, windowsHide: true };
    return new Promise((resolve, reject) => {
      execFile(program, [...harmless, ...args], options, (error, stdout) => {
        if (error === null) resolve(stdout);
        else reject(gitFailed(args, root, error));
      });
    });
  };
}

function packaged(version: string): MemError {
  return new MemError("conflict", {
    message: `mem ${version} is installed as a package, which has no branches.`,
    hint: `Update it: \`${updatePackage}\`.`,
  });
}

function badName(): MemError {
  return new MemError("invalid_request", {
    message: "`branch` is not a branch name.",
    hint: "Begin with a letter or digit; then letters, digits, `.`, `_`, `/` and `-`, at most 200.",
  });
}

function unknownBranch(): MemError {
  return new MemError("not_found", {
    message: "There is no such branch, here or at the remote.",
    hint: "List branches: `git branch --all`.",
  });
}

function dirty(root: string): MemError {
  return new MemError("conflict", {
    message: "The checkout has uncommitted changes.",
    hint: `Commit them, or put them away: \`git -C ${root} stash\`.`,
  });
}

function noRemote(): MemError {
  return new MemError("conflict", {
    message: "The branch follows no remote branch.",
    hint: "Set one: `git branch --set-upstream-to=origin/main`.",
  });
}

function diverged(ahead: number, behind: number): MemError {
  return new MemError("conflict", {
    message: `The branch is ${ahead} ahead and ${behind} behind, so it cannot be fast-forwarded.`,
    hint: "Rebase or merge it with git.",
  });
}

function noGit(): MemError {
  return new MemError("conflict", { message: "git is not installed.", hint: "Install git, then try again." });
}

// Git's own message may have an address with a password, so it is not answered.
function gitFailed([what]: readonly string[], root: string, cause: Error): MemError {
  return new MemError("conflict", {
    message: `\`git ${what}\` failed.`,
    hint: `See why: run it in ${root}.`,
    cause,
  });
}
