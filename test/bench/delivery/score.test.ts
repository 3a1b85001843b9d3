import { describe, expect, test } from "vitest";
import { distribution, quietNoise, scoreScenario, summarize, summarizeMoment } from "./score.mjs";

const scenario = {
  id: "rule-01",
  kind: "rule",
  lang: "en",
  need: [{ at: "prompt", all: ["pnpm", "never\\b.*npm"] }],
  never: ["tabs"],
};
const [start, prompt] = ["Use PNPM here.", "Never\nplain npm."];

describe("the score of a scenario", () => {
  test("joins what was injected up to the need's moment", () => {
    const score = scoreScenario(scenario, { start, prompt });
    expect(score.delivered).toBe(true);
    expect(score.needs[0]).toMatchObject({ met: true, metAt: "prompt", missing: [] });
  });

  test("counts a fact that comes after its moment as missed, with that moment", () => {
    const score = scoreScenario(scenario, { start, prompt: "", action: prompt });
    expect(score.delivered).toBe(false);
    expect(score.needs[0]).toMatchObject({ met: false, metAt: "action", missing: ["never\\b.*npm"] });
  });

  test("reports a violated never at any moment", () => {
    const score = scoreScenario(scenario, { start: "", prompt: "", action: "use tabs" });
    expect(score.never).toEqual(["tabs"]);
  });

  test("counts four characters to a token, and nothing where no hook ran", () => {
    expect(scoreScenario(scenario, { start: "12345", prompt: "" }).tokens).toEqual({
      start: 2,
      prompt: 0,
      action: undefined,
    });
  });
});

describe("sums of scores", () => {
  const quiet = { id: "quiet-01", kind: "quiet", lang: "en", need: [], never: [] };
  const scores = [
    scoreScenario(scenario, { start, prompt, action: "" }),
    scoreScenario({ ...scenario, id: "rule-02" }, { start, prompt: "" }),
    scoreScenario(quiet, { start, prompt: "1234" }),
  ];

  test("leave scenarios without needs out of the delivered share", () => {
    expect(summarize(scores)).toMatchObject({ scenarios: 3, delivered: 1, of: 2, never: 0 });
  });

  test("give facts per 1,000 tokens over everything injected", () => {
    expect(summarize(scores).factsPer1000).toBeCloseTo(1000 / (4 * 4 + 1), 5);
  });

  test("take a moment only over the scenarios that reached it", () => {
    expect(summarizeMoment(scores, "action")).toMatchObject({ due: 0, runs: 1, injected: 0 });
    expect(summarizeMoment(scores, "prompt")).toMatchObject({ met: 1, due: 2, runs: 3, injected: 2 });
  });

  test("take the noise from quiet scenarios alone", () => {
    expect(quietNoise(scores)).toMatchObject({ scenarios: 1, injected: 1, tokens: { mean: 1 } });
  });

  test("give the nearest rank as the 95th percentile", () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
    expect(distribution(hundred)).toEqual({ mean: 50.5, p95: 95, most: 100 });
    expect(distribution([])).toEqual({ mean: 0, p95: 0, most: 0 });
  });
});
