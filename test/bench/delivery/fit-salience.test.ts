import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fitSalience } from "./fit-salience.mjs";
import { packageWithWeights } from "./weights.mjs";

const scenario = (needed: string) => ({
  past: [
    {
      turns: [
        {
          prompt: "Why does the importer crash? We always use `uv` here, never pip.",
          did: [{ tool: "Bash", input: { command: "make" }, error: "Exit code 1" }],
          closing: `The crash came from \`${needed}\` in the parser. I ran the tests. Everything passes now.`,
        },
      ],
    },
  ],
  need: [{ at: "prompt", all: [needed, "parser"] }],
});

const source = readFileSync(new URL("../../../src/statements/salience.ts", import.meta.url), "utf8");

/** The row of a model whose trait ends with `trait`. */
function rowOf(trait: string, model: string): number {
  const rows = source
    .slice(source.indexOf(`const ${model}`))
    .split(/\n(?= {2}\[)/)
    .slice(1);
  return rows.findIndex((row) => row.includes(trait));
}

test("raises the weight of a trait that the needed sentences have", async () => {
  const [closing, prompt] = await fitSalience(["read_row", "close_file", "seek_end"].map(scenario));
  expect(closing).toMatchObject({ module: "src/statements/salience.ts", constant: "closingModel" });
  expect(closing?.values[rowOf("codeSpansIn(text)", "closingModel")]?.[0]).toBeGreaterThan(0.1);
  expect(prompt?.constant).toBe("promptModel");
  expect(prompt?.values[rowOf('has("never")]', "promptModel")]?.[0]).toBeLessThanOrEqual(0);
});

test("builds a worker with the weights", async () => {
  const overrides = await fitSalience([scenario("read_row")]);
  const tuned = await packageWithWeights(overrides);
  tuned.remove();
  await expect(packageWithWeights([{ ...overrides[0], module: "src/cli/main.ts" }])).rejects.toThrow(
    "src/cli/main.ts",
  );
});
