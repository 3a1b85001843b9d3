import { expect, test } from "vitest";
import { scoreScenario } from "./score.mjs";
import { gatedFigures } from "./targets.mjs";

const scores = Array.from({ length: 64 }, (_, at) =>
  scoreScenario(
    { id: `rule-${at}`, kind: "rule", lang: "en", need: [{ at: "start", all: ["fact"] }], never: [] },
    { start: "the fact" },
  ),
);
const targets = (set: string, isMixed: boolean) =>
  Object.fromEntries(
    gatedFigures(scores, { set, title: "t", isMixed }).map(({ name, target }) => [name, target]),
  );

test.each([
  ["dev", false, ">= 60"],
  ["dev", true, ">= 54"],
  ["dev2", false, ">= 52"],
  ["unseen", false, ">= 54"],
  ["dev2", true, undefined],
])("asks %s (mixed: %s) for %s delivered", (set, isMixed, target) => {
  expect(targets(set, isMixed)["t: delivered before the agent acts"]).toBe(target);
});

test("bounds tokens by moment, and violations to none", () => {
  expect(targets("dev", false)).toMatchObject({
    "t: tokens at start, mean": "<= 1000",
    "t: tokens at prompt, mean": "<= 300",
    "t: tokens at action, mean": "<= 60",
    "t: scenarios with what must not be injected": "= 0",
  });
});

test("bounds the noise where there are unrelated prompts", () => {
  const quiet = scoreScenario(
    { id: "quiet-01", kind: "quiet", lang: "en", need: [], never: [] },
    { prompt: "x".repeat(84) },
  );
  const figures = gatedFigures([...scores, quiet], { set: "dev", title: "t", isMixed: false });
  const noise = figures.find(({ name }) => name.includes("unrelated prompt"));
  expect(noise).toMatchObject({ value: 21, n: 1, target: "<= 20", met: false });
});
