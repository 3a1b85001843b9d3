// What a shell command runs, and which files it names.
import { expect, it } from "vitest";
import { commandFiles } from "../../../../src/core/tools/command-files.ts";
import { commandKind, mainSegment } from "../../../../src/core/tools/command-kind.ts";
import { parseCommandLine } from "../../../../src/core/tools/command-line.ts";
import { paths } from "../../../../src/generate/providers/local/finding.ts";

const segments: [command: string, texts: string[]][] = [
  ["npm test", ["npm test"]],
  ["cd src && npm test 2>&1 | tail -5", ["cd src", "npm test", "tail -5"]],
  ["FOO=1 sudo timeout 60 npx vitest run", ["npx vitest run"]],
  ["echo 'a; b' \"c && d\"", ['echo "a; b" "c && d"']],
  ["cat <<'EOF' > a.txt\nrm -rf /\nEOF\necho done", ["cat", "echo done"]],
  ['echo "$(date; pwd)" # a comment; rm x', ['echo "$(date; pwd)"']],
  ["bash -lc 'cd x && ls'", ["cd x", "ls"]],
  ["a || b; c & d", ["a", "b", "c", "d"]],
  ["echo 'never closed", ['echo "never closed"']],
  ["cat <<< word", ["cat"]],
  ["", []],
];

it.each(segments)("%j runs %j", (command, texts) => {
  expect(parseCommandLine(command).map(({ text }) => text)).toEqual(texts);
});

const kinds: [command: string, main: string, kind: string][] = [
  ["cd a && npm run test:unit -- --run", "npm run test:unit -- --run", "test"],
  ["python3 -m pytest -q", "python3 -m pytest -q", "test"],
  ["go test ./...", "go test ./...", "test"],
  ["cargo clippy", "cargo clippy", "check"],
  ["npx --yes tsc", "npx --yes tsc", "check"],
  ["yarn", "yarn", "install"],
  ["uv pip install x", "uv pip install x", "install"],
  ["git add . && git commit -m x && git push", "git commit -m x", "commit"],
  ["git -C dir status", "git -C dir status", "read"],
  ["sed -n 1,5p a", "sed -n 1,5p a", "read"],
  ["sed -i s/a/b/ f", "sed -i s/a/b/ f", "write"],
  ["echo x > f", "echo x", "write"],
  ["echo x > /dev/null", "echo x", "trivial"],
  ["cat a | python3 b.py", "python3 b.py", "run"],
  ["ps aux | grep node", "ps aux", "run"],
];

it.each(kinds)("%j is about %j, a command of kind %s", (command, text, kind) => {
  const main = mainSegment(parseCommandLine(command));
  expect(main).toMatchObject({ text });
  expect(main === undefined ? "" : commandKind(main)).toBe(kind);
});

const files: [command: string, read: string[], written: string[]][] = [
  ["cat a.ts b.ts", ["a.ts", "b.ts"], []],
  ["cat -n a.ts", ["a.ts"], []],
  ["head -n 20 a.ts | grep x", ["a.ts"], []],
  ["sed -n '1,20p' a.ts", ["a.ts"], []],
  ["cd src && cat ./a.ts > b.ts", ["src/a.ts"], ["src/b.ts"]],
  ["cat /etc/hosts", ["/etc/hosts"], []],
  ["mv a b", [], ["a", "b"]],
  ["cp a b", ["a"], ["b"]],
  ["npm test > out.log 2>&1", [], ["out.log"]],
  ["npm test &> out.log", [], ["out.log"]],
  ["npm test 2> err.log", [], ["err.log"]],
  ["ls 2>/dev/null; cat $FILE *.ts", [], []],
  ["sed -i -e s/a/b/ f.ts", [], ["f.ts"]],
  ["echo x | tee a.log", [], ["a.log"]],
];

it.each(files)("%j reads %j and writes %j", (command, read, written) => {
  const found = commandFiles(parseCommandLine(command));
  expect({ read: paths(found.read), written: paths(found.written) }).toEqual({ read, written });
});
