import { expect, test } from "vitest";
import { lessOptions } from "../../src/cli/io.ts";

test.each([
  [undefined, "FRX"],
  ["", "FRX"],
  ["-i", "-R -i"],
  ["iM", "-R iM"],
  ["FRX", "FRX"],
  ["-i -R", "-i -R"],
  ["--RAW-CONTROL-CHARS", "--RAW-CONTROL-CHARS"],
])("LESS=%s becomes %s, which shows colors", (own, options) => {
  expect(lessOptions(own)).toBe(options);
});
