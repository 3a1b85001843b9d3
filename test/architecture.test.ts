// Checks src/README.md against the code: the import table, edges, shape, names and wording.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  edgeRules,
  forbiddenImports,
  missingBundleParts,
  outsideHome,
  sqlOutsideStore,
} from "./helpers/house-rules.ts";
import { parseImportTable } from "./helpers/import-table.ts";
import {
  budgetFaults,
  importCycles,
  type LinesByFolder,
  longFunctions,
  shapeFaults,
  smallFiles,
  strangersAtTop,
} from "./helpers/shape-rules.ts";
import { parseTree, readTree } from "./helpers/source-tree.ts";
import { bannedWording, longTestNames } from "./helpers/wording-rules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const house = readTree(root, ["src", "bin", "test", "hooks"]);
const documents = readTree(root, ["docs"]);
const table = parseImportTable(readFileSync(`${root}src/README.md`, "utf8"));

const budgetFile = "test/size.json";

// Entries of processes, commands, screens that load late, and contracts of the wire.
const boundaries =
  /^src\/(worker\/main|cli\/commands\/|.*\/schemas\/|cli\/tui\/|viewer\/(pages|parts|clock))/;

// Phrases that the product reads, and migrations, which are never edited.
const wordData =
  /words-\w+\.ts|sentence-cues|prohibitions|migrations\/|wording-rules\.ts|^test\/(fixtures|statements|privacy)\//;

