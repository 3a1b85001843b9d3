import { expect, test } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { printWarnings, stepLines } from "../../src/cli/table.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";

test("a step that fits is one line, as it was written", () => {
  expect(stepLines("mem worker restart", 55)).toEqual(["mem worker restart"]);
});

test("commands are broken after && only, where a shell reads on", () => {
  expect(stepLines("mem settings set MEM_COMPAT_API_KEY <key> && mem worker restart", 55)).toEqual([
    "mem settings set MEM_COMPAT_API_KEY <key> &&",
    "mem worker restart",
  ]);
});

test("a remark behind a command goes to the next line, and a long path stays whole", () => {
  const path = `/${"folder/".repeat(12)}rejected`;
  expect(stepLines(`less ${path} (it is removed after seven days)`, 55)).toEqual([
    `less ${path}`,
    "(it is removed after seven days)",
  ]);
});

test("sentences are broken between words, and a command within them stays whole", () => {
  const lines = stepLines(
    "Install Claude Code and log in, or name its command: `mem settings set HOST_CLI_PATH <path>`. Then go on.",
    55,
  );
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(55);
  expect(lines).toContain("`mem settings set HOST_CLI_PATH <path>`. Then go on.");
});

test("what comes from outside cannot move the cursor", () => {
  expect(stepLines("Run\u001b[2J it", 55).join()).not.toContain("\u001b");
});

test("a warning of several lines stays in lines", () => {
  const lines: string[] = [];
  const io = { columns: 80, err: (line: string) => lines.push(line), errPaint: { yellow: String } };
  printWarnings(io as unknown as Io, ["mem: damaged.\nRun `mem doctor`.", "mem: another"]);
  expect(lines).toEqual(["mem: damaged.", "Run `mem doctor`.", "mem: another"]);
});
