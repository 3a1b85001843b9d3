import { beforeAll, expect, test } from "vitest";
import { createWorkerClient, type WorkerClient } from "../../src/client/worker-client.ts";
import { until } from "../helpers/worker-process.ts";
import { calledMem, type Mem, servedMem, sharedMem } from "./mem.ts";

// For tests that only read.
const remembering = sharedMem();
beforeAll(() => fill(remembering));

test("search with words and filters prints the records, --json one list of them", async () => {
  const mem = remembering;
  const question = await mem("search", "why", "did", "the", "login", "test", "fail?");
  expect(question.code).toBe(0);
  expect(question.stdout).toContain("npm test");
  expect(question.stdout).toContain("shop");
  const { stdout } = await mem("search", "login", "--type", "observations", "--limit", "1", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ items: [{ kind: "observation" }], total_results: 1 });
  const full = await mem("search", "login", "--format", "full", "--files", "/home/user/shop/src/login.ts");
  expect(full.stdout).toContain("/home/user/shop/src/login.ts");
  for (const nothing of [
    ["--until", "7d"],
    ["--obs-type", "decision"],
    ["--concepts", "trade-off"],
  ]) {
    const run = await mem("search", "login", ...nothing);
    expect(run).toMatchObject({ code: 0, stdout: "" });
    expect(run.stderr).toContain("fewer filters");
  }
});

test("a search without words says what it lists", async () => {
  const listed = await remembering("search", "");
  expect(listed.stderr).toBe("Without words: the newest records. Routine steps too: add --all.\n");
  expect(listed.stdout).toContain("shop");
  expect((await remembering("search", "", "--all")).stderr).toBe("");
});

test("a question about a time finds the records of that time and says how it was read", async () => {
  const mem = remembering;
  for (const query of [
    "what did we do in the last two days",
    "what did I work on this year",
    "show me recent work",
  ]) {
    const { stdout, stderr } = await mem("search", query, "--all");
    expect(stdout).toContain("Read src/login.ts");
    expect(stdout).toContain("Mend the login");
    expect(stderr).toMatch(/is read as 20\d\d-|Read as a question for the newest records, which these are/);
  }
});

test("a type that the mode does not have is said where nothing was found", async () => {
  const mem = remembering;
  const { code, stdout: results, stderr } = await mem("search", "login", "--all", "--obs-type", "bugfxi");
  expect({ code, results }).toEqual({ code: 0, results: "" });
  const words = stderr.replace(/\s+/g, " ");
  expect(words).toContain("The mode code has no type bugfxi. Known: discovery, decision, bugfix");
  expect(words).toContain("Did you mean bugfix?");
  expect((await mem("search", "login", "--obs-type", "decision")).stderr).not.toContain("has no type");
  const concept = await mem("search", "login", "--concepts", "foo");
  expect(concept.stderr).toContain("The mode code has no concept foo.");
});

test("an unknown --type is a usage error with the known ones, and prints no results", async () => {
  const { code, stdout, stderr } = await remembering("search", "login", "--all", "--type", "bugfxi");
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  const words = stderr.replace(/\s+/g, " ");
  expect(words).toContain("has no type bugfxi. Known: discovery, decision, bugfix");
  expect(words).toContain("Kinds of records: observations, sessions, prompts.");
});

test("names an unknown project where nothing was found, with the known ones", async () => {
  const mem = servedMem();
  await fill(mem);
  const { code, stderr } = await mem("search", "login", "--project", "shpo");
  expect(code).toBe(66);
  expect(stderr).toBe(
    "No project named `shpo`. Known: shop. Did you mean shop?\nList projects: `mem project list`.\n",
  );
  expect((await mem("search", "login", "--project", "Shop")).stderr).toContain("but there is `shop`.");
  expect(await mem("search", "zebra", "--project", "shop")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Nothing found. Try other words or fewer filters."),
  });
  for (const words of [["timeline"], ["timeline", "2h"], ["timeline", "1"], ["file", "a.ts"], ["context"]]) {
    const run = await mem(...words, "--project", "shpo");
    expect(run).toEqual({ code: 66, stdout: "", stderr });
  }
  const created = await mem("remember", "Never npm.", "--project", "shpo");
  expect(created.stdout).toContain("applies in shpo");
  expect(created.stderr).toContain("`shpo` is a new project.");
});

test("search in an empty memory says that it is empty, and what fills it", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  for (const words of [[], ["login"], ["login", "--project", "shop"]]) {
    const { code, stderr } = await mem("search", ...words);
    expect(code).toBe(0);
    expect(stderr).toContain("The memory is empty.");
    expect(stderr).toContain("mem install claude-code");
  }
});

test("searches for a question of any length: a few words, or a whole log", async () => {
  const mem = remembering;
  const filling = "weiß ".repeat(15_000);
  const long = await mem("search", "curious", filling, filling, filling, "--json");
  expect(long).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(long.stdout).total_results).toBeGreaterThan(0);
  expect((await mem("search", "w".repeat(14_900))).code).toBe(0);
});

test("what a tool printed cannot write to the terminal of the one who searches", async () => {
  const mem = remembering;
  for (const format of ["index", "full"]) {
    const { stdout } = await mem("search", "curious", "--format", format);
    expect(stdout).toContain("curious");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  }
});

test("status counts what is remembered", async () => {
  const mem = remembering;
  const { stdout } = await mem("status");
  expect(stdout).toMatch(/Memory +3 observations, 0 summaries, 1 prompt, 1 session/);
  expect(stdout).toMatch(/Queue +empty/);
  const json: unknown = JSON.parse((await mem("status", "--json")).stdout);
  expect(json).toMatchObject({ database: { observations: 3 }, warnings: [] });
});

test.each([
  [["search", "--limit", "0"], "from 1 to 100"],
  [["search", "--limit", "many"], "from 1 to 100"],
  [["search", "--type", "so many things"], "Allowed choices are observations, sessions, prompts"],
  [["search", "--obs-type", "a thing"], "A type is one word: discovery"],
  [["search", "--since", "soon"], "is not a time"],
])("mem %j is refused before the worker is asked", async (words, sentence) => {
  const { code, stderr } = await calledMem()(...words);
  expect(code).toBe(64);
  expect(stderr).toContain(sentence);
});

/** Starts the worker, and has it make observations of a small session. */
async function fill(mem: Mem): Promise<void> {
  await mem("worker", "start");
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  const session = { claudeSessionId: "s-1", cwd: "/home/user/shop" };
  await client.postSession("init", { ...session, project: "shop", prompt: "Mend the login" });
  const read = { file_path: "/home/user/shop/src/login.ts" };
  const failed = { stdout: "FAIL login.test.ts\n Tests  1 failed | 3 passed (4)\n", exitCode: 1 };
  const curious = { stdout: "curious \x1b]52;c;ZXZpbA==\x07\x1b[2J\u202eoutput\r\n" };
  const uses = [
    { tool_name: "Read", tool_input: read, tool_response: { file: { content: "login()" } } },
    { tool_name: "Bash", tool_input: { command: "npm test -- login" }, tool_response: failed },
    { tool_name: "Bash", tool_input: { command: "echo curious" }, tool_response: curious },
  ];
  for (const [index, use] of uses.entries()) {
    await client.postSession("observations", { ...session, ...use, tool_use_id: `use-${index}` });
  }
  await until(() => allMade(client), 10_000, "the observations");
  await client.close();
}

async function allMade(client: WorkerClient): Promise<true | undefined> {
  return (await client.observations()).items.length === 3 ? true : undefined;
}
