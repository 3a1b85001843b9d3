import { expect, test } from "vitest";
import { foldFigures, foldOf, shareSpread } from "./folds.mjs";
import { scoreScenario } from "./score.mjs";

const ids = Array.from({ length: 200 }, (_, at) => `rule-${at}`);

function score(id: string, injected: string) {
  const scenario = { id, kind: "rule", lang: "en", need: [{ at: "start", all: ["fact"] }], never: [] };
  return scoreScenario(scenario, { start: injected });
}

test("keeps a scenario in its part whatever else is in the set", () => {
  expect(["rule-01", "cause-12", "quiet-08"].map((id) => foldOf(id, 5))).toEqual([0, 1, 0]);
});

test("spreads ids over all parts", () => {
  const sizes = [0, 1, 2, 3, 4].map((fold) => ids.filter((id) => foldOf(id, 5) === fold).length);
  expect(Math.min(...sizes)).toBeGreaterThan(25);
});

test("puts every score into one part", () => {
  const figures = foldFigures(
    ids.map((id) => score(id, "the fact")),
    5,
  );
  expect(figures.reduce((sum, { of }) => sum + of, 0)).toBe(ids.length);
  expect(figures.map(({ share }) => share)).toEqual([1, 1, 1, 1, 1]);
});

test("gives mean and sample deviation of the shares, without parts that need nothing", () => {
  const figures = [{ share: 0.5 }, { share: 1 }, { share: null }];
  const spread = shareSpread(figures);
  expect(spread).toMatchObject({ mean: 0.75, lowest: 0.5, highest: 1, parts: 2 });
  expect(spread.deviation).toBeCloseTo(Math.sqrt(0.125), 10);
});
