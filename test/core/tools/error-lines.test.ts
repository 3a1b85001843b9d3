// The first error of an output, and its place.
import { expect, it } from "vitest";
import { endsInError, errorLines } from "../../../src/core/tools/error-lines.ts";

const rows: [what: string, output: string, first: string | null, location: string | null][] = [
  [
    "tsc",
    "src/q.ts(12,5): error TS2322: Type 'a'.",
    "src/q.ts(12,5): error TS2322: Type 'a'.",
    "src/q.ts:12",
  ],
  ["gcc", "main.c:3:5: error: 'x' undeclared", "main.c:3:5: error: 'x' undeclared", "main.c:3"],
  [
    "rustc",
    "error[E0382]: borrow of moved value\n  --> src/main.rs:4:5",
    "error[E0382]: borrow of moved value",
    "src/main.rs:4",
  ],
  [
    "a Rust panic",
    "thread 'main' panicked at src/lib.rs:14:9:\nindex out of bounds",
    "thread 'main' panicked at src/lib.rs:14:9: index out of bounds",
    "src/lib.rs:14",
  ],
  ["go build", "./q.go:14:2: undefined: foo", "./q.go:14:2: undefined: foo", "./q.go:14"],
  [
    "a Node stack",
    "TypeError: x is not a function\n    at f (node:internal/a:1:1)\n    at main (/app/src/x.js:3:1)",
    "TypeError: x is not a function",
    "/app/src/x.js:3",
  ],
  [
    "a Python traceback",
    'Traceback (most recent call last):\n  File "app.py", line 3, in f\n    g()\nKeyError: 1',
    "KeyError: 1",
    "app.py:3",
  ],
  ["pytest", "E       assert 1 == 2\n\ntests/t.py:7: AssertionError", "assert 1 == 2", "tests/t.py:7"],
  [
    "vitest",
    "AssertionError: expected 3 to be 2\n ❯ test/r.test.ts:14:21",
    "AssertionError: expected 3 to be 2",
    "test/r.test.ts:14",
  ],
  [
    "eslint",
    "/a/b.ts\n  1:1  warning  x\n  12:5  error  'x' is never used",
    "12:5  error  'x' is never used",
    "/a/b.ts:12",
  ],
  ["git", "fatal: not a git repository", "fatal: not a git repository", null],
  ["a shell", "sh: 1: foo: not found", "sh: 1: foo: not found", null],
  ["npm", 'npm error code ENOENT\nnpm error Missing script: "x"', 'npm error Missing script: "x"', null],
  ["a clean build", "Found 0 errors. Watching for file changes.", null, null],
  ["prose", "This handles the error case well.", null, null],
];

it.each(rows)("finds the first error of %s and its location", (_, output, first, location) => {
  expect(errorLines(output.split("\n"))).toMatchObject({ first, location });
});

it.each([
  ["Error: Cannot find module 'x'\n    at y\n\nNode.js v20", true],
  ["npm error code 1", true],
  ["fatal: not a git repository", true],
  ["psql: error: connection refused", true],
  ["all good", false],
  ["handled Error: none", false],
])("%j ends in an error: %s", (output, expected) => {
  expect(endsInError(output.split("\n"))).toBe(expected);
});
