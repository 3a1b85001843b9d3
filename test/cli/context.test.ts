import { expect, test } from "vitest";
import { servedMem } from "./mem.ts";

test("prints what an agent gets, why each record is in it, and why there is nothing", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  await mem("remember", "Never use npm, use pnpm.", "--project", "shop");
  await mem("remember", "Short answers.", "--everywhere");

  const start = await mem("context", "--project", "shop");
  expect(start.code).toBe(0);
  expect(start.stdout).toMatch(/^Start of a session in shop: \d+ tokens\n<\S+>\n# Memory of shop\n/);
  expect(start.stdout).toContain("- Never use npm, use pnpm. (#1)\n");
  expect(start.stdout).toContain(
    [
      "Why:",
      '  #2  decision, said by user, rule everywhere, salience 5.0: in "Rules from the user"',
      '  #1  decision, said by user, rule in this project, salience 5.0: in "Rules from the user"',
      "",
    ].join("\n"),
  );

  const words = ["--project", "shop", "--prompt", "tell me a joke", "--command", "npm install zod"];
  const all = await mem("context", ...words);
  expect(all.stdout).toContain(
    "\nFirst prompt: 0 tokens\nNo record fits this prompt: it reads as general talk.\n",
  );
  expect(all.stdout).toMatch(/\nBefore the command: \d+ tokens\n<\S+>\nA rule from the user: Never/);
  expect(all.stdout).toContain("salience 5.0: a rule that forbids this command\n");
  // Nothing is recorded: the same question has the same answer.
  expect(await mem("context", ...words)).toEqual(all);
  const json = JSON.parse((await mem("context", ...words, "--json")).stdout);
  expect(json).toMatchObject({ project: "shop", items: [{ moment: "start" }, {}, { moment: "command" }] });

  const long = await mem("context", "--project", "shop", "--prompt", "pnpm ".repeat(8000), "--file", "a.ts");
  expect(long.stdout).toContain("Before the file: 0 tokens\nNo record is about this file");

  const unknown = await mem("context", "--project", "shpo");
  expect(unknown.code).toBe(66);
  expect(unknown.stderr).toContain("Install mem for one: `mem install`.");
  expect(start.stderr).toBe("");
});
