// docs/cli.md against the code: the commands and the exit codes; package.json against the manual pages. UPDATE_DOCS=1
// writes all three.
import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { examplesOf } from "../../src/cli/command.ts";
import { shownCommands } from "../../src/cli/completion/candidates.ts";
import { createCliContext } from "../../src/cli/context.ts";
import { errorCodesOf, exitCode, exitCodes } from "../../src/cli/exit-codes.ts";
import { createIo } from "../../src/cli/io.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { errorCatalogue } from "../../src/core/errors.ts";

const file = new URL("../../docs/cli.md", import.meta.url);
const program = buildProgram(createCliContext(createIo({ color: false, errColor: false }), {}));

test("docs/cli.md lists every command with a line and an example", () => {
  expectSection("commands", commandTable());
});

test("docs/cli.md lists every exit code", () => {
  const rows = [...exitCodes].map(([code, meaning]) => {
    const errors = errorCodesOf(code).map((error) => `\`${error}\``);
    return `| ${code} | ${meaning} | ${errors.join(", ")} |`;
  });
  expectSection(
    "exit-codes",
    ["| Code | Meaning | `error.code` |", "| --- | --- | --- |", ...rows].join("\n"),
  );
});

test("the exit codes of the errors and of the commands are in the table, and no others", () => {
  const used = [
    ...Object.values(errorCatalogue).map((entry) => entry.exitCode),
    ...Object.values(exitCode),
    0,
  ];
  expect([...new Set(used)].sort((a, b) => a - b)).toEqual([...exitCodes.keys()]);
});

// npm links the pages that "man" lists; it does not read a folder when it installs a tarball.
test("package.json lists every manual page", () => {
  const pages = ["mem", ...shownCommands(program).map((command) => `mem-${command.name()}`)];
  const man = pages.map((page) => `man/${page}.1`);
  const path = new URL("../../package.json", import.meta.url);
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  if (process.env.UPDATE_DOCS === "1")
    writeFileSync(path, `${JSON.stringify({ ...manifest, man }, null, 2)}\n`);
  else expect(manifest.man).toEqual(man);
});

function expectSection(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const docs = readFileSync(file, "utf8");
  const [before = "", rest = ""] = docs.split(begin);
  const [section, after = ""] = rest.split(end);
  if (process.env.UPDATE_DOCS === "1") writeFileSync(file, `${before}${begin}\n${text}\n\n${end}${after}`);
  else expect(section?.trim()).toBe(text);
}

function commandTable(): string {
  const shown = shownCommands(program);
  const headings = [...new Set(shown.map((command) => command.helpGroup()))];
  const tables = headings.map((heading) => [
    `### ${heading.replace(":", "")}`,
    "",
    "| Command | What it does | Example |",
    "| --- | --- | --- |",
    ...shown
      .filter((command) => command.helpGroup() === heading)
      .flatMap((command) => rowsOf(command, "mem")),
  ]);
  return tables.map((lines) => lines.join("\n")).join("\n\n");
}

function rowsOf(command: Command, parent: string): string[] {
  const words = `${parent} ${command.name()}`;
  const about = command.summary() || command.description();
  const [example = ""] = examplesOf(command)[0]?.split(" # ") ?? [];
  const row = `| \`${words}\` | ${about} | \`${example.replaceAll("|", "\\|")}\` |`;
  const isGroup = command.commands.length > 0 && !["mem rules", "mem mcp", "mem server"].includes(words);
  return [...(isGroup ? [] : [row]), ...command.commands.flatMap((child) => rowsOf(child, words))];
}
