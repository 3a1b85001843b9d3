import { describe, expect, test } from "vitest";
import { summaryContent, withoutTemplateWords } from "../../../src/core/records/template-words.ts";
import { termsOf } from "../../../src/text/words.ts";

const left = (text: string, generator = "local") => termsOf(withoutTemplateWords(text, generator)).join(" ");

test.each([
  ["Command: `npm run brexit`. It ended with exit code 1.", "npm run brexit"],
  ["npm test failed with exit code 2: no such route", "npm test rout"],
  ["npm test failed: 3 of 5 tests, exit code 1", "npm test"],
  ["Created poem.md with stanza (3 lines added)", "poem md stanza"],
  ["Edited a.ts: in save, renamed load to fetch. 2 lines added, 1 removed", "ts save load fetch"],
  ["Searched for `exit code`: 2 matches in 1 file", "exit code"],
  ["Committed and pushed: Fix the exit code of a failed run", "fix exit code fail run"],
  ["Failing test: created records are found", "creat record found"],
])("of %j the searchable words are what it quotes", (text, words) => {
  expect(left(text)).toBe(words);
});

describe("template words are content", () => {
  test.each(["gpt", "manual", ""])("in a record by %j", (generator) => {
    expect(left("Created poem. It ended with exit code 1.", generator)).toBe("creat poem end exit code 1");
  });

  test("between backquotes", () => {
    expect(left("It said: `Ran. It printed nothing. Created`")).toBe("ran print noth creat");
  });
});

test("the names of a summary's parts are no content, whatever the generator", () => {
  const text = "Request: fix the notes\nCompleted: Edited a.ts\nNext steps: learned helplessness";
  expect(termsOf(summaryContent(text, "gpt")).join(" ")).toBe("fix note edit ts learn helpless");
  expect(termsOf(summaryContent(text, "local")).join(" ")).toBe("fix note ts learn helpless");
});
