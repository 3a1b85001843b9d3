// A file's records in every checkout of its project, over a real store and real folders.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { Checkouts } from "../../../src/capture/projects/checkouts.ts";
import { createProjectNames, type ProjectNames } from "../../../src/capture/projects/names.ts";
import { createPlaces } from "../../../src/capture/projects/places.ts";
import { createRootCommits } from "../../../src/capture/projects/root-commits.ts";
import { createByFile } from "../../../src/recall/by-file.ts";
import { createFileTimeline } from "../../../src/store/sqlite/by-file.ts";
import { buildCheckouts } from "../../../src/worker/projects.ts";
import { createMemoryContext } from "../../helpers/memory-context.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { linkWorkTree, makeRepository } from "./work-tree-support.ts";

let memory: MemoryStore;
let home: string;
let now: number;
let names: ProjectNames;
let checkouts: Checkouts;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  home = tempDir();
  now = 0;
  const clock = { now: () => now, monotonicMs: () => now };
  const placeOf = createPlaces({ clock, home, rootCommits: createRootCommits(null) });
  names = createProjectNames(placeOf, memory.store.projects);
  checkouts = buildCheckouts(memory.store, { labelOf: names.labelOf, placeOf });
});

const remote = "https://a.example/x/shop.git";
const at = (...parts: string[]) => join(home, ...parts);

function record(root: string): void {
  const project = names.claim(root);
  memory.addObservation({ project, files_modified: [join(root, "src/login.ts")] });
}

/** Record ids injected before the file is read there, and ids in its timeline. */
async function known(root: string): Promise<number[][]> {
  const path = join(root, "src/login.ts");
  const project = names.labelOf(root);
  const { elsewhere } = checkouts;
  const told = await createMemoryContext(memory, {}, { elsewhere }).forFile({ project, path, cwd: root });
  const find = createFileTimeline(memory.db);
  const projectId = memory.store.projects.find;
  const byFile = createByFile({
    projectId,
    find,
    elsewhere,
    projectOf: names.labelOf,
    changedSince: async () => new Map(),
  });
  const listed = await byFile.of({ path, projects: [project], limit: 15 });
  return [told?.records ?? [], listed.observations.map(({ id }) => id)];
}

test("finds a file's records in a clone, a moved folder and a new work tree", async () => {
  const main = makeRepository(at("shop"), remote);
  mkdirSync(join(main, "src"));
  record(main);
  const clone = makeRepository(at("clone"), remote);
  expect(await known(clone)).toEqual([[1], [1]]);
  expect(await known(linkWorkTree(main, at("trees", "feature")))).toEqual([[1], [1]]);
  renameSync(main, at("moved"));
  now += 60_000;
  expect(await known(at("moved"))).toEqual([[1], [1]]);
});

test("the command for further records uses the path shared by all checkouts", async () => {
  for (let n = 0; n < 4; n++) record(makeRepository(at("shop"), remote));
  const clone = makeRepository(at("clone"), remote);
  const request = { project: "shop", path: join(clone, "src/login.ts"), cwd: clone };
  const { elsewhere } = checkouts;
  const told = await createMemoryContext(memory, {}, { elsewhere }).fileText(request);
  expect(told).toContain("1 more: `mem search --files src/login.ts`");
});

test("finds records of a removed work tree from the main one, nested or not", async () => {
  const main = makeRepository(at("shop"), remote);
  const inside = linkWorkTree(main, join(main, ".trees", "feature"));
  record(inside);
  names.claim(main);
  rmSync(join(main, ".trees"), { recursive: true });
  now += 60_000;
  expect(await known(main)).toEqual([[1], [1]]);
});

test("the same path in another project or folder is another file", async () => {
  const main = makeRepository(at("shop"), remote);
  record(main);
  const other = makeRepository(at("other"), "https://a.example/x/other.git");
  names.claim(other);
  expect(await known(other)).toEqual([[], []]);
  expect(await known(join(main, "packages", "a"))).toEqual([[], []]);
  const where = { project: "shop", cwd: main };
  expect(checkouts.elsewhere(join(other, "src/login.ts"), where)).toEqual([]);
  expect(checkouts.elsewhere("//host/share/src/login.ts", where)).toEqual([]);
});
