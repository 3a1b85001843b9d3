// Which tool uses of an ended turn have observations of no lasting interest.
import { expect, it } from "vitest";
import { passedFamilies, routineUses } from "../../src/statements/routine.ts";
import { bad, edit, ok, type Step, turnOf } from "./turn-support.ts";

const read: Step = { tool_name: "Read", tool_input: { file_path: "a.ts" }, tool_response: "x" };
const failedEdit: Step = { ...edit("a.ts"), tool_failed: true, tool_response: { error: "Not found." } };
const patch = (path: string): Step => ({
  tool_name: "apply_patch",
  tool_input: `*** Begin Patch\n*** Update File: ${path}\n-a\n+b\n*** End Patch`,
  tool_response: "Success",
});

const covered: [what: string, steps: Step[]][] = [
  ["looks", [read, ok("git status", " M a.ts"), ok("ls src", "a.ts"), bad("grep -rn x src", "")]],
  ["edits by tools and by the shell", [edit("a.ts"), patch("b.ts"), ok("sed -i s/a/b/ c.ts", "")]],
  ["passing tests and builds", [ok("npm test", "Tests  3 passed (3)"), ok("npx tsc --noEmit", "")]],
  ["a program that ran", [ok("node seed.mjs", "created 20 users")]],
  ["a failure that passed later", [bad("npm test"), edit("a.ts"), ok("npm test")]],
];

it.each(covered)("a closing covers %s", (_what, steps) => {
  expect(routineUses(turnOf(steps))).toEqual(steps.map((_, at) => at + 1));
});

const lasting: [what: string, steps: Step[]][] = [
  ["a failure that stayed", [bad("npm test")]],
  ["a failure after which only a part passed", [bad("pytest"), ok("pytest tests/a.py", "1 passed")]],
  ["a failed edit", [failedEdit]],
  ["an install", [ok("npm install zod", "added 1 package")]],
  ["a commit", [ok("git commit -m 'Fix race'", "[main a1b2c3d] Fix race")]],
  [
    "a sub-agent's answer",
    [{ tool_name: "Task", tool_input: { prompt: "look" }, tool_response: "It leaks." }],
  ],
];

it.each(lasting)("a closing does not cover %s", (_what, steps) => {
  expect(routineUses(turnOf(steps))).not.toContain(1);
});

it("leaves the tool uses of an earlier turn", () => {
  expect(routineUses(turnOf([ok("npm test")], "Done.", [edit("a.ts")]))).toEqual([2]);
});

it("leaves all of a turn without a closing", () => {
  expect(routineUses(turnOf([edit("a.ts"), edit("a.ts"), read], " "))).toEqual([]);
});

it("lists the families of commands that passed in the turn", () => {
  const turn = turnOf([ok("npm ci && npm test"), bad("make")], "", [ok("cargo build")]);
  expect(passedFamilies(turn)).toEqual(["npm ci", "npm test"]);
});
