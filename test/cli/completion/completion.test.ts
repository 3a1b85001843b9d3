import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { shownCommands } from "../../../src/cli/completion/candidates.ts";
import { scripts } from "../../../src/cli/completion/scripts.ts";
import { createCliContext } from "../../../src/cli/context.ts";
import { createIo } from "../../../src/cli/io.ts";
import { buildProgram } from "../../../src/cli/program.ts";
import { calledMem } from "../mem.ts";

const hasShell = (name: string) => spawnSync(name, ["-c", "true"]).status === 0;

const lines: [line: string, offered: string[]][] = [
  ["sea", ["search"]],
  ["search --fo", ["--format"]],
  ["search --format ", ["index", "full"]],
  ["search --format = i", ["index"]],
  ["search --format =", ["index", "full"]],
  ["search --format=i", ["--format=index"]],
  ["search --format full --o", ["--offset", "--obs-type"]],
  ["search -- --fo", []],
  ["queue --json re", ["retry"]],
  ["queue --since list d", ["drop"]],
  ["queue --fail", ["--failed"]],
  ["settings get MEM_PROVI", ["MEM_PROVIDER"]],
  ["config get MEM_PROVI", ["MEM_PROVIDER"]],
  ["install co", ["codex", "copilot-cli"]],
  ["install codex cur", ["cursor"]],
  ["logs --fol", ["--follow"]],
  ["help worker st", ["start", "stop", "status"]],
  ["help --js", []],
  ["settings set MEM_PROVIDER se", ["secondary"]],
  ["settings set provider se", ["secondary"]],
  ["mode use code--d", ["code--de"]],
  ["export --out pack", [":files"]],
];

test.each(lines)("mem %s is completed", async (line, expected) => {
  const { stdout } = await calledMem()("completion-values", "--", ...line.split(" "));
  const offered = stdout.split("\n").flatMap((text) => text.split("\t")[0] || []);
  expect(offered.toSorted()).toEqual(expected.toSorted());
});

test("every command and option of the help is offered with its meaning", async () => {
  const mem = calledMem();
  const root = buildProgram(createCliContext(createIo({ color: false, errColor: false }), {}));
  const { stdout } = await mem("completion-values", "--", "");
  for (const command of shownCommands(root)) {
    const name = command.name();
    expect(stdout).toContain(`${name}\t${command.summary() || command.description()}\n`);
    const options = (await mem("completion-values", "--", name, "-")).stdout;
    for (const { long, hidden, description } of command.options)
      if (!hidden) expect(options).toContain(`${long}\t${description}\n`);
  }
});

// `mem` answers as a function. A label may have spaces; for `:files` bash completes a file name itself.
test.skipIf(!hasShell("bash"))("bash offers the answers, each as one word", () => {
  const asked = `mem() { case "$*" in
    "completion-values -- project show ") printf 'shop\\tone\\nmy app\\n' ;;
    "completion-values -- search --format = i") echo index ;;
    *) echo :files ;; esac; }
    ask() { COMP_WORDS=(mem "$@") COMP_CWORD=$#; _mem 2>&1; printf '<%s>' "\${COMPREPLY[@]}"; echo; }
    ask project show ''; ask search --format = i; ask export --out x`;
  const { stdout } = spawnSync("bash", ["--norc", "-c", `${scripts.bash}\n${asked}`], { encoding: "utf8" });
  expect(stdout).toBe("<shop><my\\ app>\n<index>\n<>\n");
});

test.each(Object.keys(scripts).filter(hasShell))("%s can read its script", (shell) => {
  const { status, stderr } = spawnSync(shell, ["-n"], { input: scripts[shell], encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("mem completion says how to install it", async () => {
  const { code, stdout } = await calledMem()("completion");
  expect(code).toBe(0);
  for (const shell of ["bash", "zsh", "fish"]) {
    expect(stdout).toContain(`mem completion ${shell}`);
    expect((await calledMem()("completion", shell)).stdout).toContain("completion-values --");
  }
});

test("an unknown shell is an error of usage that names the known ones", async () => {
  const { code, stderr } = await calledMem()("completion", "csh");
  expect(code).toBe(64);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
});

test("a key press starts no worker", async () => {
  const mem = calledMem();
  expect((await mem("completion-values", "--", "search", "--project", "")).stdout).toBe("");
  expect((await mem("worker", "status")).code).toBe(69);
});
