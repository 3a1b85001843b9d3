import { expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../../src/recall/embed/builtin.ts";
import { unitVector } from "../../../src/recall/vectors/int8.ts";

const { signal } = new AbortController();

async function vectorOf(text: string): Promise<Float32Array> {
  const [vector] = await createBuiltinEmbedder().embed([text], "document", signal);
  const unit = vector && unitVector(vector);
  if (unit === undefined) throw new Error(`no direction: ${text}`);
  return unit;
}

async function likeness(one: string, other: string): Promise<number> {
  const [a, b] = [await vectorOf(one), await vectorOf(other)];
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

test("the same text has the same vector everywhere", async () => {
  const vector = await vectorOf("The cache forgets parseConfig after a restart");
  const sum = vector.reduce((total, value, at) => total + value * (at + 1), 0);
  expect(vector).toHaveLength(384);
  expect(sum).toBeCloseTo(-139.8763, 3);
});

test("texts that share words, word forms or identifier parts are nearer", async () => {
  const far = await likeness("the cache forgets entries", "painting a wooden fence");
  expect(await likeness("the cache forgets entries", "entries of caches are forgotten")).toBeGreaterThan(
    far + 0.15,
  );
  expect(await likeness("parseConfig", "how to parse the config")).toBeGreaterThan(far + 0.3);
  expect(await likeness("検索を直す", "検索")).toBeGreaterThan(far + 0.2);
});

test.each(["", "???", "\u0000", "a".repeat(50_000), "👍 ".repeat(3_000)])(
  "any text has a direction",
  async (text) => {
    expect(await vectorOf(text)).toHaveLength(384);
  },
);
