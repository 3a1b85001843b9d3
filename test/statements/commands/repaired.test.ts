// Between a failure and a success an edit may be the fix; the command that passed is none then.
import { expect, it } from "vitest";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, edit, ok, type Step, turnOf } from "../turn-support.ts";

const assertion = "AssertionError: expected 3 to be 4\nTests  1 failed | 2 passed (3)";

const repaired: [what: string, steps: Step[]][] = [
  [
    "a loop over the values of its variable",
    [
      bad("TZ=Asia/Tokyo npx vitest run test/date.test.ts", assertion),
      edit("src/date.ts"),
      ok("for z in UTC Asia/Tokyo; do TZ=$z npx vitest run test/date.test.ts 2>&1 | grep Tests; done"),
    ],
  ],
  [
    "a loop over its files",
    [
      bad("node test/num.js", "not ok 3 sums"),
      edit("index.js"),
      ok("for f in test/num.js test/a.js; do node $f; done"),
    ],
  ],
  [
    "a loop over lines that are read",
    [
      bad("LANG=de_DE ./check.sh"),
      edit("check.sh"),
      ok("while read l; do LANG=$l ./check.sh; done < locales"),
    ],
  ],
  [
    "xargs",
    [bad("pylint app/a.py", "app/a.py:3:0: E0602"), edit("app/a.py"), ok("ls app/*.py | xargs -n 1 pylint")],
  ],
  ["a launcher", [bad("pytest -q", "1 failed in 0.2s"), edit("app/a.py"), ok("uv run pytest -q")]],
  [
    "the value of a variable",
    [
      bad("SEED=1 bundle exec rspec", "3 examples, 1 failure"),
      edit("lib/a.rb"),
      ok("SEED=2 bundle exec rspec"),
    ],
  ],
  [
    "a wrapper and a filter",
    [
      bad("go test ./...", "--- FAIL: TestA"),
      edit("a.go"),
      ok("time timeout 60 go test ./... 2>&1 | tail -3"),
    ],
  ],
  [
    "a changed file that is taken back",
    [
      bad("RUST_LOG=a TZ=UTC cargo test", "test result: FAILED. 1 passed; 1 failed; 0 ignored"),
      ok("git checkout src/lib.rs"),
      ok("cargo test"),
    ],
  ],
];

it.each(repaired)("no fix is %s after an edit of the code", (_, steps) => {
  expect(fixesOf(turnOf(steps))).toEqual([]);
});

const byCommand: [what: string, steps: Step[], closing: string, working: string][] = [
  [
    "a variable after an edit of a document",
    [
      bad("mvn verify", "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0"),
      edit("README.md"),
      ok("JAVA_HOME=/opt/jdk-21 mvn verify"),
    ],
    "Done.",
    "JAVA_HOME=/opt/jdk-21 mvn verify",
  ],
  [
    "an option after an edit of a document",
    [bad("npm install"), edit("docs/setup.md"), ok("npm install --legacy-peer-deps")],
    "Done.",
    "npm install --legacy-peer-deps",
  ],
  [
    "a variable after an edit of code that the error does not name",
    [bad("cargo build", "error: linker not found"), edit("src/lib.rs"), ok("CC=clang cargo build")],
    "Done.",
    "CC=clang cargo build",
  ],
];

it.each(byCommand)("the fix is %s", (_, steps, closing, working) => {
  expect(fixesOf(turnOf(steps, closing))).toMatchObject([{ working }]);
});
