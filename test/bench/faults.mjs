// The long forms of two fault tests: 200 kills of the worker under 8 posting clients that retry, and 400 damaged pages.
import { boundFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";

export async function run() {
  return [
    longTest("test/faults/kill.test.ts", {
      name: "kill runs in which something acknowledged was lost, doubled or not accounted for",
      // Times the 16 kills of the test.
      factor: 12.5,
      n: 200,
      mark: "kill test:",
    }),
    longTest("test/faults/damage.test.ts", {
      name: "runs of single-page damages in which the worker stopped for good",
      // Times its 8 damages.
      factor: 50,
      n: 400,
      mark: "damage test:",
    }),
  ];
}

function longTest(file, { name, factor, n, mark }) {
  const { lines, failed } = runTests(file, { MEM_FUZZ: String(factor) });
  const note = lines.find((line) => line.includes(mark)) ?? lines.slice(-60).join("\n");
  return boundFigure({ name, unit: "runs", value: failed, n, target: "= 0", note });
}
