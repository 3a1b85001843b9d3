import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createBlobHashStore } from "../../../src/context/freshness/blob-hash-store.ts";
import { type ChangedSince, createFreshness } from "../../../src/context/freshness/freshness.ts";
import type { ObjectFormat } from "../../../src/context/freshness/work-file.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { Observation } from "../../../src/core/records/records.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

let memory: MemoryStore;
let root: string;
let objectFormat: ObjectFormat;
let changedSince: ChangedSince;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  const outside = tempDir();
  root = join(outside, "work");
  mkdirSync(root);
  writeFileSync(join(outside, "secret"), "outside");
  objectFormat = "sha1";
  changedSince = freshness();
});

/** As after a restart: nothing is known but what is stored. */
function freshness(): ChangedSince {
  return createFreshness({
    clock: systemClock,
    deadlineMs: 60_000,
    blobsOf: memory.store.blobs.of,
    folderAround: (cwd) => cwd,
  });
}

/** The observation of these files, as it is stored now, with what is kept of them. */
async function remember(...files_modified: string[]): Promise<Observation> {
  return rememberLate(0, ...files_modified);
}

/** The same for what happened so long ago, as it comes from the spool. */
async function rememberLate(agoMs: number, ...files_modified: string[]): Promise<Observation> {
  const observation = memory.addObservation({ files_modified, at: Date.now() - agoMs });
  memory.db.prepare("update sessions set cwd = ?").run(root);
  const blobHashes = createBlobHashStore({
    clock: systemClock,
    cwdOf: memory.store.blobs.cwdOf,
    workTreeAround: (folder) => ({ folder, objectFormat }),
    sourcesOf: () => [],
    store: (blobs) => memory.store.commit(() => memory.store.blobs.keep(blobs)),
  });
  blobHashes.add([observation]);
  await blobHashes.stop();
  return observation;
}

const put = (name: string, text: string) => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};
const changes = async ({ id }: Observation, cwd: string | null = null) =>
  (await changedSince({ observations: [id], project: "app", cwd })).get(id) ?? [];
const kept = (id: number) => memory.store.blobs.of([id]).map(({ place, blob_id }) => [place, blob_id]);

test("the id is the one that git gives the content, whatever its form", async () => {
  put("a", "hello world\n");
  put("empty", "");
  put("crlf", "one\r\ntwo\r\n");
  writeFileSync(join(root, "bytes"), Buffer.from([0, 255, 128, 10]));
  put("large", "x".repeat(300_000));
  const { id } = await remember("a", "empty", "crlf", "bytes", "large");
  const ids = Object.fromEntries(kept(id));
  expect(ids).toMatchObject({
    a: "3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
    empty: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    large: createHash("sha1")
      .update(`blob 300000\0${"x".repeat(300_000)}`)
      .digest("hex"),
  });
  for (const name of ["crlf", "bytes"]) expect(ids[name]).toBe(asGit(name) ?? ids[name]);
});

