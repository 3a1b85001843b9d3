import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { shownCommands } from "../../../src/cli/completion/candidates.ts";
import { createCliContext } from "../../../src/cli/context.ts";
import { createIo } from "../../../src/cli/io.ts";
import { code, plain, text } from "../../../src/cli/man/mdoc.ts";
import { manualPages } from "../../../src/cli/man/pages.ts";
import { buildProgram } from "../../../src/cli/program.ts";

const pages = manualPages("March 5, 2026");
const commands = shownCommands(
  buildProgram(createCliContext(createIo({ color: false, errColor: false }), {})),
);
const hasMandoc = spawnSync("mandoc", ["-Tlint"], { input: "" }).error === undefined;

test("every command of the help has a page, and mem(1) lists it", () => {
  const names = commands.map((command) => command.name());
  expect([...pages.keys()]).toEqual(["mem.1", ...names.map((name) => `mem-${name}.1`)]);
  for (const name of names) expect(pages.get("mem.1")).toContain(`.It Xr mem-${name} 1\n`);
});

const byName = commands.map((command): [string, Command] => [command.name(), command]);

test.each(byName)("the page of mem %s has its commands and options", (name, command) => {
  const page = pages.get(`mem-${name}.1`) ?? "";
  const escaped = (words: string) => words.replaceAll("-", "\\-");
  const check = (node: Command, path: string): void => {
    expect(page).toContain(escaped(path));
    for (const child of shownCommands(node)) check(child, `${path} ${child.name()}`);
    if (node.commands.length > 0) return;
    const flags = node.options.filter(({ hidden }) => !hidden).flatMap(({ short, long }) => [short, long]);
    for (const flag of flags) if (flag !== undefined) expect(page).toContain(`Fl ${escaped(flag.slice(1))}`);
  };
  check(command, `mem ${name}`);
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
