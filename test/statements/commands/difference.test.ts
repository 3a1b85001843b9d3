// A qualifier makes another form of an argument; another name is another thing.
import { expect, it } from "vitest";
import { isFormOf } from "../../../src/statements/commands/difference.ts";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, edit, ok, type Step, turnOf } from "../turn-support.ts";

const pairs: [one: string, other: string, isForm: boolean][] = [
  ["ripgrep", "ripgrep@13.0.0", true],
  ["attrs", "attrs[dev]>=23", true],
  ["main", "HEAD:main", true],
  ["serde@1.0", "serde@1.1", false],
  ["api", "api-worker", false],
  ["tests/a.py", "tests/unit/a.py", false],
  ["//app:lib", "//app:bin", false],
  ["fix the parser", "fix", false],
  ["https://host.invalid/a", "https://host.invalid/b", false],
];

it.each(pairs)("%s and %s: a form %s", (one, other, isForm) => {
  expect(isFormOf(one, other)).toBe(isForm);
  expect(isFormOf(other, one)).toBe(isForm);
});

const runs: [what: string, steps: Step[], working: string[]][] = [
  [
    "a version",
    [bad("cargo install sqlx-cli"), ok("cargo install sqlx-cli@0.7.4")],
    ["cargo install sqlx-cli@0.7.4"],
  ],
  [
    "an extra",
    [bad("pip install uvicorn"), ok("pip install 'uvicorn[standard]'")],
    ["pip install 'uvicorn[standard]'"],
  ],
  [
    "a target of a refspec",
    [bad("git push origin main"), ok("git push origin HEAD:main")],
    ["git push origin HEAD:main"],
  ],
  [
    "another version without a word of it",
    [bad("npm install vite@7", "network timeout"), ok("npm install vite@5")],
    [],
  ],
  ["another package", [bad("npm install left-pad"), ok("npm install right-pad")], []],
  ["a test of the file", [bad("pytest tests/a.py"), ok("pytest tests/a.py::test_b")], []],
  [
    "another address of a server",
    [bad("curl https://a.invalid/x"), ok("curl 'https://a.invalid/x?page=2'")],
    [],
  ],
  [
    "a version after an edit of the code",
    [bad("docker run app"), edit("src/a.go"), ok("docker run app:dev")],
    [],
  ],
];

it.each(runs)("%s makes %#", (_, steps, working) => {
  expect(fixesOf(turnOf(steps)).map((fix) => fix.working)).toEqual(working);
});
