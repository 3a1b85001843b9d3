import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createIndexThread } from "../../../src/recall/vectors/index-thread.ts";
import { createVectorIndex } from "../../../src/recall/vectors/vector-index.ts";
import { createVectors, openVectorReader } from "../../../src/store/sqlite/vectors.ts";
import { eventually, patienceMs } from "../../helpers/eventually.ts";
import { createMemoryStore } from "../../helpers/memory-store.ts";
import { along, clustered, stored } from "../../helpers/some-vectors.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { volume } from "../../helpers/volume.ts";

const script = fileURLToPath(new URL("../../../dist/vector-thread.cjs", import.meta.url));
let nowMs = 0;
const clock = { now: () => nowMs, monotonicMs: () => nowMs };

function openIndex({ dimension = 64 } = {}) {
  const databasePath = join(tempDir(), "mem.db");
  const memory = createMemoryStore(databasePath);
  const vectors = createVectors(memory.db);
  const { id: setId } = vectors.ensureSet("builtin", "", dimension);
  const add = (unit: Float32Array, project = "app") => {
    const observation = memory.addObservation({ title: "one", project });
    vectors.put(setId, [{ of: observation, ...stored(unit) }]);
    return observation.id;
  };
  const thread = createIndexThread({ script, databasePath, clock, deadlineMs: patienceMs });
  const nearest = (unit: Float32Array, project: string | null = null, limit = 3) =>
    thread.nearest({ setId, unit, project, limit });
  onTestFinished(async () => {
    await thread.close();
    memory.close();
  });
  return { ...memory, vectors, setId, add, thread, nearest, databasePath };
}

const ids = (hits: { id: number }[]) => hits.map(({ id }) => id);

describe("the thread", () => {
  test("it starts with the first search and finds the nearest, of one project or of all", async () => {
    const { add, nearest, thread } = openIndex();
    const here = add(along(3));
    const there = add(along(3), "other");
    const far = add(along(40));
    expect(thread.running()).toBe(false);
    const hits = await nearest(along(3));
    expect(thread.running()).toBe(true);
    expect(ids(hits)).toEqual([there, here, far]);
    expect(hits[0]?.similarity).toBeCloseTo(1, 2);
    expect(ids(await nearest(along(3), "app"))).toEqual([here, far]);
    expect(await nearest(along(3), "nobody's")).toEqual([]);
    expect(ids(await nearest(along(3), null, 1))).toEqual([there]);
  });

  test("a search sees vectors added, changed, moved and removed since the last one", async () => {
    const { add, nearest, db, vectors, setId, store } = openIndex();
    const one = add(along(1));
    const two = add(along(2));
    expect(ids(await nearest(along(1), "app", 1))).toEqual([one]);
    const three = add(along(1));
    expect(ids(await nearest(along(1), "app", 2))).toEqual([three, one]);
    const record = store.observations.byId(two);
    if (record) vectors.put(setId, [{ of: record, ...stored(along(1)) }]);
    expect(ids(await nearest(along(1), "app"))).toEqual([three, two, one]);
    db.prepare("update observations set title = 'changed' where id = ?").run(three);
    db.prepare("delete from observations where id = ?").run(one);
    expect(ids(await nearest(along(1), "app"))).toEqual([two]);
    store.projects.ensure("moved");
    db.prepare("update observations set project = 'moved' where id = ?").run(two);
    expect(await nearest(along(1), "app")).toEqual([]);
    expect(ids(await nearest(along(1), "moved"))).toEqual([two]);
  });

  test("many concurrent searches each get their own answer", async () => {
    const { add, nearest } = openIndex();
    const all = Array.from({ length: 60 }, (_, axis) => add(along(axis)));
    const answers = await Promise.all(all.map((_, axis) => nearest(along(axis), null, 1)));
    expect(answers.flatMap(ids)).toEqual(all);
  });

  test("without a search for a while it ends, and the next search starts it again", async () => {
    const { add, setId, databasePath } = openIndex();
    const one = add(along(1));
    const thread = createIndexThread({ script, databasePath, clock, deadlineMs: patienceMs, idleMs: 50 });
    onTestFinished(() => thread.close());
    const request = { setId, unit: along(1), project: null, limit: 1 };
    await thread.nearest(request);
    await eventually(() => expect(thread.running()).toBe(false));
    expect(ids(await thread.nearest(request))).toEqual([one]);
  });
});

describe("a thread that breaks", () => {
  function brokenThread(code: string, restartMs: number, deadlineMs = patienceMs) {
    const file = join(tempDir(), "broken.cjs");
    writeFileSync(file, code);
    const thread = createIndexThread({ script: file, databasePath: "", clock, restartMs, deadlineMs });
    onTestFinished(() => thread.close());
    const ask = () => thread.nearest({ setId: 1, unit: along(1), project: null, limit: 1 });
    return { file, ask };
  }
  const answering = `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ call }) => parentPort.postMessage({ call, hits: [] }));`;

  test("the search that it broke under says why; later it is started again", async () => {
    const { file, ask } = brokenThread(
      `require("node:worker_threads").parentPort.on("message", () => { throw new Error("no memory"); });`,
      200,
    );
    await expect(ask()).rejects.toThrow("the index of vectors broke: no memory");
    await expect(ask()).rejects.toThrow("the index of vectors broke: no memory; it starts again in 1 s");
    writeFileSync(file, answering);
    nowMs += 1_000;
    expect(await ask()).toEqual([]);
  });

  test("a thread that does not answer is not waited for", async () => {
    const { ask } = brokenThread(
      `require("node:worker_threads").parentPort.on("message", () => {});`,
      10,
      100,
    );
    await expect(ask()).rejects.toThrow("still being read");
  });

  test("a database that cannot be opened is the reason", async () => {
    const thread = createIndexThread({
      script,
      databasePath: join(tempDir(), "none.db"),
      clock,
      deadlineMs: patienceMs,
    });
    onTestFinished(() => thread.close());
    const asked = thread.nearest({ setId: 1, unit: along(1), project: null, limit: 1 });
    await expect(asked).rejects.toThrow(/the index of vectors broke: .*cannot be/);
  });

  test("a closed thread rejects waiting and new searches", async () => {
    const { nearest, thread } = openIndex();
    const waiting = nearest(along(1));
    const refused = expect(waiting).rejects.toThrow("the worker is stopping");
    await thread.close();
    await refused;
    await expect(nearest(along(1))).rejects.toThrow("the worker is stopping");
  });
});

test("of the twenty nearest of an exact scan, 98 in 100 are found", () => {
  const { add, setId, databasePath, db } = openIndex({ dimension: 128 });
  const vectors = clustered(volume(5_000, 1_500));
  const byId = db.transaction(() => new Map(vectors.map((unit) => [add(unit), unit])))();
  const reader = openVectorReader(databasePath);
  onTestFinished(() => reader.close());
  const index = createVectorIndex(reader);
  let found = 0;
  const queries = clustered(volume(20, 10), { seed: 1 });
  for (const unit of queries) {
    const exact = [...byId]
      .map(([id, other]) => ({
        id,
        near: unit.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0),
      }))
      .sort((a, b) => b.near - a.near)
      .slice(0, 20);
    const hits = new Set(ids(index.nearest({ setId, unit, project: null, limit: 20 })));
    found += exact.filter(({ id }) => hits.has(id)).length;
  }
  expect(found / (queries.length * 20)).toBeGreaterThanOrEqual(0.98);
  expect(index.size()).toBe(vectors.length);
});
