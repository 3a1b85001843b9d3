// Secrets in sentences that people type, and sentences that only look like it: the rows of a table, a rule between both.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cleanPrompt } from "../../src/privacy/clean.ts";
import { redactSecrets } from "../../src/privacy/secrets.ts";

const table = readFileSync("test/fixtures/secret-sentences/sentences.txt", "utf8");
const [withSecret = "", clean = ""] = table.split("---\n");
const rowsOf = (part: string) => part.split("\n").filter((row) => row !== "" && !row.startsWith("# "));

test.each(rowsOf(withSecret))("leaves nothing of the secret in: %s", (row) => {
  const [, secret = ""] = /\{\{(.+)\}\}/.exec(row) ?? [];
  const left = redactSecrets(row.replace(/\{\{|\}\}/g, ""));
  expect(left).not.toContain(secret);
  expect(left).toMatch(/\[redacted:/);
  expect(redactSecrets(left)).toBe(left);
});

test.each(rowsOf(clean))("keeps as it is: %s", (row) => {
  const text = row.replaceAll("\\n", "\n");
  expect(redactSecrets(text)).toBe(text);
});

test("a prompt keeps its words and loses a block of base64", () => {
  const block = Buffer.from(`${"a picture of 3 cats. ".repeat(30)}.`).toString("base64");
  for (const shown of [block, block.replace(/.{76}/g, "$&\n"), `data:image/png;base64,${block}`])
    expect(cleanPrompt(`what is wrong here ${shown} ?`).text).toBe("what is wrong here [redacted:base64] ?");
  const path = `/${"some/folder/".repeat(30)}file.ts`;
  expect(cleanPrompt(`open ${path}`).text).toBe(`open ${path}`);
});
