// Names of events in kebab-case.
import { expect, test } from "vitest";
import { kebabCase } from "../../src/text/kebab-case.ts";

test.each([
  ["PostToolUseFailure", "post-tool-use-failure"],
  ["userPromptSubmitted", "user-prompt-submitted"],
  ["post-tool-use", "post-tool-use"],
  ["Stop", "stop"],
  ["", ""],
])("%j is %j", (name, kebab) => {
  expect(kebabCase(name)).toBe(kebab);
});
