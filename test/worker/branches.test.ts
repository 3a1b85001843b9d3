import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createReadGit, type ReadGit } from "../../src/capture/projects/git.ts";
import { createProjectNames } from "../../src/capture/projects/names.ts";
import { createPlaces } from "../../src/capture/projects/places.ts";
import { createRootCommits } from "../../src/capture/projects/root-commits.ts";
import { systemClock } from "../../src/core/clock.ts";
import { findExecutable } from "../../src/settings/executable.ts";
import { createBranches } from "../../src/worker/branches.ts";
import { type GitRepository, gitRepository } from "../helpers/git-repository.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const program = findExecutable(process.env, "git");
if (program === null) throw new Error("git is not installed");
const realGit = createReadGit(program);

/** A repository of the project `shop`, with what the worker has for it. */
async function world(reader: ReadGit | null = realGit) {
  const root = tempDir();
  const memory = createMemoryStore();
  const repository = gitRepository(join(root, "shop"));
  const { store } = memory;
  const started: string[] = [];
  const git: ReadGit | null =
    reader &&
    ((gitDir, run) => {
      started.push(run.args[0] ?? "");
      return reader(gitDir, run);
    });
  const places = createPlaces({ clock: systemClock, home: root, rootCommits: createRootCommits(null) });
  const names = createProjectNames(places, store.projects);
  const project = names.claim(repository.folder);
  const projects = { ...names, placeOf: places };
  const branches = createBranches({ store, clock: systemClock, projects, git });
  onTestFinished(async () => {
    await branches.close();
    await memory.close();
  });
  const id = store.sessions.insert({
    ...{ claude_session_id: "s", sdk_session_id: "s", project, host: "api", cwd: null, now: 1 },
  });
  /** What a prompt in the folder does: the place is kept, and a record has it. */
  const record = (cwd = repository.folder) => {
    const place = branches.gitPlaceOf(cwd) ?? {};
    store.seePlace({ id, project }, place, Date.now());
    return { ...place, created_at_epoch: Date.now() };
  };
  /** The branch of the record's mark, after the checks in the background are done. */
  const markOf = async (one: ReturnType<typeof record>, cwd = repository.folder) => {
    for (let round = 0; round < 3; round += 1) {
      branches.unmergedAt(project, cwd);
      await branches.settle(cwd);
      await branches.idle();
    }
    return branches.unmergedAt(project, cwd)?.(one) ?? null;
  };
  return { ...memory, root, repository, project, branches, record, markOf, started };
}

/** A record on the branch `feat` that one commit follows; the work tree is on `main` again. */
async function feature() {
  const all = await world();
  const { repository, record, markOf } = all;
  repository.git("switch", "--quiet", "--create", "feat");
  const one = record();
  repository.commit("b.txt", "two\n");
  repository.git("switch", "--quiet", "main");
  expect(await markOf(one)).toBe("feat");
  return { ...all, one };
}

test("marks a record of another branch, and none on the branch itself", async () => {
  const { repository, one, markOf } = await feature();
  repository.git("switch", "--quiet", "feat");
  expect(await markOf(one)).toBeNull();
  repository.git("switch", "--quiet", "main");
  expect(await markOf(one)).toBe("feat");
});

const merges: [string, (repository: GitRepository) => void][] = [
  ["a fast-forward", ({ git }) => git("merge", "--quiet", "--ff-only", "feat")],
  [
    "a merge commit",
    ({ git, commit }) => {
      commit("c.txt", "three\n");
      git("merge", "--quiet", "--no-ff", "--no-edit", "feat");
    },
  ],
  [
    "a squash",
    ({ git, commit }) => {
      commit("c.txt", "three\n");
      git("merge", "--quiet", "--squash", "feat");
      git("commit", "--quiet", "--message", "Squashed");
    },
  ],
  [
    "a rebase, and later changes of the same file",
    ({ git, commit }) => {
      commit("c.txt", "three\n");
      git("cherry-pick", "feat");
      commit("b.txt", "later\n");
    },
  ],
];

test.each(merges)("takes the mark off after %s, and keeps it off", async (_name, merge) => {
  const { repository, one, markOf } = await feature();
  merge(repository);
  expect(await markOf(one)).toBeNull();
  repository.git("branch", "--quiet", "--delete", "--force", "feat");
  repository.commit("b.txt", "much later\n");
  expect(await markOf(one)).toBeNull();
});

test("marks new work on a merged branch, until that is merged too", async () => {
  const { repository, one, record, markOf } = await feature();
  repository.git("merge", "--quiet", "feat");
  expect(await markOf(one)).toBeNull();
  repository.git("switch", "--quiet", "feat");
  const next = { ...record(), created_at_epoch: Date.now() + 1 };
  repository.git("switch", "--quiet", "main");
  expect(await markOf(one)).toBeNull();
  expect(await markOf(next)).toBe("feat");
});

