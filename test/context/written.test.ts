// The sentences of memory files, and statements that say the same.
import { expect, test } from "vitest";
import { type Written, writtenIn } from "../../src/context/written.ts";
import { createMemoryContext } from "../helpers/memory-context.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";

async function startWith(statement: string, written: Written): Promise<string> {
  const memory = createMemoryStore();
  try {
    const marks = { said_by: "user", standing: true, reach: "project", salience: 4 } as const;
    memory.addObservation({ title: statement, summary: statement, statement: marks });
    return (await createMemoryContext(memory).forSession({ project: "app", written })).text;
  } finally {
    memory.close();
  }
}

const rule = "Never run `npm install`: this repository uses pnpm.";

test.each([
  ["a line of its own", rule],
  ["a list item", `# Rules\n\n- ${rule}\n- Another one.`],
  ["wrapped lines", "Never run `npm install`:\nthis   repository\n  uses pnpm."],
  ["other emphasis and case", "* **never run npm install: this repository uses pnpm**"],
  ["one of two sentences of an item", `- Tests first. ${rule}`],
  ["a later paragraph of a long file", `${"A paragraph of its own.\n\n".repeat(300)}${rule}`],
  ["a long list", `${"- An item of its own\n".repeat(300)}- ${rule}`],
  ["lines with CRLF", `# Rules\r\n\r\n- ${rule}\r\n`],
])("a rule that a memory file has as %s is not injected", async (_how, file) => {
  expect(await startWith(rule, writtenIn(file))).not.toContain("pnpm");
});

test.each([
  ["a part of it", "Never run `npm install`."],
  ["more than it", "Never run `npm install`: this repository uses pnpm 9."],
  ["the opposite", "Run `npm install`: this repository uses pnpm."],
  ["it in a code block", `\`\`\`\n${rule}\n\`\`\``],
  ["nothing", ""],
])("a rule is injected when a memory file says %s", async (_how, file) => {
  expect(await startWith(rule, writtenIn(file))).toContain("this repository uses pnpm.");
});

test("a statement of two sentences needs both of them in the file", async () => {
  const two = "Use pnpm here. Never commit a lock file of npm.";
  expect(await startWith(two, writtenIn("- Use pnpm here."))).toContain("Use pnpm here.");
  expect(await startWith(two, writtenIn("- Use pnpm here.\n- Never commit a lock file of npm."))).toBe("");
});
