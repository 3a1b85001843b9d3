// The long forms of two fault tests: 200 kills of the worker under 8 posting clients that retry, and 400 damaged pages.
import { boundFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";

const kills = Number(process.env.MEM_TEST_KILLS ?? 200);
const damages = Number(process.env.MEM_TEST_DAMAGES ?? 400);

export async function run() {
  return [
    longTest("test/faults/kill.test.ts", {
      name: "kill runs in which something acknowledged was lost, doubled or not accounted for",
      env: { MEM_TEST_KILLS: String(kills) },
      n: kills,
      mark: "kill test:",
    }),
    longTest("test/faults/damage.test.ts", {
      name: "runs of single-page damages in which the worker stopped for good",
      env: { MEM_TEST_DAMAGES: String(damages) },
      n: damages,
      mark: "damage test:",
    }),
  ];
}

function longTest(file, { name, env, n, mark }) {
  const { lines, failed } = runTests(file, env);
  const note = lines.find((line) => line.includes(mark)) ?? lines.slice(-60).join("\n");
  return boundFigure({ name, unit: "runs", value: failed, n, target: "= 0", note });
}
