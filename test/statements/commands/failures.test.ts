// Of a line of several commands the one that can have printed the error is at fault.
import { expect, it } from "vitest";
import { faultOf } from "../../../src/statements/commands/failures.ts";
import { readRuns } from "../../../src/statements/commands/runs.ts";
import { bad, ok, type Step, turnOf } from "../turn-support.ts";

function faultIn(step: Step): string | undefined {
  const [run] = readRuns(turnOf([step]).uses).runs;
  return run === undefined ? undefined : faultOf(run)?.text;
}

const found: [what: string, step: Step, fault: string][] = [
  [
    "tests between two stashes",
    ok("git stash -q && pytest -q | tail; git stash pop -q", "AssertionError: 1 != 2\n1 failed in 0.1s"),
    "pytest -q",
  ],
  [
    "tests before their exit code is passed on",
    bad("go test ./...; rc=$?; git stash pop; exit $rc", "--- FAIL: TestTotals"),
    "go test ./...",
  ],
  [
    "the compiler in front of the tests",
    bad("cargo build && cargo test", "error[E0425]: cannot find value `rate`"),
    "cargo build",
  ],
  [
    "the type check in front of the tests",
    bad("npx tsc --noEmit && npx jest", "src/a.ts(3,1): error TS2304: Cannot find name 'b'."),
    "npx tsc --noEmit",
  ],
  [
    "the tests behind a build",
    bad("mvn -q compile && mvn -q test", "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0"),
    "mvn -q test",
  ],
  [
    "a program that names itself",
    bad("pg_restore -d app dump && ./seed.sh", "pg_restore: error: could not connect"),
    "pg_restore -d app dump",
  ],
  ["git where it says so", bad("git pull && make build", "fatal: not a git repository"), "git pull"],
  [
    "a commit whose hook runs tests",
    bad("git add -A && git commit -m fix", "FAILED tests/test_a.py::test_b - AssertionError"),
    "git commit -m fix",
  ],
  ["the last one behind semicolons", bad("make build; make deploy", "it broke"), "make deploy"],
  ["the command in a loop", bad("for v in 3.11 3.12; do tox -e py$v; done", "it broke"), "tox -e py$v"],
];

it.each(found)("%s", (_, step, fault) => {
  expect(faultIn(step)).toBe(fault);
});

it.each([
  ["git stash cannot fail an assertion", ok("git stash pop -q", "AssertionError: expected 1 to be 2")],
  [
    "a look behind a command that passed",
    bad("make; cat out.log", "cat: out.log: No such file or directory"),
  ],
  ["helpers alone", bad("cd web && echo start && sleep 5", "it broke")],
])("none: %s", (_, step) => {
  expect(faultIn(step)).toBeUndefined();
});
