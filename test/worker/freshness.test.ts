import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProjectNames } from "../../src/capture/projects/names.ts";
import { createPlaces } from "../../src/capture/projects/places.ts";
import { createRootCommits } from "../../src/capture/projects/root-commits.ts";
import { systemClock } from "../../src/core/clock.ts";
import { buildFreshness } from "../../src/worker/freshness.ts";
import { makeRepository } from "../capture/projects/work-tree-support.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("does not report files as gone because the agent works in another project", async () => {
  const { store, db, addObservation, close } = createMemoryStore();
  onTestFinished(close);
  const root = tempDir();
  const places = createPlaces({ clock: systemClock, home: root, rootCommits: createRootCommits(null) });
  const projects = { ...createProjectNames(places, store.projects), placeOf: places };
  const app = makeRepository(join(root, "app"), "https://github.com/a/app");
  const other = makeRepository(join(root, "other"), "https://github.com/a/other");
  const clone = makeRepository(join(root, "clone"), "https://github.com/a/app");
  for (const folder of [other, clone, app]) projects.claim(folder);
  mkdirSync(join(clone, "src"));
  writeFileSync(join(app, "a.ts"), "one");
  const observation = addObservation({
    project: projects.labelOf(app),
    files_modified: ["a.ts"],
    at: Date.now(),
  });
  db.prepare("update sessions set cwd = ?").run(app);
  const { blobHashes, changedSince } = buildFreshness({
    store,
    clock: systemClock,
    projects,
    deadlineMs: 60_000,
  });
  blobHashes.add([observation]);
  await blobHashes.stop();
  const { id, project } = observation;
  const changes = async (cwd: string) => (await changedSince({ observations: [id], project, cwd })).get(id);
  expect(await changes(other)).toBeUndefined();
  expect(await changes(app)).toBeUndefined();
  expect(await changes(join(clone, "src"))).toBeUndefined();
  writeFileSync(join(clone, "a.ts"), "other");
  expect(await changes(join(clone, "src"))).toEqual([{ path: "a.ts", is: "changed" }]);
  expect(await changes(app)).toBeUndefined();
});
