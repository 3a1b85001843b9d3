// Commands that passed in a turn, and the failures that they end.
import { describe, expect, it, test } from "vitest";
import { passedRuns } from "../../src/statements/routine.ts";
import { bad, ok, turnOf } from "./turn-support.ts";

test("lists the families that passed in the turn", () => {
  const turn = turnOf([ok("npm ci && npm test"), bad("make")], "", [ok("cargo build")]);
  expect(passedRuns(turn).families).toEqual(["npm ci", "npm test"]);
});

const ends = (failed: string, passed: string): boolean =>
  passedRuns(turnOf([ok(passed)])).ends(`\`${failed}\` failed with \`Error: it broke\` and was not fixed`);

describe("a failure ends when", () => {
  it.each([
    ["pytest -q", "pytest"],
    ["npm test", "npm test -- --coverage"],
    ["go test ./...", "go test ./..."],
    ["pytest tests/a.py", "pytest"],
    ["pytest tests/a.py", "pytest -q tests/a.py"],
    ["cargo test parses_dates", "cargo test"],
    ["make deploy", "make deploy"],
    ["TZ=UTC npx jest a.test.js", "for z in UTC CET; do TZ=$z npx jest a.test.js | tail -1; done"],
    ["pylint app/a.py", "git ls-files | xargs -n 1 pylint"],
    [
      "npm run build -- --filter web --mode production --base /shop/checkout…",
      "npm run build -- --filter web --mode production --base /shop/checkout --out dist",
    ],
  ])("%s failed and %s passes", (failed, passed) => {
    expect(ends(failed, passed)).toBe(true);
  });
});

describe("a failure stays open when", () => {
  it.each([
    ["pytest", "pytest --collect-only"],
    ["pytest", "pytest -m smoke"],
    ["pytest", "pytest tests/a.py"],
    ["npm test", "npm test -- --list"],
    ["npm test", "npm test -- -t parser"],
    ["pnpm test -- webhook", "pnpm test -- checkout"],
    ["go test ./...", "go test ./... -run TestDates"],
    ["go test ./...", "go test ./dates"],
    ["cargo test", "cargo test parses_dates"],
    ["make deploy", "make -n deploy"],
    ["make deploy", "make build"],
    ["npx playwright test", "npx playwright test -g login"],
  ])("%s failed and %s passes", (failed, passed) => {
    expect(ends(failed, passed)).toBe(false);
  });
});
