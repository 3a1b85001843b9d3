// 20,000 generated documents through the tag scanner: none of what they hide survives.
import { boundFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";

export async function run() {
  const { failed } = runTests("test/privacy/private-tags.test.ts", { MEM_FUZZ: "10" });
  return [
    boundFigure({
      name: "tests of the tag scanner that let something hidden through",
      unit: "tests",
      value: failed,
      n: 20_000,
      target: "= 0",
    }),
  ];
}