test("counts uncommitted work as the work of a branch that has no commits yet", async () => {
  const { repository, record, markOf } = await world();
  repository.git("switch", "--quiet", "--create", "feat");
  const one = record();
  repository.git("switch", "--quiet", "main");
  expect(await markOf(one)).toBe("feat");
  repository.commit("c.txt", "three\n");
  expect(await markOf(one)).toBe("feat");
});

test("keeps the mark when a branch is deleted without a merge", async () => {
  const { repository, one, markOf } = await feature();
  repository.git("branch", "--quiet", "--delete", "--force", "feat");
  expect(await markOf(one)).toBe("feat");
});

test("has no mark where the branch began from the other branch's work", async () => {
  const { repository, one, markOf } = await feature();
  repository.git("switch", "--quiet", "--create", "next", "feat");
  expect(await markOf(one)).toBeNull();
  repository.git("switch", "--quiet", "main");
  expect(await markOf(one)).toBe("feat");
});

test("reads the branch of a linked work tree, and marks its records in the main one", async () => {
  const { root, repository, record, markOf } = await world();
  const linked = join(root, "linked");
  repository.git("worktree", "add", "--quiet", "-b", "feat", linked);
  const one = record(linked);
  expect(one.branch).toBe("feat");
  expect(await markOf(one)).toBe("feat");
  expect(await markOf(one, linked)).toBeNull();
});

test("reads a detached HEAD as a commit without a branch, which is never marked", async () => {
  const { repository, one, record, markOf } = await feature();
  const commit = repository.git("rev-parse", "feat");
  repository.git("switch", "--quiet", "--detach", "feat");
  const detached = record();
  expect(detached).toMatchObject({ branch: null, commit });
  expect(await markOf(one)).toBeNull();
  repository.git("switch", "--quiet", "main");
  expect(await markOf(detached)).toBeNull();
  expect(await markOf(one)).toBe("feat");
});

test("reads packed refs", async () => {
  const { repository, branches } = await world();
  repository.git("pack-refs", "--all");
  const commit = repository.git("rev-parse", "HEAD");
  expect(branches.gitPlaceOf(repository.folder)).toEqual({ branch: "main", commit });
});

test("an earlier event happened where the work tree is, unless that moved since", async () => {
  const { repository, branches } = await world();
  const now = branches.gitPlaceOf(repository.folder);
  const moved = Math.floor(statSync(join(repository.folder, ".git", "logs", "HEAD")).mtimeMs);
  expect(branches.gitPlaceOf(repository.folder, moved)).toEqual(now);
  expect(branches.gitPlaceOf(repository.folder, moved - 1)).toBeNull();
});

test("marks nothing without git, in a cut history, and when the repository is gone", async () => {
  const without = await world(null);
  without.repository.git("switch", "--quiet", "--create", "feat");
  const one = without.record();
  without.repository.git("switch", "--quiet", "main");
  expect(await without.markOf(one)).toBeNull();
  const cut = await feature();
  writeFileSync(join(cut.repository.folder, ".git", "shallow"), "");
  cut.repository.commit("d.txt", "four\n");
  expect(await cut.markOf(cut.one)).toBeNull();
  const gone = await feature();
  rmSync(join(gone.repository.folder, ".git"), { recursive: true });
  rmSync(gone.root, { recursive: true, force: true });
  gone.branches.unmergedAt(gone.project, null);
  expect(gone.branches.gitPlaceOf(join(gone.root, "other"))).toBeNull();
});

test("checks a thousand branches with a few processes, and none for a known place", async () => {
  const { repository, project, record, markOf, started, store, branches } = await world();
  const { git } = repository;
  const commit = git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "work");
  const refs = Array.from({ length: 1_000 }, (_, n) => `feat/${n}`);
  for (const branch of refs.slice(0, 990)) store.branches.add({ project, branch, tip: commit, now: 1 });
  const lines = refs.slice(0, 900).map((branch) => `create refs/heads/${branch} ${commit}\n`);
  git("switch", "--quiet", "--create", "feat/x");
  const one = record();
  repository.commit("b.txt", "two\n");
  git("switch", "--quiet", "main");
  writeFileSync(join(repository.folder, "refs.txt"), lines.join(""));
  git("config", "alias.fill", "!git update-ref --stdin < refs.txt");
  git("fill");
  expect(await markOf(one)).toBe("feat/x");
  const { length } = started;
  expect(length).toBeLessThan(20);
  git("switch", "--quiet", "feat/x");
  await markOf(one);
  git("switch", "--quiet", "main");
  const before = started.length;
  await markOf(one);
  expect(started.length).toBe(before);
  expect(branches.unmergedAt(project, repository.folder)).not.toBeNull();
});