function asGit(name: string): string | null {
  try {
    return execFileSync("git", ["hash-object", "--no-filters", name], { cwd: root, encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

test("a repository of sha256 names its content so, and is compared so", async () => {
  objectFormat = "sha256";
  put("a", "hello world\n");
  const observation = await remember("a");
  expect(kept(observation.id)).toEqual([
    ["a", createHash("sha256").update("blob 12\0hello world\n").digest("hex")],
  ]);
  expect(await changes(observation)).toEqual([]);
  put("a", "hello earth\n");
  expect(await changes(observation)).toEqual([{ path: "a", is: "changed" }]);
});

test("reports changed, deleted and replaced files by their paths in the record", async () => {
  const absolute = put("a.ts", "one");
  put("b.ts", "two");
  put("c.ts", "three");
  put("same.ts", "four");
  const observation = await remember(absolute, "b.ts", "c.ts", "same.ts");
  expect(await changes(observation)).toEqual([]);
  put("a.ts", "another length");
  rmSync(join(root, "b.ts"));
  rmSync(join(root, "c.ts"));
  mkdirSync(join(root, "c.ts"));
  expect(new Map((await changes(observation)).map(({ path, is }) => [path, is]))).toEqual(
    new Map([
      [absolute, "changed"],
      ["b.ts", "gone"],
      ["c.ts", "changed"],
    ]),
  );
});

test("detects a change of equal size, and ignores a file that was restored", async () => {
  put("a.ts", "one");
  const observation = await remember("a.ts");
  put("a.ts", "two");
  expect(await changes(observation)).toEqual([{ path: "a.ts", is: "changed" }]);
  put("a.ts", "one");
  expect(await changes(observation)).toEqual([]);
  utimesSync(join(root, "a.ts"), 1, 1);
  changedSince = freshness();
  expect(await changes(observation)).toEqual([]);
});

test("another work tree of the project is compared where the agent works", async () => {
  put("a.ts", "one");
  const observation = await remember(join(root, "a.ts"));
  const other = tempDir();
  writeFileSync(join(other, "a.ts"), "two");
  expect(await changes(observation, other)).toEqual([{ path: "a.ts", is: "changed" }]);
  writeFileSync(join(other, "a.ts"), "one");
  expect(await changes(observation, other)).toEqual([]);
  rmSync(join(other, "a.ts"));
  expect(await changes(observation, other)).toEqual([]);
  expect(await changes(observation, root)).toEqual([]);
});

test("without a reader, compares each record in its own checkout if that exists", async () => {
  const first = await remember(put("a.ts", "one"));
  const outer = root;
  root = tempDir();
  const second = await remember(put("a.ts", "two"));
  const asked = () => changedSince({ observations: [first.id, second.id], project: "app" });
  expect(await asked()).toEqual(new Map());
  rmSync(join(outer, "a.ts"));
  expect(await asked()).toEqual(new Map([[first.id, [{ path: join(outer, "a.ts"), is: "gone" }]]]));
  rmSync(outer, { recursive: true });
  expect(await asked()).toEqual(new Map());
});

test("reports nothing for the files of a missing folder", async () => {
  put("a.ts", "one");
  const observation = await remember("a.ts");
  renameSync(root, `${root}-moved`);
  expect(await changes(observation)).toEqual([]);
});

describe("nothing is kept of", () => {
  test("files outside of the work tree, by path or by link", async () => {
    symlinkSync("../secret", join(root, "link"));
    symlinkSync("..", join(root, "up"));
    const { id } = await remember("../secret", "link", "up/secret", "/etc/passwd", ".", "");
    expect(kept(id)).toEqual([]);
  });

  test("folders, pipes and files of more than 2 MiB", async () => {
    mkdirSync(join(root, "folder"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    put("large", "");
    truncateSync(join(root, "large"), 2 * 1024 * 1024 + 1);
    const { id } = await remember("folder", "pipe", "large", "none");
    expect(kept(id)).toEqual([]);
  });

  test("a file that was written long after its record", async () => {
    const soon = Date.now() / 1000 + 3600;
    utimesSync(put("a.ts", "one"), soon, soon);
    expect(kept((await remember("a.ts")).id)).toEqual([]);
  });

  test("a file that was written between an event and the time it was heard of", async () => {
    const hour = 3600;
    const written = (name: string, agoSeconds: number) => {
      const at = Date.now() / 1000 - agoSeconds;
      utimesSync(put(name, "one"), at, at);
    };
    written("before.ts", hour + 60);
    written("soon-after.ts", hour - 60);
    const { id } = await rememberLate(hour * 1000, "before.ts", "soon-after.ts");
    expect(kept(id).map(([place]) => place)).toEqual(["before.ts"]);
    // A change reported immediately is the session's own write.
    written("soon-after.ts", -60);
    expect(kept((await remember("soon-after.ts")).id)).toHaveLength(1);
  });
});

test("a file that was replaced by a link is changed, and the link is not followed", async () => {
  put("a.ts", "outside");
  const observation = await remember("a.ts");
  rmSync(join(root, "a.ts"));
  symlinkSync("../secret", join(root, "a.ts"));
  expect(await changes(observation)).toEqual([{ path: "a.ts", is: "changed" }]);
});

test("keeps the first hashes of a regenerated record, without files it dropped", async () => {
  put("a.ts", "one");
  put("b.ts", "two");
  const observation = await remember("a.ts", "b.ts");
  const before = kept(observation.id);
  put("a.ts", "other");
  memory.store.blobs.keep([
    {
      observation_id: observation.id,
      path: "a.ts",
      place: "a.ts",
      blob_id: "f".repeat(40),
      size: 5,
      mtime_ns: null,
      spans: null,
    },
    {
      observation_id: 999,
      path: "a.ts",
      place: "a.ts",
      blob_id: "f".repeat(40),
      size: 5,
      mtime_ns: null,
      spans: null,
    },
  ]);
  expect(kept(observation.id)).toEqual(before);
  expect(kept(999)).toEqual([]);
  memory.db.prepare("delete from observation_files where path = 'a.ts'").run();
  expect(kept(observation.id).map(([place]) => place)).toEqual(["b.ts"]);
});

test("the content of a file is in no table, only its id", async () => {
  const observation = await remember(put(".env", "PASSWORD=correct-horse-battery"));
  expect(kept(observation.id)).toHaveLength(1);
  const rows = memory.db.prepare("select * from observation_blobs").raw().all();
  expect(JSON.stringify(rows)).not.toContain("correct-horse");
});
