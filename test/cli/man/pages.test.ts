import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandTree, nodesBelow } from "../../../src/cli/completion/command-tree.ts";
import { createCliContext } from "../../../src/cli/context.ts";
import { createIo } from "../../../src/cli/io.ts";
import { code, plain, text } from "../../../src/cli/man/mdoc.ts";
import { manualPages } from "../../../src/cli/man/pages.ts";
import { buildProgram } from "../../../src/cli/program.ts";
import { shortForms } from "../../../src/cli/short-forms.ts";

const pages = manualPages("March 5, 2026");
const tree = commandTree(buildProgram(createCliContext(createIo({ color: false, errColor: false }), {})));
const commands = tree.commands.filter(({ name }) => name !== "help" && !Object.hasOwn(shortForms, name));
const hasMandoc = spawnSync("mandoc", ["-Tlint"], { input: "" }).error === undefined;

test("every command of the help has a page, and mem(1) lists it", () => {
  expect([...pages.keys()]).toEqual(["mem.1", ...commands.map(({ name }) => `mem-${name}.1`)]);
  for (const { name } of commands) expect(pages.get("mem.1")).toContain(`.It Xr mem-${name} 1\n`);
});

test.each(commands)("the page of $path has its commands and options", ({ name, ...command }) => {
  const page = pages.get(`mem-${name}.1`) ?? "";
  for (const { path, options, commands } of nodesBelow({ name, ...command })) {
    expect(page).toContain(path.replaceAll("-", "\\-"));
    if (commands.length > 0) continue;
    for (const { flags } of options.filter((option) => !option.flags.includes("--help")))
      for (const flag of flags) expect(page).toContain(`Fl ${flag.slice(1).replaceAll("-", "\\-")}`);
  }
});

test("text is not taken for commands of roff", () => {
  expect(text(".env has a \\ in it. Run `mem status --json`.")).toBe(
    "\\&.env has a \\e in it.\nRun \\fBmem status \\-\\-json\\fP.",
  );
  expect(code("'x' ~/a^b")).toBe("\\(aqx\\(aq \\(ti/a\\(hab");
  expect(plain("No Ar . end")).toBe("\\&No \\&Ar \\&. end");
});

test.skipIf(!hasMandoc)("mandoc has no warning about any page", () => {
  for (const page of pages.values()) {
    const { stdout, stderr } = spawnSync("mandoc", ["-Tlint", "-W", "warning"], {
      input: page,
      encoding: "utf8",
    });
    expect(stdout + stderr).toBe("");
  }
});
