// A qualifier makes another form of an argument; another name is another thing.
import { expect, it } from "vitest";
import { isFormOf, isVersionOf } from "../../../src/statements/commands/difference.ts";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, edit, ok, type Step, turnOf } from "../turn-support.ts";

const pairs: [one: string, other: string, isForm: boolean, isVersion: boolean][] = [
  ["ripgrep", "ripgrep@13.0.0", true, false],
  [".#api", "git+file:.?submodules=1#api", true, false],
  ["attrs", "attrs[dev]>=23", true, false],
  ["main", "HEAD:main", true, false],
  ["build01:/srv/log", "ci@build01:/srv/log", true, false],
  ["https://host.invalid/team/app.git", "git@host.invalid:team/app", true, false],
  ["app-base", "registry.example.invalid/team/app-base", true, false],
  ["app-base", "registry.example.invalid/team/app-base:24", true, false],
  ["//web:bundle", "@app//web:bundle", true, false],
  ["serde@1.0", "serde@1.1", false, true],
  ["api", "api-worker", false, false],
  ["tests/a.py", "tests/unit/a.py", false, false],
  ["//app:lib", "//app:bin", false, false],
  ["fix the parser", "fix", false, false],
  ["https://host.invalid/a", "https://host.invalid/b", false, false],
];

it.each(pairs)("%s and %s: a form %s, a version %s", (one, other, isForm, isVersion) => {
  expect(isFormOf(one, other)).toBe(isForm);
  expect(isFormOf(other, one)).toBe(isForm);
  expect(isVersionOf(one, other)).toBe(isVersion);
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
    "another address",
    [
      bad("git clone https://git.example.invalid/team/lib.git"),
      ok("git clone git@git.example.invalid:team/lib.git"),
    ],
    ["git clone git@git.example.invalid:team/lib.git"],
  ],
  [
    "a target of a refspec",
    [bad("git push origin main"), ok("git push origin HEAD:main")],
    ["git push origin HEAD:main"],
  ],
  [
    "another version that the error names",
    [bad("npm install vite@7", "vite@7 requires node 20"), ok("npm install vite@5")],
    ["npm install vite@5"],
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
