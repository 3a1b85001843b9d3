import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { loadSettings } from "../../src/settings/load.ts";
import { buildFolders } from "../../src/worker/folder-context.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

let memory: MemoryStore;
let file: string;

beforeEach(async () => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  const root = join(tempDir(), "app");
  mkdirSync(join(root, "src"), { recursive: true });
  memory.addObservation({ title: "CANARY", files_modified: [join(root, "src", "a.ts")] });
  const { projects } = memory.store;
  projects.setFolder(projects.ensure("app"), root);
  file = join(root, "src", "CLAUDE.md");
  const { touched, refreshTouched } = open();
  touched("app");
  await refreshTouched();
  expect(readFileSync(file, "utf8")).toContain("CANARY");
});

/** As a worker that starts has it. */
function open() {
  const settings = loadSettings({ dataDir: tempDir(), env: { MEM_FOLDER_CONTEXT_ENABLED: "true" } });
  const clock = { now: () => 1, monotonicMs: () => 1 };
  return buildFolders({ store: memory.store, settings, clock });
}

const takeBack = () => memory.db.exec("delete from observations");

test("the next worker removes records that were rejected before the last one ended", async () => {
  takeBack();
  await open().refreshTouched();
  expect(existsSync(file)).toBe(false);
});

test("what is taken back in a project with another name now leaves its files", async () => {
  const { projects, projectMoves } = memory.store;
  projectMoves.rename(projects.find("app") ?? 0, "app", "shop");
  while (projectMoves.step(50));
  takeBack();
  const { touched, refreshTouched } = open();
  touched("shop");
  await refreshTouched();
  expect(existsSync(file)).toBe(false);
});

test("a round that fails loses no project: the next one does what was left", async () => {
  takeBack();
  const { touched, refreshTouched } = open();
  touched("app");
  touched("other");
  memory.db.exec("alter table folder_files rename to gone");
  await expect(refreshTouched()).rejects.toThrow("folder_files");
  expect(existsSync(file)).toBe(true);
  memory.db.exec("alter table gone rename to folder_files");
  await refreshTouched();
  expect(existsSync(file)).toBe(false);
});
