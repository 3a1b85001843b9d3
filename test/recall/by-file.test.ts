// A file's records over a real store, under every spelling.
import { beforeEach, expect, it } from "vitest";
import { type ByFile, createByFile, type FileChange } from "../../src/recall/by-file.ts";
import { createFileTimeline } from "../../src/store/sqlite/by-file.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let byFile: ByFile;
let changed: Map<number, FileChange[]>;
beforeEach(() => {
  changed = new Map();
  byFile = createByFile({
    projectId: (label) => memory.store.projects.find(label),
    find: createFileTimeline(memory.db),
    elsewhere: () => [],
    projectOf: (cwd) => (cwd.startsWith("/home/user/app") ? "app" : "nowhere"),
    changedSince: async ({ observations }) =>
      new Map([...changed].filter(([id]) => observations.includes(id))),
  });
});

const absolute = "/home/user/app/src/auth/login.ts";

async function ids(path: string, ...projects: string[]): Promise<number[]> {
  return (await byFile.of({ path, projects, limit: 15 })).observations.map(({ id }) => id);
}

it("lists who read or changed the file, newest first, with their number", async () => {
  memory.addObservation({ files_modified: [absolute], at: someTime + 2 });
  memory.addObservation({ files_read: [absolute], at: someTime + 3 });
  memory.addObservation({ files_modified: [absolute], files_read: [absolute], at: someTime + 1 });
  memory.addObservation({ files_modified: [`${absolute}x`] });
  expect(await ids(absolute)).toEqual([2, 1, 3]);
  const cut = await byFile.of({ path: absolute, projects: ["app"], limit: 1 });
  expect(cut).toMatchObject({ observations: [{ id: 2, files_read: [absolute] }], total: 3 });
});

it("finds what is stored in full by the end of its path, whatever the separators", async () => {
  memory.addObservation({ files_modified: [absolute] });
  memory.addObservation({ files_modified: ["C:\\app\\src\\auth\\login.ts"] });
  for (const path of ["src/auth/login.ts", "./src/auth/login.ts", "src\\auth\\login.ts", "login.ts"]) {
    expect(await ids(path, "app"), path).toEqual([2, 1]);
  }
  for (const path of ["rc/auth/login.ts", "auth/login", "src login.ts", "../login.ts"]) {
    expect(await ids(path, "app"), path).toEqual([]);
  }
});

it("finds a path stored relative to the project's root, inside that project only", async () => {
  memory.addObservation({ files_modified: ["src/auth/login.ts"] });
  memory.addObservation({ files_modified: ["login.ts"] });
  memory.addObservation({ files_modified: ["src/auth/login.ts"], project: "other" });
  expect(await ids(absolute, "app")).toEqual([1]);
  expect(await ids(absolute)).toEqual([]);
  expect(await ids("src/auth/login.ts", "app", "other")).toEqual([3, 1]);
});

it("knows no record of another project", async () => {
  memory.addObservation({ files_modified: [absolute], project: "other" });
  expect(await ids(absolute, "app")).toEqual([]);
  expect(await ids("login.ts", "app")).toEqual([]);
  memory.addObservation({ files_modified: ["/app/b.ts"] });
  expect(await ids(absolute, "app")).toEqual([]);
  expect(await ids("login.ts", "app")).toEqual([]);
  expect(await ids(absolute, "app", "other")).toEqual([1]);
});

it("stays in the project around the reader or the file, also without records", async () => {
  memory.addObservation({ files_modified: [absolute] });
  memory.addObservation({ files_modified: ["/elsewhere/login.ts"], project: "other" });
  const from = async (cwd: string, path: string) =>
    (await byFile.of({ path, projects: [], cwd, limit: 15 })).observations.map(({ id }) => id);
  expect(await from("/home/user/app", "login.ts")).toEqual([1]);
  expect(await from("/new", "login.ts")).toEqual([]);
  expect(await from("/new", absolute)).toEqual([1]);
  expect(await ids("login.ts")).toEqual([2, 1]);
});

it("leaves out what was rejected", async () => {
  memory.addObservation({ files_modified: [absolute] });
  memory.db.prepare("update observations set status = 'rejected'").run();
  expect(await ids(absolute)).toEqual([]);
});

it.each(['"', "()*", "a\0b", "日本/語.ts", "../..", "x".repeat(4000), "a/".repeat(2000), "NEAR(a b)"])(
  "answers to the path %j",
  async (path) => {
    memory.addObservation({ files_modified: [path] });
    expect(await ids(path, "app")).toEqual([1]);
  },
);

it("says which files have changed since", async () => {
  memory.addObservation({ files_modified: [absolute] });
  memory.addObservation({ files_modified: [absolute] });
  changed.set(1, [{ path: absolute, is: "gone" }]);
  const { observations } = await byFile.of({ path: absolute, projects: [], limit: 15 });
  expect(observations.map((one) => one.changed_since)).toEqual([undefined, [{ path: absolute, is: "gone" }]]);
});
