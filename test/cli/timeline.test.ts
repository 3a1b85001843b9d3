// `mem timeline`, `mem show` and `mem file` as processes on a real worker.
import { beforeAll, expect, test } from "vitest";
import { fillMemory, record } from "./mcp/fill.ts";
import { servedMem, sharedMem } from "./mem.ts";

// For tests that only read.
const filled = sharedMem();
const empty = sharedMem();
beforeAll(async () => {
  await fillMemory(filled);
  await empty("worker", "start");
});

test("a timeline leads from what search found to what happened around it", async () => {
  const mem = filled;
  const found = await mem("search", "redirect");
  expect(found.stdout).toContain("#1  Fixed the login redirect");
  const { code, stdout } = await mem("timeline", "#1", "--before", "1", "--project", "shop");
  expect(code).toBe(0);
  expect(stdout.split("\n").slice(1)).toEqual([
    expect.stringMatching(/^ {2}\d\d:\d\d {2}P1 {2}prompt +why does the login loop\?$/),
    expect.stringMatching(/^> \d\d:\d\d {3}1 {2}bugfix +Fixed the login redirect$/),
    expect.stringMatching(/^ {2}\d\d:\d\d {3}2 {2}discovery +Ran the tests$/),
    "",
  ]);
  expect((await mem("timeline", "--query", "redirect", "--after", "0")).stdout).toContain("> ");
  expect(JSON.parse((await mem("timeline", "1h", "--json")).stdout).items).toHaveLength(4);
  expect((await mem("timeline", "1h", "--project", "none")).stderr).toContain("No project named `none`.");
});

test("an age shows the newest records since then, and how to see the first ones", async () => {
  const mem = servedMem();
  await fillMemory(mem);
  for (let n = 1; n <= 52; n++)
    await record(mem, { claudeSessionId: "s", project: "shop", title: `Step ${n} of 52` });
  const { stdout, stderr } = await mem("timeline", "2h", "--project", "shop");
  expect(stdout).toContain("Step 52 of 52");
  expect(stdout).toContain("Step 3 of 52");
  expect(stdout).not.toContain("Step 2 of 52");
  expect(stderr).toContain("`mem timeline 2h --after 100`");
  const first = await mem("timeline", "2h", "--after", "2", "--project", "shop");
  expect(first.stdout).toContain("Fixed the login redirect");
  expect(first.stdout).not.toContain("Step");
});

test.each([
  [["timeline", "1", "--query", "x"], 64, "12, S12 or P12"],
  [["timeline", "soon"], 64, "is neither a time nor an id such as 12, S12 or P12"],
  [["timeline", "S9"], 66, "No summary S9."],
  [["timeline", "1", "--before", "101"], 64, "from 0 to 100"],
  [["show", "x1"], 64, "is not an id"],
  [["show", "1", "S9", "P9"], 66, "Not found: 1, S9, P9."],
])("%j is an error that says the next step", async (words, code, said) => {
  const run = await empty(...words);
  expect(run).toMatchObject({ code, stdout: "" });
  expect(run.stderr).toContain(said);
});

test("a timeline without an anchor shows the newest records and names the other calls", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  expect((await mem("timeline")).stderr).toContain("The memory is empty.");
  await fillMemory(mem);
  const { code, stdout, stderr } = await mem("timeline", "--project", "shop");
  expect(code).toBe(0);
  expect(stdout).toContain("Fixed the login redirect");
  expect(stdout).not.toContain(">");
  expect(stderr).toContain("`mem timeline 2h`");
  expect(JSON.parse((await mem("timeline", "--before", "1", "--json")).stdout).items).toHaveLength(1);
});

test("show prints whole records of every kind, also when one is missing", async () => {
  const mem = filled;
  const { code, stdout, stderr } = await mem("show", "1", "P1", "99");
  expect(code).toBe(66);
  expect(stdout).toContain("The cookie was set too late.");
  expect(stdout).toContain("- 302 looped");
  expect(stdout).toContain("P1  why does the login loop?");
  expect(stderr).toContain("Not found: 99.");
  const asJson = await mem("show", "2,1", "--json");
  expect(JSON.parse(asJson.stdout).items).toMatchObject([
    { kind: "observation", id: 2 },
    { id: 1, facts: ["302 looped"] },
  ]);
});

test("file shows who touched it, by a path from here or by its end", async () => {
  const mem = filled;
  for (const path of ["src/login.ts", "login.ts"]) {
    const { stdout } = await mem("file", path, "--all");
    expect(stdout).toMatch(/1 {2}bugfix {2}Fixed the login redirect\n$/);
  }
  expect((await mem("file", "login.ts", "--project", "web")).stderr).toContain("No records about login.ts");
  expect((await mem("file", "login.ts")).stderr).toContain("in this project. Other projects: --all");
  expect(JSON.parse((await mem("file", "login.ts", "--all", "--json")).stdout)).toMatchObject({
    count: 1,
    total: 1,
  });
});
