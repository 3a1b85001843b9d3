// 20,000 generated documents through the tag scanner: none of what they hide survives.
import { boundFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";

const documents = Number(process.env.MEM_TEST_DOCUMENTS ?? 20_000);

export async function run() {
  const { failed } = runTests("test/privacy/private-tags.test.ts", { MEM_TEST_DOCUMENTS: String(documents) });
  return [
    boundFigure({
      name: "tests of the tag scanner that let something hidden through",
      unit: "tests",
      value: failed,
      n: documents,
      target: "= 0",
    }),
  ];
}
