import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFile } from "../../src/core/paths.ts";
import { loadPrices } from "../../src/generate/prices.ts";
import { primaryModel, secondaryModel } from "../../src/generate/providers/model-names.ts";
import { definitionOf } from "../../src/settings/table.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const shipped = packageFile("templates", "prices.json");
const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 400_000 };

function load(ownText?: string) {
  const own = join(tempDir(), "prices.json");
  if (ownText !== undefined) writeFileSync(own, ownText);
  const warnings: string[] = [];
  return { prices: loadPrices({ shipped, own, warn: (sentence) => warnings.push(sentence) }), warnings };
}

function valuesOf(key: "MEM_MODEL" | "MEM_SECONDARY_MODEL"): readonly string[] {
  const definition = definitionOf(key);
  return definition.kind === "enum" ? definition.values : [];
}

test.each([
  ...valuesOf("MEM_MODEL").map((name) => primaryModel(name).id),
  ...valuesOf("MEM_SECONDARY_MODEL").map((name) => secondaryModel(name).id),
  definitionOf("MEM_COMPAT_MODEL").default,
])("the shipped table knows %s, which the settings name", (model) => {
  expect(load().prices.costMicroUsd(model, usage)).toBeTypeOf("number");
});

test("the cached part is read at its own price, and the rest at the full one", () => {
  // 0.6 M at $1, 0.4 M at $0.1, 0.1 M at $5.
  expect(load().prices.costMicroUsd("claude-haiku-4-5-20251001", usage)).toBe(600_000 + 40_000 + 500_000);
});

test("an unknown model has no cost, and an empty call costs nothing", () => {
  const { prices } = load();
  expect(prices.costMicroUsd("llama-at-home", usage)).toBeNull();
  expect(prices.costMicroUsd("llama-at-home", { inputTokens: 0, outputTokens: 0, cachedTokens: 0 })).toBe(0);
});

test("the user's own table goes before the shipped one, model by model", () => {
  const { prices, warnings } = load(
    '{ "models": { "llama-at-home": { "input": 0, "output": 0 }, "claude-sonnet-5": { "input": 2, "output": 10 } } }',
  );
  expect(prices.costMicroUsd("llama-at-home", usage)).toBe(0);
  // Without a price for what was cached, it costs what the rest costs.
  expect(prices.costMicroUsd("claude-sonnet-5", usage)).toBe(3_000_000);
  expect(prices.costMicroUsd("claude-haiku-4-5-20251001", usage)).toBe(1_140_000);
  expect(warnings).toEqual([]);
});

test.each([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["a price below zero", '{ "models": { "m": { "input": -1, "output": 1 } } }'],
  ["a price in words", '{ "models": { "m": { "input": "1", "output": 1 } } }'],
])("warns about a user's table that is %s and uses the shipped one", (_what, text) => {
  const { prices, warnings } = load(text);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("prices.json is not a price table");
  expect(prices.costMicroUsd("claude-haiku-4-5-20251001", usage)).toBe(1_140_000);
});
