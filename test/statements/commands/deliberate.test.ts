// A test that is meant to fail, or that passes later, is no open failure.
import { expect, it } from "vitest";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, edit, ok, type Step, turnOf } from "../turn-support.ts";

const closing = "The import still fails for empty files.";
const red = "AssertionError: expected 0 to be 5";

function described(step: Step, description: string): Step {
  return { ...step, tool_input: { ...(step.tool_input as object), description } };
}

const rows: [what: string, steps: Step[], said?: { prompt?: string; closing?: string }][] = [
  ["its fix was stashed", [ok("git stash -q && npx jest | tail -5; git stash pop -q", red)]],
  ["its fix was stashed by other calls", [ok("git stash"), bad("pytest -q", red), ok("git stash pop")]],
  [
    "the code was broken and restored",
    [bad("sed -i 's/UTC//' src/a.ts && npx vitest run", red), ok("git checkout -q src/a.ts")],
  ],
  ["a copy of the file was put back", [bad("go test ./...", "--- FAIL: TestA"), ok("cp /tmp/a.go a.go")]],
  [
    "red and green stand on one line",
    [ok("npx vitest run; git stash pop; npx vitest run", `${red}\nTests  4 passed (4)`)],
  ],
  ["the call says that it fails", [described(bad("cargo test", red), "Confirm that the new test fails")]],
  ["the user asked for it", [bad("npx vitest run", red)], { prompt: "make it fail in UTC too" }],
  ["the closing calls it red first", [bad("rspec", red)], { closing: "Without the fix the test failed." }],
  ["it passed after an edit", [bad("dotnet test", red), edit("A.cs"), ok("dotnet test")]],
  [
    "it passed in a loop",
    [bad("TZ=UTC npx jest", red), edit("a.ts"), ok("for z in UTC CET; do TZ=$z npx jest; done")],
  ],
];

it.each(rows)("a test is not open when %s", (_, steps, said) => {
  expect(fixesOf({ ...turnOf(steps, closing), ...said })).toEqual([]);
});

const open: [what: string, steps: Step[], prompt?: string][] = [
  ["a test that nothing passed", [bad("npx vitest run", red)]],
  ["a failing test that was to be fixed", [bad("npx jest", red)], "make the failing test pass"],
  ["a failure that was to be seen here too", [bad("npx jest", red)], "verify that it fails locally"],
  ["a test before another branch", [bad("npx jest", red), ok("git checkout release/1.2.x")]],
  ["a deployment, whatever is restored", [bad("make deploy", "quota exceeded"), ok("git checkout src/a.ts")]],
];

it.each(open)("%s stays open", (_, steps, prompt = "go on") => {
  expect(fixesOf({ ...turnOf(steps, closing), prompt })).toMatchObject([{ working: null }]);
});
