import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { bashScript } from "../../../src/cli/completion/bash.ts";
import { commandTree, nodesBelow } from "../../../src/cli/completion/command-tree.ts";
import { fishScript } from "../../../src/cli/completion/fish.ts";
import { zshScript } from "../../../src/cli/completion/zsh.ts";
import { createCliContext } from "../../../src/cli/context.ts";
import { createIo } from "../../../src/cli/io.ts";
import { buildProgram } from "../../../src/cli/program.ts";
import { sharedTempDir } from "../../helpers/temp-dir.ts";
import { calledMem } from "../mem.ts";

const root = commandTree(buildProgram(createCliContext(createIo({ color: false, errColor: false }), {})));
const nodes = nodesBelow(root);
const hasBash = spawnSync("bash", ["-c", ":"]).status === 0;

describe.skipIf(!hasBash)("bash completes", () => {
  const lines: [line: string, offered: string[] | ((offered: string[]) => boolean)][] = [
    ["sea", ["search"]],
    ["search --fo", ["--format"]],
    ["search --format ", ["index", "full"]],
    ["search --format=i", ["index"]],
    ["search --format full --o", ["--offset", "--obs-type"]],
    ["search -- --fo", []],
    ["queue --json re", ["retry"]],
    ["queue --since list d", ["drop"]],
    ["queue --fail", ["--failed"]],
    ["settings get MEM_PROVI", ["MEM_PROVIDER"]],
    ["install co", ["codex", "copilot-cli"]],
    ["install codex cur", ["cursor"]],
    ["logs --fol", ["--follow"]],
    ["help worker st", ["start", "stop", "status"]],
    ["settings set MEM_PROVIDER se", ["secondary"]],
    ["show --", (offered) => offered.includes("--json")],
    ["export --out pack", []],
  ];
  const folder = sharedTempDir();
  let offered: Map<string, string[]>;

  // One shell for all lines; `mem` answers as a function.
  beforeAll(() => {
    const file = join(folder, "lines.sh");
    const asked = lines.map(([line]) => `ask ${line.replace("=", " = ")}${line.endsWith(" ") ? "''" : ""}`);
    const ask = `ask() { COMP_WORDS=(mem "$@") COMP_CWORD=$#; _mem; echo "\${COMPREPLY[*]}"; }`;
    const answer =
      'mem() { [[ "$*" == "completion-values setting -- MEM_PROVIDER" ]] && printf "%s\\n" primary secondary; }';
    writeFileSync(file, [bashScript(root), answer, ask, ...asked].join("\n"));
    const { stdout, stderr } = spawnSync("bash", ["--norc", file], { encoding: "utf8" });
    expect(stderr).toBe("");
    const answers = stdout.split("\n").map((line) => line.split(" ").filter((word) => word !== ""));
    offered = new Map(lines.map(([line], at) => [line, answers[at] ?? []]));
  });

  test.each(lines)("mem %s", (line, expected) => {
    const got = offered.get(line) ?? [];
    if (typeof expected === "function") expect(expected(got)).toBe(true);
    else expect(got.toSorted()).toEqual(expected.toSorted());
  });
});

test.each([
  ["bash", bashScript(root)],
  ["zsh", zshScript(root)],
  ["fish", fishScript(root)],
])("%s knows every command and option of the help", (shell, script) => {
  for (const { name, options } of nodes) {
    expect(script).toContain(name);
    for (const flag of options.flatMap(({ flags }) => flags)) {
      expect(script).toContain(shell === "fish" ? flag.replace(/^--?/, "") : flag);
    }
  }
});

test("quotes in a description end neither a zsh nor a fish string", () => {
  const about = "Print it's [text] `$HOME` \\ end";
  const option = { flags: ["--x"], about, value: null };
  const node = { name: "mem", path: "mem", about, options: [option], arguments: [], commands: [] };
  expect(zshScript(node)).toContain("'--x[Print it'\\''s \\[text\\] `$HOME` \\ end]'");
  expect(fishScript(node)).toContain("-l x -d 'Print it\\'s [text] `$HOME` \\\\ end'");
});

test("mem completion says how to install it", async () => {
  const { code, stdout } = await calledMem()("completion");
  expect(code).toBe(0);
  for (const shell of ["bash", "zsh", "fish"]) expect(stdout).toContain(`mem completion ${shell}`);
});

test("an unknown shell is an error of usage that names the known ones", async () => {
  const { code, stderr } = await calledMem()("completion", "csh");
  expect(code).toBe(64);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
});

test("values of modes, settings and projects are offered; no worker is started", async () => {
  const mem = calledMem();
  expect((await mem("completion-values", "modes")).stdout).toContain("code--de\n");
  expect((await mem("completion-values", "setting", "provider")).stdout).toBe(
    "primary\nsecondary\ncompat\nlocal\n",
  );
  expect((await mem("completion-values", "projects")).stdout).toBe("");
  expect((await mem("worker", "status")).code).toBe(69);
});
