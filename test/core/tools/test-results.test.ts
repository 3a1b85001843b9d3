// The summaries that test runners print.
import { expect, it } from "vitest";
import { testResults } from "../../../src/core/tools/test-results.ts";

type Row = [runner: string, output: string, passed: number, failed: number, failing?: string[]];

const rows: Row[] = [
  [
    "vitest",
    " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 12 passed (14)\n FAIL  a.test.ts > q > adds\n   × adds 5ms",
    12,
    2,
    ["a.test.ts > q > adds"],
  ],
  ["vitest, all green", " Test Files  2 passed (2)\n      Tests  14 passed (14)", 14, 0],
  [
    "jest",
    "  ● queue › claims once\nTest Suites: 1 failed, 1 total\nTests:       2 failed, 1 skipped, 12 passed, 15 total",
    12,
    2,
    ["queue › claims once"],
  ],
  [
    "pytest",
    "FAILED tests/t.py::test_a - assert 1\n=== 1 failed, 2 passed, 1 skipped in 0.12s ===",
    2,
    1,
    ["tests/t.py::test_a"],
  ],
  ["pytest -q", "1 failed, 2 passed in 0.05s", 2, 1],
  [
    "go test",
    "--- FAIL: TestClaim (0.00s)\n    --- FAIL: TestClaim/twice (0.00s)\nFAIL\nok  \tx/r\t0.02s",
    0,
    1,
    ["TestClaim", "TestClaim/twice"],
  ],
  ["go test -v", "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL", 1, 1, ["TestB"]],
  ["go test, all green", "ok  \tx/q\t0.02s\nok  \tx/r\t(cached)", 2, 0],
  [
    "cargo, two binaries",
    "test a::b ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed; 0 ignored",
    4,
    1,
    ["a::b"],
  ],
  [
    "mocha",
    "  queue\n    ✓ adds\n    1) claims\n\n  1 passing (10ms)\n  1 failing\n\n  1) queue\n       claims:",
    1,
    1,
    ["claims"],
  ],
  ["node --test", "✖ b (2ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ skipped 0", 1, 1, ["b"]],
  ["TAP", "not ok 2 - claims twice\n# tests 2\n# pass 1\n# fail 1", 1, 1, ["claims twice"]],
  ["bun", " 12 pass\n 2 fail", 12, 2],
  ["playwright", "  2 failed\n    [chromium] › a.spec.ts:3:1\n  12 passed (3.2s)", 12, 2],
  ["rspec", "14 examples, 2 failures\nrspec ./spec/a_spec.rb:4 # Cart", 12, 2, ["./spec/a_spec.rb:4"]],
  ["phpunit", "Tests: 14, Assertions: 30, Failures: 2.", 12, 2],
  ["phpunit, all green", "OK (14 tests, 30 assertions)", 14, 0],
  [
    "maven",
    "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n[ERROR] Tests run: 14, Failures: 1, Errors: 1, Skipped: 1",
    11,
    2,
  ],
  ["dotnet", "Failed!  - Failed:     2, Passed:    12, Skipped:     0, Total:    14", 12, 2],
  [
    "unittest",
    "FAIL: test_total (cart.CartTest)\nRan 14 tests in 0.1s\n\nFAILED (failures=2, errors=1)",
    11,
    3,
    ["test_total (cart.CartTest)"],
  ],
  ["gradle", "14 tests completed, 2 failed", 12, 2],
  ["ctest", "85% tests passed, 2 tests failed out of 14", 12, 2],
  ["swift", "Executed 14 tests, with 2 failures (0 unexpected) in 0.1 seconds", 12, 2],
  ["deno", "ok | 12 passed | 2 failed (30ms)", 12, 2],
  ["any other", "Result: 12 passed, 2 failed", 12, 2],
];

it.each(rows)("counts the summary of %s", (_, output, passed, failed, failing) => {
  const results = testResults(output.split("\n"));
  expect(results).toMatchObject({ passed, failed });
  if (failing !== undefined) expect(results?.failing).toEqual(failing);
});

it.each([
  ["nothing"],
  ["the test passed the review"],
  ["Tests are in test/"],
  ["0 passed, 0 failed"],
  ["# pass the salt"],
])("%j is no summary of tests", (output) => {
  expect(testResults(output.split("\n"))).toBeNull();
});