describe("the house", () => {
  test("every import is allowed by the table of src/README.md", () => {
    expect(forbiddenImports(house, table)).toEqual([]);
  });

  test("no imports form a cycle, types included", () => {
    expect(importCycles(house)).toEqual([]);
  });

  test("modules that benches and trials bundle exist with the names they take", () => {
    expect(missingBundleParts(house)).toEqual([]);
  });

  test("no function is over 80 lines", () => {
    expect(longFunctions(house)).toEqual([]);
  });

  test("a small file with one importer is a boundary", () => {
    expect(smallFiles(house, boundaries)).toEqual([]);
  });

  test("comments, messages and documents use no banned phrase", () => {
    expect(bannedWording(house, { exempt: wordData })).toEqual([]);
    expect(bannedWording(documents, { exempt: wordData })).toEqual([]);
  });

  test("names of tests have at most 80 characters", () => {
    expect(longTestNames(house)).toEqual([]);
  });

  test("SQL stands in src/store/ only", () => {
    expect(sqlOutsideStore(house)).toEqual([]);
  });

  test.each(edgeRules)("$name is used in its home only", (rule) => {
    expect(outsideHome(house, rule)).toEqual([]);
  });

  test("files keep their budget, their first line and a name that names something", () => {
    expect(shapeFaults(house)).toEqual([]);
  });

  test("folders keep the budget of test/size.json, and its total only falls", () => {
    const budget: LinesByFolder = JSON.parse(readFileSync(`${root}${budgetFile}`, "utf8"));
    expect(budgetFaults(house, budget, committedBudgets())).toEqual([]);
  });

  test("the top of the repository holds only what belongs there", () => {
    const ignored = readFileSync(`${root}.gitignore`, "utf8")
      .split("\n")
      .map((line) => line.replace("/", ""));
    expect(strangersAtTop(readdirSync(root), ignored)).toEqual([]);
  });

  test("every folder of src/ has a row in the import table", () => {
    const folders = readdirSync(`${root}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const rows = [...table.keys()].map((row) => row.split("/")[0]);
    expect(folders.map((entry) => entry.name).filter((name) => !rows.includes(name))).toEqual([]);
  });
});

// The last two: the newest one may be the one that is checked. None without git's history.
function committedBudgets(): LinesByFolder[] {
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: "pipe" });
  try {
    const commits = git("log", "-2", "--format=%H", "--", budgetFile).split("\n").filter(Boolean);
    return commits.map((commit) => JSON.parse(git("show", `${commit}:${budgetFile}`)));
  } catch {
    return [];
  }
}

describe("a rule that cannot fail holds nothing", () => {
  const imports: [string, Record<string, string>][] = [
    ["text imports a package", { "src/text/a.ts": 'import { z } from "zod";' }],
    ["text imports a module of Node", { "src/text/a.ts": 'import { join } from "node:path";' }],
    ["a feature imports another one", { "src/recall/a.ts": 'import { b } from "../capture/b.ts";' }],
    [
      "a feature imports a type of the store",
      { "src/recall/a.ts": 'import type { B } from "../store/sqlite/b.ts";' },
    ],
    ["the viewer imports a module of Node", { "src/viewer/a.ts": 'import { join } from "node:path";' }],
    [
      "the viewer imports a schema, not its type",
      { "src/viewer/a.ts": 'import { observation } from "../http/schemas/records.ts";' },
    ],
    ["the hook imports a package", { "src/hosts/hook/a.ts": 'import { z } from "zod";' }],
    ["a schema imports a package besides zod", { "src/http/schemas/a.ts": 'import x from "fastify";' }],
    [
      "a route imports the code of a feature",
      { "src/http/api/a.ts": 'import { b } from "../../recall/b.ts";' },
    ],
    [
      "a type is imported beside code",
      { "src/http/api/a.ts": 'import { type A, b } from "../../recall/b.ts";' },
    ],
    [
      "a type in an import() crosses over",
      { "src/store/sqlite/a.ts": 'type A = import("../../http/app.ts").A;' },
    ],
    ["the command line loads the worker at once", { "src/cli/a.ts": 'import { b } from "../worker/b.ts";' }],
    ["a re-export crosses over", { "src/settings/a.ts": 'export { b } from "../store/b.ts";' }],
    ["a folder without a row appears", { "src/magic/a.ts": "export const a = 1;" }],
    ["code is imported from the tests", { "src/cli/a.ts": 'import { b } from "../../test/b.ts";' }],
  ];
  test.each(imports)("it is noticed when %s", (_what, files) => {
    expect(forbiddenImports(parseTree(files), table)).toHaveLength(1);
  });

  const allowed: [string, Record<string, string>][] = [
    [
      "a route names a type of a feature",
      { "src/http/api/a.ts": 'import type { B } from "../../recall/b.ts";' },
    ],
    [
      "a route imports types one by one",
      { "src/http/api/a.ts": 'import { type B } from "../../recall/b.ts";' },
    ],
    ["the command line loads the worker late", { "src/cli/a.ts": 'await import("../worker/b.ts");' }],
    ["the hook uses Node", { "src/hosts/hook/a.ts": 'import { connect } from "node:net";' }],
    [
      "the worker imports what is below it",
      { "src/worker/a.ts": 'import { b } from "../store/sqlite/b.ts";' },
    ],
  ];
  test.each(allowed)("it is allowed that %s", (_what, files) => {
    expect(forbiddenImports(parseTree(files), table)).toEqual([]);
  });

  test("a cycle through three files is reported once, with types or values", () => {
    const circle = (word: string) => ({
      "src/a.ts": `${word} { b } from "./b.ts";`,
      "src/b.ts": `${word} { c } from "./c.ts";`,
      "src/c.ts": `${word} { a } from "./a.ts";`,
    });
    expect(importCycles(parseTree(circle("import")))).toEqual([
      "src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts",
    ]);
    expect(importCycles(parseTree(circle("import type")))).toHaveLength(1);
  });

  test("a bundled module or name that does not exist is reported", () => {
    const bench = 'bundle(`export { a, b } from "./src/core/a.ts"; export { c } from "./src/core/c.ts";`);';
    const files = { "test/bench/a.mjs": bench, "src/core/a.ts": "export const a = 1;" };
    expect(missingBundleParts(parseTree(files))).toEqual([
      "test/bench/a.mjs: src/core/a.ts has no b",
      "test/bench/a.mjs: src/core/c.ts does not exist",
    ]);
  });

  test("a function of 81 lines is reported", () => {
    const text = `function a() {\n${"\n".repeat(79)}}\n`;
    expect(longFunctions(parseTree({ "src/cli/a.ts": text }))).toEqual(["src/cli/a.ts:1: 81 lines"]);
  });

  test("a small file with one importer is reported, with two or as a boundary not", () => {
    const files = { "src/cli/a.ts": 'import { b } from "./b.ts";', "src/cli/b.ts": "export const b = 1;" };
    expect(smallFiles(parseTree(files), /^$/)).toEqual(["src/cli/b.ts: only src/cli/a.ts imports it"]);
    expect(smallFiles(parseTree(files), /b\.ts$/)).toEqual([]);
    expect(smallFiles(parseTree({ ...files, "src/cli/c.ts": files["src/cli/a.ts"] }), /^$/)).toEqual([]);
  });

  test.each([
    ["a comment", "src/cli/a.ts", ["// Made an", "ew."].join("")],
    ["a message", "src/cli/a.ts", ['export const a = "It is no', 'body here";'].join("")],
    ["a test name", "test/cli/a.test.ts", ['test("it is me', 'nded", () => {});'].join("")],
    ["a document", "docs/a.md", ["Who", "ever reads this."].join("")],
  ])("a banned phrase in %s is reported", (_where, path, text) => {
    expect(bannedWording(parseTree({ [path]: text }), { exempt: /^$/ })).toHaveLength(1);
  });

  test("a test name of 81 characters is reported", () => {
    const named = (length: number) =>
      parseTree({ "test/a.test.ts": `test("${"a".repeat(length)}", () => {});` });
    expect(longTestNames(named(81))).toHaveLength(1);
    expect(longTestNames(named(80))).toEqual([]);
  });

  test.each([
    '"select id from sessions"',
    ["`insert into sessions (id) values ($", "{1})`"].join(""),
    '"UPDATE sessions SET a = 1"',
    '"pragma user_version"',
    '"begin immediate"',
  ])("the statement %s outside the store is noticed", (literal) => {
    const files = {
      "src/worker/a.ts": `export const a = ${literal};`,
      "src/store/a.ts": `export const a = ${literal};`,
    };
    expect(sqlOutsideStore(parseTree(files))).toEqual(["src/worker/a.ts:1"]);
  });

  test("prose that begins like a statement is none", () => {
    const files = {
      "src/cli/a.ts": 'export const a = ["select a project", "delete what is old", "begin here"];',
    };
    expect(sqlOutsideStore(parseTree(files))).toEqual([]);
  });

  const edges: [string, string][] = [
    ["process.env", "const a = process.env.HOME;"],
    ["process.exit", "process.exit(1);"],
    ["a clock", "const a = Date.now();"],
    ["a clock", "const a = new Date();"],
    ["a clock", "const a = globalThis.performance.now();"],
    ["randomness", "const a = Math.random();"],
    ["randomness", 'import { randomUUID } from "node:crypto";'],
    ["the console", 'console.log("a");'],
    ["raw HTML", 'element.innerHTML = "a";'],
    ["raw HTML", 'document.write("a");'],
    ["raw HTML", 'range.createContextualFragment("a");'],
    ["raw HTML", 'h("p", { dangerouslySetInnerHTML: { __html: "a" } });'],
  ];
  test.each(edges)("%s outside its home is noticed in: %s", (name, text) => {
    const tree = parseTree({ "src/recall/a.ts": text });
    const noticed = edgeRules.filter((rule) => outsideHome(tree, rule).length > 0).map((rule) => rule.name);
    expect(noticed).toEqual([name]);
  });

  test("allows a Date with a given time and a write to a stream in any file", () => {
    const tree = parseTree({ "src/recall/a.ts": "new Date(1).toISOString(); process.stdout.write('a');" });
    expect(edgeRules.flatMap((rule) => outsideHome(tree, rule))).toEqual([]);
  });

  const said = "// Says what it is for.\n";
  const shapes: [string, Record<string, string>][] = [
    ["a file of 401 lines", { "src/cli/a.ts": said + "let a = 1;\n".repeat(400) }],
    ["a file named utils", { "src/cli/utils.ts": said }],
    ["a folder named helpers", { "src/helpers/a.ts": said }],
    ["a file that does not say what it is for", { "src/cli/a.ts": "export const a = 1;\n" }],
    ["a file directly in src/", { "src/a.ts": said }],
  ];
  test.each(shapes)("%s is noticed", (_what, files) => {
    expect(shapeFaults(parseTree(files))).toHaveLength(1);
  });

  const tenLines = { "src/cli/a.ts": said + "let a = 1;\n".repeat(9) };
  const budgets: [string, LinesByFolder, LinesByFolder[], number][] = [
    ["a folder above its budget", { "src/cli": 9 }, [], 1],
    ["a folder without a budget", {}, [], 1],
    ["a budget that was not lowered with its folder", { "src/cli": 111 }, [], 1],
    ["a total that rises", { "src/cli": 10, test: 5 }, [{ "src/cli": 14 }], 1],
    ["a folder that rises by less than another falls", { "src/cli": 10 }, [{ "src/cli": 5, test: 6 }], 0],
  ];
  test.each(budgets)("%s is judged", (_what, budget, earlier, faults) => {
    expect(budgetFaults(parseTree(tenLines), budget, earlier)).toHaveLength(faults);
  });

  test("a stranger at the top of the repository is noticed", () => {
    expect(strangersAtTop(["src", "notes.txt", "dist", ".git"], ["dist"])).toEqual(["notes.txt"]);
  });

  test("a clause of the import table that is no rule is refused", () => {
    const readme = readFileSync(`${root}src/README.md`, "utf8").replace(
      "the base and zod",
      "whatever it likes",
    );
    expect(() => parseImportTable(readme)).toThrow(/no rule/);
  });
});
