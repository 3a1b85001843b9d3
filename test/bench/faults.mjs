// The long kill test: 200 kills of the worker under 8 posting clients that retry.
import { boundFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";

const kills = Number(process.env.MEM_TEST_KILLS ?? 200);

export async function run() {
  const { lines, failed } = runTests("test/faults/kill.test.ts", { MEM_TEST_KILLS: String(kills) });
  const note = lines.find((line) => line.startsWith("kill test:")) ?? lines.slice(-60).join("\n");
  return [
    boundFigure({
      name: "kill runs in which something acknowledged was lost, doubled or not accounted for",
      unit: "runs",
      value: failed,
      n: kills,
      target: "= 0",
      note,
    }),
  ];
}
