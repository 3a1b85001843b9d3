// The long canary test: 50 projects that look alike, 10,000 random calls of everything that recalls.
import { boundFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";

const calls = 10_000;

export async function run() {
  const { lines, failed } = runTests("test/acceptance/canaries.test.ts", {
    // Times the 400 calls of the test.
    MEM_FUZZ: String(calls / 400),
  });
  const note = lines.find((line) => line.startsWith("canaries:")) ?? lines.slice(-60).join("\n");
  const [, foreign] = /, (\d+) of another;/.exec(note) ?? [];
  return [
    boundFigure({
      name: "calls that told of another project",
      unit: "calls",
      value: foreign === undefined ? failed : Number(foreign),
      n: calls,
      target: "= 0",
      note,
    }),
    boundFigure({
      name: "runs of the canary test that failed",
      unit: "runs",
      value: failed,
      n: 1,
      target: "= 0",
    }),
  ];
}
