import { expect, test } from "vitest";
import { createBitIndex } from "../../../src/recall/vectors/bit-index.ts";
import { toInt8 } from "../../../src/recall/vectors/int8.ts";
import { createRandom, testSeed } from "../../helpers/random.ts";
import { clustered } from "../../helpers/some-vectors.ts";

const seed = testSeed();

test(`the index equals a plain list after random changes (seed ${seed})`, () => {
  const random = createRandom(seed);
  // With fewer, more rows than are returned may be equally near.
  const vectors = clustered(200, { dimension: 70, seed });
  const index = createBitIndex(70);
  const list = new Map<number, { project: number; vector: Float32Array }>();
  const bits = (vector: Float32Array) => [...vector].map((value) => value > 0);
  for (let step = 0; step < 3_000; step++) {
    const id = random.between(1, 900);
    const vector = random.pick(vectors);
    if (random.next() < 0.4) {
      index.remove(id);
      list.delete(id);
    } else {
      const project = random.between(1, 3);
      index.set({ row: id * 2, id, project }, toInt8(vector).bytes);
      list.set(id, { project, vector });
    }
    expect(index.size).toBe(list.size);
    if (step % 100 !== 0) continue;
    const query = random.pick(vectors);
    const wanted = random.pick([null, 1, 2, 3]);
    const distances = [...list]
      .filter(([, entry]) => wanted === null || entry.project === wanted)
      .map(([id, entry]) => {
        const [a, b] = [bits(query), bits(Float32Array.from(toInt8(entry.vector).bytes))];
        return { id, distance: a.filter((bit, at) => bit !== b[at]).length };
      })
      .sort((a, b) => a.distance - b.distance);
    const found = index.nearest(query, 10, wanted);
    const limit = distances[9]?.distance ?? Number.POSITIVE_INFINITY;
    const expected = distances.filter(({ distance }) => distance <= limit);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)));
    expect(found.every(({ row, id }) => row === id * 2)).toBe(true);
  }
});

test("an index of more than one piece finds in all of them, and shrinks", () => {
  const vectors = clustered(10_000, { dimension: 64, clusters: 2_500 });
  const index = createBitIndex(64);
  for (const [id, vector] of vectors.entries()) index.add({ row: id, id, project: 1 }, toInt8(vector).bytes);
  for (const id of [3, 8_191, 8_192, 9_999]) {
    const query = vectors[id];
    if (query) expect(index.nearest(query, 50, null).map((entry) => entry.id)).toContain(id);
  }
  for (let id = 0; id < 10_000; id++) if (id !== 9_345) index.remove(id);
  expect(index.nearest(vectors[0] ?? new Float32Array(64), 5, 1)).toEqual([{ row: 9_345, id: 9_345 }]);
  expect(index.nearest(vectors[0] ?? new Float32Array(64), 5, 2)).toEqual([]);
});

test("of too many equal vectors returns a bounded number of the newest", () => {
  const index = createBitIndex(64);
  const [same = new Float32Array(64), other = same] = clustered(2, { dimension: 64, clusters: 2 });
  for (let id = 0; id < 30_000; id++) index.add({ row: id, id, project: 1 }, toInt8(same).bytes);
  for (const id of [-1, -2]) index.add({ row: id, id, project: 1 }, toInt8(other).bytes);
  const ids = index.nearest(same, 20, null).map(({ id }) => id);
  expect(ids.length).toBe(80);
  expect(Math.min(...ids)).toBe(30_000 - 80);
  const near = index.nearest(other, 20, null).map(({ id }) => id);
  expect([near.length, near.includes(-1), near.includes(-2)]).toEqual([80, true, true]);
});
