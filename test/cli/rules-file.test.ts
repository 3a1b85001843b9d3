import { describe, expect, test } from "vitest";
import { parseRulesFile, renderRulesFile } from "../../src/cli/rules-file.ts";
import { someRules } from "../http/sample-answers.ts";

// Rules 9 (everywhere) and 12 (project alpha).
const texts = ["Short answers.", "Never npm."];
const answer = {
  ...someRules,
  rules: someRules.rules.map((rule, index) => ({ ...rule, text: texts[index] ?? "" })),
};
const file = renderRulesFile(answer);

test("the file has a section for each place, with one rule a line", () => {
  const lines = file.split("\n").filter((line) => !line.startsWith("#"));
  expect(lines.join("\n").trim()).toBe(
    ["[everywhere]", "9: Short answers.", "", "[project alpha]", "12: Never npm."].join("\n"),
  );
});

test("a project without rules has its section, for new ones", () => {
  expect(renderRulesFile({ project: "shop", rules: [], proposals: [], contradictions: [] })).toContain(
    "[project shop]",
  );
});

describe("the changes in a file", () => {
  test.each([
    ["none", file, { changed: [], added: [], removed: [] }],
    ["with other line ends", file.replaceAll("\n", "\r\n"), { changed: [], added: [], removed: [] }],
    [
      "another text",
      file.replace("Never npm.", "Never yarn."),
      { changed: [{ id: 12, text: "Never yarn." }], added: [], removed: [] },
    ],
    ["a deleted line", file.replace(/^9: .*$/m, ""), { changed: [], added: [], removed: [9] }],
    ["all lines deleted", file.replace(/^\d+: .*$/gm, ""), { changed: [], added: [], removed: [9, 12] }],
    [
      "a new line in each section, also as an item of a list",
      `${file.replace("[everywhere]", "[everywhere]\n- No emojis.")}* Use tabs.\n`,
      {
        changed: [],
        added: [
          { text: "No emojis.", reach: "everywhere" },
          { text: "Use tabs.", reach: "project", project: "alpha" },
        ],
        removed: [],
      },
    ],
    // It was added while the editor was open.
    ["a rule that was not shown", file.replace("file: 9 12", "file: 12").replace(/^9: .*$/m, ""), none()],
  ])("%s", (_what, text, changes) => {
    expect(parseRulesFile(text, answer)).toEqual(changes);
  });

  test.each([
    ["99: Never npm.", "No rule 99"],
    ["12: Twice.", "Rule 12 appears twice"],
    ["[nowhere]", "is not a section"],
  ])("%j is refused with its line", (line, problem) => {
    const at = file.split("\n").length;
    expect(() => parseRulesFile(`${file}${line}\n`, answer)).toThrow(new RegExp(`^Line ${at}: .*${problem}`));
  });

  test("a rule without text and a new rule above the sections are refused", () => {
    expect(() => parseRulesFile(file.replace("Never npm.", ""), answer)).toThrow("has no text");
    expect(() => parseRulesFile(`Use tabs.\n${file}`, answer)).toThrow(
      "Line 1: A new rule needs a section above it",
    );
  });

  test("an empty file changes nothing", () => {
    expect(() => parseRulesFile(" \n", answer)).toThrow("Nothing was changed");
  });
});

function none() {
  return { changed: [], added: [], removed: [] };
}
