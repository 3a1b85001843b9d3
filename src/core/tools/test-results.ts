// Test results in what a command printed: counts and the names of failing tests, of the common test runners.

export interface TestResults {
  passed: number;
  failed: number;
  skipped: number;
  /** `go test` without -v counts packages. */
  unit: "test" | "package";
  /** Names of failing tests, as the runner prints them. */
  failing: string[];
}

/** The results that `lines` report, or null when they report none. */
export function testResults(lines: readonly string[]): TestResults | null {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const go = { passed: 0, failed: 0, packages: 0 };
  const failing = new Set<string>();
  let isCounted = false;
  for (const line of lines) {
    if (line.length > longestLine || !hint.test(line)) continue;
    const pattern = summaries.find((one) => one.test(line));
    if (pattern !== undefined) {
      isCounted = true;
      counts = withSummary(counts, line, pattern);
      continue;
    }
    // go always names failing tests, passing ones with -v only; subtests are indented and belong to their test.
    if (line.startsWith("--- PASS: ")) go.passed += 1;
    else if (line.startsWith("--- FAIL: ")) go.failed += 1;
    else if (goPackage.test(line)) go.packages += 1;
    const name = failing.size < maxFailing ? failingName(line) : undefined;
    if (name !== undefined) failing.add(name);
  }
  const isOfGo = !isCounted && go.passed + go.failed > 0;
  const isOfPackages = !isCounted && !isOfGo;
  const { passed, failed, skipped } = isOfGo
    ? { ...go, skipped: 0 }
    : isOfPackages
      ? { ...counts, passed: go.packages }
      : counts;
  if (passed + failed + skipped === 0) return null;
  const names = failed > 0 ? withoutShorter([...failing]) : [];
  return { passed, failed, skipped, unit: isOfPackages ? "package" : "test", failing: names };
}

/** True where `lines` report a test that failed, even when a later run of them passed. */
export function failedTests(lines: readonly string[]): boolean {
  return lines.some((line) => (testResults([line])?.failed ?? 0) > 0);
}

type Counts = Pick<TestResults, "passed" | "failed" | "skipped">;

// A later line replaces an earlier one; cargo prints one line for each binary.
function withSummary(before: Counts, line: string, pattern: RegExp): Counts {
  const { passed, failed, skipped } = readSummary(line, pattern);
  if (pattern === cargo) {
    return {
      passed: before.passed + (passed ?? 0),
      failed: before.failed + (failed ?? 0),
      skipped: before.skipped + (skipped ?? 0),
    };
  }
  const after = {
    passed: passed ?? before.passed,
    failed: failed ?? before.failed,
    skipped: skipped ?? before.skipped,
  };
  // unittest counts its failures among the tests that ran.
  return pattern === unittest ? { ...after, passed: Math.max(0, after.passed - after.failed) } : after;
}

function readSummary(line: string, pattern: RegExp): Partial<Counts> {
  if (pattern === fileCounts) return {};
  const groups = pattern.exec(line)?.groups;
  if (groups === undefined) return wordCounts(line);
  const { word, count, run } = groups;
  if (word !== undefined) return { [counterOf(word)]: Number(count) };
  const failed = Number(groups.failed ?? 0) + Number(groups.errors ?? 0);
  if (pattern === unittest) return { failed };
  const skipped = Number(groups.skipped ?? 0);
  return { passed: Math.max(0, Number(groups.passed ?? Number(run) - failed - skipped)), failed, skipped };
}

// A line that says only "12 passed" says that none failed.
function wordCounts(line: string): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, count, word = ""] of line.matchAll(countedWord)) counts[counterOf(word)] += Number(count);
  return counts;
}

function counterOf(word: string): keyof Counts {
  return /^pass/i.test(word) ? "passed" : /^(?:fail|error)/i.test(word) ? "failed" : "skipped";
}

