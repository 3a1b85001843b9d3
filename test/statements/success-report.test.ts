// A bare report of success is no finding; under which conditions it succeeds is one.
import { expect, test } from "vitest";
import { concludedIn } from "../../src/statements/concluded.ts";
import { saysOnlySuccess } from "../../src/statements/success-report.ts";
import { ok, turnOf } from "./turn-support.ts";

const bare = [
  "Tests pass (2 of 2).",
  "Done.",
  "Build succeeded",
  "All checks pass",
  "All 14 tests pass now.",
  "Done: the tests are green.",
  "Lint, types and unit tests are clean.",
  "`pnpm test` passes (12 passed in 3.4 s).",
  "`npx tsc --noEmit` and `npm test` both succeed.",
  "The tests in test/webhook.test.ts pass.",
  "Everything works as expected.",
  "I ran the full test suite again: 128 passed, 0 failed.",
  "Verified: the build is green, no warnings.",
  "✅ All tests passed!",
  "Committed and pushed.",
  "Fixed and verified.",
  "Everything is fixed, all tests pass.",
  "The type check finished without errors.",
  "Alle Tests laufen durch.",
  "Der Build ist grün, keine Fehler.",
  "Todas las pruebas pasan.",
  "Tous les tests passent.",
  "Todos os testes passam.",
  "Все тесты прошли успешно.",
  "所有测试均已通过。",
  "テストはすべて通りました。",
];

test.each(bare)("only reports success: %s", (text) => {
  expect(saysOnlySuccess(text)).toBe(true);
});

test.each([
  "Tests pass only with --runInBand because they share a port.",
  "The tests pass on Node 20 but not on 18.",
  "All tests pass except the flaky login test.",
  "3 tests failed.",
  "12 passed, 2 failed.",
  "Build succeeded after I raised the heap to 4 GB.",
  "The migration is done, the backfill is not.",
  "Checks pass once `DATABASE_URL` points to the test database.",
  "The worker works without Redis.",
  "Fixed the redirect after login.",
  "Fixed the type tests",
  "I've fixed the flaky unit tests.",
  "The tests do not pass yet.",
  "`make deploy` works from the VPN only.",
  "The importer is green for files up to 2 MB.",
  "Errors are logged, not thrown.",
  "Die Tests laufen nur mit `TZ=UTC`.",
  "Las pruebas pasan solo con la base de datos vacía.",
  "测试通过，但覆盖率下降了。",
  "Which tests to run?",
])("says more: %s", (text) => {
  expect(saysOnlySuccess(text)).toBe(false);
});

test("is left out of what a turn found", () => {
  const closing = `The retry used a shared timer in \`src/queue.ts\`. ${bare[0]} Tests pass only with --runInBand because they share a port.`;
  const found = concludedIn(turnOf([ok("npm test")], closing)).map(({ text }) => text);
  expect(found.join("\n")).not.toContain("2 of 2");
  expect(found.join("\n")).toContain("--runInBand");
});
