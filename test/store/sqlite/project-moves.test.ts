// What a renamed or merged project takes along.
import { expect, test } from "vitest";
import { createMemoryStore } from "../../helpers/memory-store.ts";

const branchOf = (branch: string, tip: string) => ({ branch, tip, has_commits: 0, merged_until_epoch: 0 });

/** The projects `app` and `web`, each with the branch `feat`; `app` has `fix` too. */
function world() {
  const { store } = createMemoryStore();
  const [app, web] = ["app", "web"].map((label) => ({ id: store.projects.ensure(label), label }));
  if (app === undefined || web === undefined) throw new Error("the projects are missing");
  store.branches.add({ project: "app", branch: "feat", tip: "a", now: 1 });
  store.branches.add({ project: "app", branch: "fix", tip: "b", now: 2 });
  store.branches.add({ project: "web", branch: "feat", tip: "c", now: 3 });
  return { ...store, app, web };
}

test("a renamed project keeps its branches", async () => {
  const { commit, projectMoves, branches, app } = world();
  await commit(() => projectMoves.rename(app.id, "app", "shop"));
  expect(branches.of("app", 9)).toEqual([]);
  expect(branches.of("shop", 9)).toEqual([branchOf("fix", "b"), branchOf("feat", "a")]);
});

test("a merge keeps what is known of a branch of both projects", async () => {
  const { commit, projectMoves, branches, app, web } = world();
  branches.keep({ ...branchOf("feat", "a"), project: "app", has_commits: 1, merged_until_epoch: 5 });
  await commit(() => projectMoves.merge(app, web));
  expect(branches.of("app", 9)).toEqual([]);
  expect(branches.of("web", 9)).toEqual([
    { branch: "feat", tip: "c", has_commits: 1, merged_until_epoch: 5 },
    branchOf("fix", "b"),
  ]);
});