// Runners print a failing test twice: by its title, and by file and title.
function withoutShorter(names: readonly string[]): string[] {
  return names.filter((name) => !names.some((other) => other !== name && other.endsWith(name)));
}

function failingName(line: string): string | undefined {
  return failingPatterns.map((pattern) => pattern.exec(line)?.[1]?.trim()).find(Boolean);
}

const maxFailing = 8;
const longestLine = 400;
const hint = /pass|fail|tests?\b|ok\b|examples?|[×✗✖✕●]|^\s+\d+\) |run:|Ran |ℹ|^# |runs?,|^rspec /i;
const countedWord = /(\d+) (passed|failed|errors?|skipped|todo|pending)\b/gi;
const goPackage = /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))/;
const fileCounts = /^\s*Test Files\s|^Test Suites:/;
const cargo = /^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored/;
const unittest = /^FAILED \((?:failures=(?<failed>\d+))?(?:, )?(?:errors=(?<errors>\d+))?/;

/** The first that matches a line reads it: by its groups (`run` is the total), without groups by its words. */
const summaries: readonly RegExp[] = [
  fileCounts, // vitest counts files too; only its Tests line counts
  /^\s*Tests:?\s+(?=\d+ (?:failed|passed|skipped|todo|pending))/, // vitest, jest "Tests: 2 failed, 12 passed"
  /^(?:=+ )?(?:\d+ \w+, )*\d+ (?:passed|failed|errors?)\b.* in [\d.]+s/, // pytest "2 failed, 12 passed in 0.12s"
  cargo,
  /^(?:#|ℹ) (?<word>pass|fail|skipped) (?<count>\d+)\s*$/, // node --test and TAP "# pass 12"
  // mocha "12 passing (30ms)", bun "12 pass", playwright "12 passed (3.2s)"
  /^\s{0,4}(?<count>\d+) (?<word>passing|failing|pending|pass|fail|skip|passed|failed|skipped|flaky)(?: \([\d.]+ ?m?s\))?\s*$/,
  /Tests run: (?<run>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+), Skipped: (?<skipped>\d+)/, // maven
  /Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+)/, // dotnet
  // rspec "14 examples, 2 failures", gradle "14 tests completed, 2 failed", minitest "14 runs, 30 assertions, 2 failures"
  /^(?<run>\d+) (?:examples?|tests? completed|runs?|tests?),(?: \d+ assertions,)? (?<failed>\d+) (?:failures?|failed)/,
  /^Tests: (?<run>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?/, // phpunit
  /^OK \((?<run>\d+) tests?,/, // phpunit
  /^Ran (?<run>\d+) tests? in /, // unittest, before "OK" or "FAILED (failures=2, errors=1)"
  unittest,
  /Executed (?<run>\d+) tests?, with (?<failed>\d+) failures?/, // swift
  /tests passed, (?<failed>\d+) tests? failed out of (?<run>\d+)/, // ctest
  /\b\d+ (?:passed|failed)\b[,;| ]+\d+ (?:passed|failed)\b/i, // deno "ok | 12 passed | 0 failed", and others
];

const failingPatterns: readonly RegExp[] = [
  /^FAILED (\S+::[^\s].*?)(?: - .*)?$/,
  /^\s*(?:FAIL|❯ FAIL)\s+(\S+ > .+?)\s*$/,
  /^\s*[×✗✖✕] (.+?)(?: \(?[\d.]+ ?m?s\)?)?\s*$/,
  /^\s*● (.+ › .+)$/,
  /^\s*--- FAIL: (\S+)/,
  /^test (\S+) \.\.\. FAILED$/,
  /^\s*not ok \d+ -? ?(.+?)(?: #.*)?$/,
  /^\s{4,}\d{1,3}\) (\S.{2,200}?):?$/,
  /^(?:FAIL|ERROR): (\w+ \([\w.]+\))$/,
  /^rspec (\S+:\d+) #/,
];
