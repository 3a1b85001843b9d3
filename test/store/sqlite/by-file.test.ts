import { expect, it } from "vitest";
import { createByFile, createFileTimeline } from "../../../src/store/sqlite/by-file.ts";
import { eachMemoryStore, someTime } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();

const path = "/w/app/src/login.ts";
const request = { project: "app", paths: [path], exceptSession: null, limit: 3 };

it("returns a file's records and their total, changes first, then by time", () => {
  const byFile = createByFile(memory.db);
  const add = (at: number, files: object) => memory.addObservation({ at: someTime + at, ...files }).id;
  const oldest = add(1, { files_modified: [path], files_read: [path] });
  const newest = add(3, { files_modified: [path] });
  const middle = add(2, { files_modified: [path, "/w/app/other.ts"] });
  const told = add(4, { files_read: [path] });
  memory.db.prepare("update observations set generator = 'some-model' where id = ?").run(told);
  const found = byFile({ ...request, limit: 4 });
  expect(found.observations.map((record) => record.id)).toEqual([newest, middle, oldest, told]);
  expect(byFile({ ...request, limit: 1 })).toMatchObject({ observations: [{ id: newest }], total: 4 });
  expect(found.observations[0]).not.toHaveProperty("total");
});

it("omits local reads, other files, other projects and the asking session", () => {
  const byFile = createByFile(memory.db);
  memory.addObservation({ files_read: [path] });
  memory.addObservation({ files_modified: [`${path}x`] });
  memory.addObservation({ files_modified: [path], project: "other" });
  const own = memory.addObservation({ files_modified: [path], session: "own" });
  expect(byFile({ ...request, exceptSession: own.sdk_session_id })).toEqual({ observations: [], total: 0 });
  expect(byFile(request).observations.map((record) => record.id)).toEqual([own.id]);
});

it("knows the file by any of the spellings", () => {
  const { id } = memory.addObservation({ files_modified: ["src/login.ts"] });
  const found = createByFile(memory.db)({ ...request, paths: [path, "src/login.ts"] });
  expect(found.observations.map((record) => record.id)).toEqual([id]);
});

it("finds a file whose name has accents, however they are spelled", () => {
  const [one, two] = (["NFC", "NFD"] as const).map((form) => "/w/app/\u00dcbersicht.ts".normalize(form));
  const { id } = memory.addObservation({ files_modified: [two ?? ""] });
  expect(createByFile(memory.db)({ ...request, paths: [one ?? ""] }).observations[0]?.id).toBe(id);
  const ends = { paths: ["\u00dcbersicht.ts"], match: "bersicht OR ubersicht" };
  const found = createFileTimeline(memory.db)({ paths: [], ends, projects: [], limit: 3 });
  expect(found.observations.map((record) => record.id)).toEqual([id]);
});

it("finds a file whose name has half of a letter, as it is stored", () => {
  const [half, whole] = ["/w/app/a\ud83d.ts", "/w/app/a\ufffd.ts"];
  const { id, files_modified } = memory.addObservation({ files_modified: [half] });
  expect([id, files_modified]).toEqual([id, JSON.stringify([whole])]);
  for (const name of [half, whole]) {
    expect(createByFile(memory.db)({ ...request, paths: [name] }).total).toBe(1);
    const ends = { paths: [name.slice(7)], match: "ts" };
    const found = createFileTimeline(memory.db)({ paths: [], ends, projects: [], limit: 3 });
    expect(found.observations.map((record) => record.id)).toEqual([id]);
  }
});
