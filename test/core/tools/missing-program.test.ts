// Shells that say that a program was not found, behind an exit code of 0.
import { describe, expect, it, test } from "vitest";
import { parseCommandLine } from "../../../src/core/tools/command-line.ts";
import { missingPrograms } from "../../../src/core/tools/missing-program.ts";
import { readResult } from "../../../src/core/tools/tool-result.ts";
import { observed, ran } from "../../generate/providers/local/support.ts";

function missingIn(command: string, response: Parameters<typeof readResult>[0]): string[] {
  const result = readResult(response, false);
  return missingPrograms(result, parseCommandLine(command)).map(({ program }) => program);
}

describe("on stderr", () => {
  test.each([
    "bash: rg: command not found",
    "bash: line 1: rg: command not found",
    "/bin/bash: line 12: rg: command not found",
    "-bash: rg: command not found",
    "./check.sh: line 3: rg: command not found",
    "sudo: rg: command not found",
    "sh: 1: rg: not found",
    "/bin/sh: 1: rg: not found",
    "./check.sh: 14: rg: not found",
    "dash: 1: /opt/bin/rg: not found",
    "sh: rg: not found",
    "/bin/ash: rg: not found",
    "ksh: rg: not found",
    "ksh[1]: rg: not found [No such file or directory]",
    "/system/bin/sh: rg: inaccessible or not found",
    "zsh: command not found: rg",
    "zsh:1: command not found: rg",
    "(eval):1: command not found: rg",
    "fish: Unknown command: rg",
    "fish: Unknown command 'rg'",
    "rg: Command not found.",
    "make[1]: rg: Command not found",
    "make: rg: No such file or directory",
    "env: ‘rg’: No such file or directory",
    "/usr/bin/env: rg: No such file or directory",
    "xargs: rg: No such file or directory",
    "nohup: failed to run command 'rg': No such file or directory",
    "timeout: failed to run command ‘rg’: No such file or directory",
    "Command 'rg' not found, but can be installed with:",
    "'rg' is not recognized as an internal or external command,\noperable program or batch file.",
    "rg : The term 'rg' is not recognized as the name of a cmdlet, function, script file, or operable program.",
    "rg: The term 'rg' is not recognized as a name of a cmdlet, function, script file, or executable program.",
    "    + CategoryInfo          : ObjectNotFound: (rg:String) [], CommandNotFoundException",
    "bash: Zeile 1: rg: Kommando nicht gefunden.",
    "bash: rg : commande introuvable",
    "bash: línea 1: rg: orden no encontrada",
    "bash: rg: comando non trovato",
    "bash: linha 1: rg: comando não encontrado",
    "bash: rg: команда не найдена",
    "bash: 行 1: rg: コマンドが見つかりません",
    "bash: 行1: rg: 未找到命令",
    "bash: rg: 명령어를 찾을 수 없음",
    'Der Befehl "rg" ist entweder falsch geschrieben oder\nkonnte nicht gefunden werden.',
    "'rg' n’est pas reconnu en tant que commande interne",
    "'rg' 不是内部或外部命令，也不是可运行的程序",
  ])("%s", (stderr) => {
    expect(missingIn("rg -n common src | head", { stdout: "", stderr })).toEqual(["rg"]);
    // With other lines around it, and of a program that the line runs only through another.
    expect(missingIn("./check | tail", { stdout: "kept", stderr: `warning: slow\n${stderr}\ndone` })).toEqual(
      ["rg"],
    );
  });

  test.each([
    "warning: config key not found",
    "user: not found",
    "error: package: not found",
    "npm warn foo: not found",
    "404: Not Found",
    "curl: (6) Could not resolve host: rg",
    "cat: notes.txt: No such file or directory",
    "+ grep 'command not found' build.log",
    "The command was not found in the cache, so it was built.",
    "bash: warning: setlocale: LC_ALL: cannot change locale (xx_XX)",
  ])("not %s", (stderr) => {
    expect(missingIn("rg -n common src | head", { stdout: "a", stderr })).toEqual([]);
  });
});

describe("in one text of both streams", () => {
  test.each([
    ["rg -n common src | head", "bash: line 1: rg: command not found"],
    ["ls src; rg common src | head", "a.ts\nb.ts\n(eval):1: command not found: rg"],
    ["bash -lc 'rg common | head'", "bash: line 1: rg: command not found"],
    ["rg common src | head", { stdout: "bash: line 1: rg: command not found", stderr: "" }],
  ])("%s did not find rg", (command, response) => {
    expect(missingIn(command, response)).toEqual(["rg"]);
  });

  test.each([
    ["grep -n 'command not found' build.log", "12:bash: rg: command not found"],
    ["cat build.log", "bash: line 4: rg: command not found\nsh: 1: jq: not found"],
    ["rg 'command not found' build.log", "bash: rg: command not found"],
    ["tail -n 50 ci.log | grep -i error", { stdout: "zsh: command not found: pnpm", stderr: "" }],
    ["journalctl -u app", "'node' is not recognized as an internal or external command,"],
  ])("%s prints such lines as data", (command, response) => {
    expect(missingIn(command, response)).toEqual([]);
    expect(observed({ tool: "Bash", input: { command }, response }).title).not.toMatch(/failed|reports/);
  });
});

it("fails a search with a missing program in a pipe that exits with 0", () => {
  const { title, concepts, files_read } = observed(
    ran("rg -n common src | head", "", "/bin/bash: line 1: rg: command not found"),
  );
  expect(title).toBe("rg -n common src failed: /bin/bash: line 1: rg: command not found");
  expect(concepts).toEqual(["problem-solution", "gotcha"]);
  expect(files_read).toEqual([]);
});

it('fails on "not found" in stderr, even with exit code 0', () => {
  const response = { stdout: "", stderr: "sh: 1: jq: not found", exitCode: 0 };
  const { title } = observed({
    tool: "Bash",
    input: { command: "curl -s localhost/x | jq . | cat" },
    response,
  });
  expect(title).toMatch(/failed: sh: 1: jq: not found$/);
});

it("describes the fallback that replaced a missing program", () => {
  const missing = "bash: line 1: rg: command not found";
  const command = "rg -n common src || grep -rn common src";
  const found = "src/a.ts:3:common()\nsrc/b.ts:9:common()";
  const title = "Looked around: `grep -rn common src`";
  expect(observed(ran(command, found, missing)).title).toBe(title);
  expect(observed(ran(command, `${missing}\n${found}`)).title).toBe(title);
  expect(observed(ran("rg common || true", "", missing)).title).toMatch(/failed: bash: line 1: rg/);
});

it("counts no unreadable file as a match, and fails when all are", () => {
  const unreadable = "grep: secrets: Permission denied";
  expect(observed(ran("grep -rn common src secrets", "src/a.ts:3:common()", unreadable)).title).toBe(
    "Looked around: `grep -rn common src secrets`",
  );
  expect(observed(ran("grep -rn common secrets | head", "", unreadable)).title).toBe(
    `grep -rn common secrets reports an error: ${unreadable}`,
  );
});
