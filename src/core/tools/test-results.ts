// Test results in what a command printed: counts and the names of failing tests, of the common test runners.

export interface TestResults {
  passed: number;
  failed: number;
  skipped: number;
  /** What was counted: `go test` without -v tells of packages only. */
  unit: "test" | "package";
  /** Names of failing tests, as the runner prints them. */
  failing: string[];
}

/** The results that `lines` report, or null when they report none. */
export function testResults(lines: readonly string[]): TestResults | null {
  const found: TestResults = { passed: 0, failed: 0, skipped: 0, unit: "test", failing: [] };
  const failing = new Set<string>();
  const go: GoCounts = { passed: 0, failed: 0, packagesPassed: 0 };
  let counted = false;
  for (const line of lines) {
    if (line.length > longestLine || !worthALook.test(line)) continue;
    const summary = readSummary(line);
    if (summary !== null) {
      counted = true;
      // Runners that print one count to a line (mocha, TAP) and runners that print several lines (cargo) both add up.
      if (summary.adds === true) {
        found.passed += summary.passed ?? 0;
        found.failed += summary.failed ?? 0;
        found.skipped += summary.skipped ?? 0;
      } else {
        found.passed = summary.passed ?? found.passed;
        found.failed = summary.failed ?? found.failed;
        found.skipped = summary.skipped ?? found.skipped;
        if (summary.amongPassed === true) found.passed = Math.max(0, found.passed - found.failed);
      }
      continue;
    }
    takeGoLine(line, go);
    const name = failing.size < maxFailing ? failingName(line) : null;
    if (name !== null) failing.add(name);
  }
  if (!counted) Object.assign(found, goResults(go));
  if (found.passed + found.failed + found.skipped === 0) return null;
  return { ...found, failing: found.failed > 0 ? withoutShorter([...failing]) : [] };
}

/** True where `lines` report a test that failed, even when a later run of them passed. */
export function failedTests(lines: readonly string[]): boolean {
  return lines.some((line) => (testResults([line])?.failed ?? 0) > 0);
}

// Runners print a failing test twice: by its title, and by file and title.
function withoutShorter(names: readonly string[]): string[] {
  return names.filter((name) => !names.some((other) => other !== name && other.endsWith(name)));
}

interface Summary {
  passed?: number;
  failed?: number;
  skipped?: number;
  adds?: boolean;
  /** The failures were counted among the passed before. */
  amongPassed?: boolean;
}

function readSummary(line: string): Summary | null {
  for (const { pattern, read } of summaries) {
    const match = pattern.exec(line);
    if (match !== null) return read(match, line);
  }
  return null;
}

type Reader = { pattern: RegExp; read: (match: RegExpExecArray, line: string) => Summary | null };

/** One row for each way of summing up; the first that matches a line reads it. */
const summaries: readonly Reader[] = [
  // vitest counts files too; only its Tests line counts.
  { pattern: /^\s*Test Files\s|^Test Suites:/, read: () => ({}) },
  // vitest "Tests  2 failed | 12 passed (14)", jest "Tests: 2 failed, 12 passed, 14 total"
  {
    pattern: /^\s*Tests:?\s+(?=\d+ (?:failed|passed|skipped|todo|pending))/,
    read: (_, line) => wordCounts(line),
  },
  // pytest "=== 2 failed, 12 passed, 1 skipped in 0.12s ===", with -q without the bars
  {
    pattern: /^(?:=+ )?(?:\d+ \w+, )*\d+ (?:passed|failed|errors?)\b.* in [\d.]+s/,
    read: (_, line) => wordCounts(line),
  },
  // cargo "test result: FAILED. 12 passed; 2 failed; 1 ignored"
  {
    pattern: /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/,
    read: ([, passed, failed, skipped]) => ({ ...numbers({ passed, failed, skipped }), adds: true }),
  },
  // node --test and TAP "# pass 12"; newer reporters print an info sign
  {
    pattern: /^(?:#|ℹ) (pass|fail|skipped) (\d+)\s*$/,
    read: ([, word = "", count]) => oneCount(word, count),
  },
  // mocha "12 passing (30ms)", bun "12 pass", playwright "12 passed (3.2s)"
  {
    pattern:
      /^\s{0,4}(\d+) (passing|failing|pending|pass|fail|skip|passed|failed|skipped|flaky)(?: \([\d.]+ ?m?s\))?\s*$/,
    read: ([, count, word = ""]) => oneCount(word, count),
  },
  // maven "Tests run: 14, Failures: 2, Errors: 0, Skipped: 1"; the last line is the total
  {
    pattern: /Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)/,
    read: ([, run, failures, errors, skipped]) =>
      outOf(run, Number(failures) + Number(errors), Number(skipped)),
  },
  // dotnet "Failed!  - Failed: 2, Passed: 12, Skipped: 0, Total: 14"
  {
    pattern: /Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+)/,
    read: ([, failed, passed, skipped]) => numbers({ passed, failed, skipped }),
  },
  // rspec "14 examples, 2 failures", gradle "14 tests completed, 2 failed", minitest "14 runs, 30 assertions, 2 failures"
  {
    pattern:
      /^(\d+) (?:examples?|tests? completed|runs?|tests?),(?: \d+ assertions,)? (\d+) (?:failures?|failed)/,
    read: ([, run, failed]) => outOf(run, Number(failed), 0),
  },
  // phpunit "Tests: 14, Assertions: 30, Failures: 2." and "OK (14 tests, 30 assertions)"
  {
    pattern: /^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?/,
    read: ([, run, errors = "0", failures = "0"]) => outOf(run, Number(errors) + Number(failures), 0),
  },
  { pattern: /^OK \((\d+) tests?,/, read: ([, run]) => outOf(run, 0, 0) },
  // unittest "Ran 14 tests in 0.1s", then "OK" or "FAILED (failures=2, errors=1)"
  { pattern: /^Ran (\d+) tests? in /, read: ([, run]) => outOf(run, 0, 0) },
  {
    pattern: /^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?/,
    read: ([, failures = "0", errors = "0"]) => ({
      failed: Number(failures) + Number(errors),
      amongPassed: true,
    }),
  },
  // swift "Executed 14 tests, with 2 failures"; ctest "85% tests passed, 2 tests failed out of 14"
  {
    pattern: /Executed (\d+) tests?, with (\d+) failures?/,
    read: ([, run, failed]) => outOf(run, Number(failed), 0),
  },
  {
    pattern: /tests passed, (\d+) tests? failed out of (\d+)/,
    read: ([, failed, run]) => outOf(run, Number(failed), 0),
  },
  // deno "ok | 12 passed | 0 failed", and any "12 passed, 2 failed"
  {
    pattern: /\b\d+ (?:passed|failed)\b[,;| ]+\d+ (?:passed|failed)\b/i,
    read: (_, line) => wordCounts(line),
  },
];

function wordCounts(line: string): Summary {
  const summary: Summary = {};
  for (const [, count, word = ""] of line.matchAll(
    /(\d+) (passed|failed|errors?|skipped|todo|pending)\b/gi,
  )) {
    const name = /^(?:failed|error)/i.test(word) ? "failed" : /^passed/i.test(word) ? "passed" : "skipped";
    summary[name] = (summary[name] ?? 0) + Number(count);
  }
  // A line that says only "12 passed" says that none failed.
  return { passed: 0, failed: 0, skipped: 0, ...summary };
}

function numbers(texts: Record<"passed" | "failed" | "skipped", string | undefined>): Summary {
  return { passed: Number(texts.passed), failed: Number(texts.failed), skipped: Number(texts.skipped) };
}

function oneCount(word: string, count: string | undefined): Summary {
  const value = Number(count);
  if (word.startsWith("pass")) return { passed: value };
  return word.startsWith("fail") ? { failed: value } : { skipped: value };
}

function outOf(run: string | undefined, failed: number, skipped: number): Summary {
  return { passed: Math.max(0, Number(run) - failed - skipped), failed, skipped };
}

interface GoCounts {
  passed: number;
  failed: number;
  packagesPassed: number;
}

// go names failing tests always, passing ones with -v only; subtests are indented and belong to their test.
function takeGoLine(line: string, go: GoCounts): void {
  if (line.startsWith("--- PASS: ")) go.passed += 1;
  else if (line.startsWith("--- FAIL: ")) go.failed += 1;
  else if (goPackage.test(line)) go.packagesPassed += 1;
}

function goResults(go: GoCounts): Partial<TestResults> {
  if (go.passed + go.failed > 0) return { passed: go.passed, failed: go.failed };
  return { passed: go.packagesPassed, unit: "package" };
}

function failingName(line: string): string | null {
  for (const pattern of failingPatterns) {
    const name = pattern.exec(line)?.[1]?.trim();
    if (name !== undefined && name !== "") return name;
  }
  return null;
}

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

const maxFailing = 8;
const longestLine = 400;
const goPackage = /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))/;
const worthALook = /pass|fail|tests?\b|ok\b|examples?|[×✗✖✕●]|^\s+\d+\) |run:|Ran |ℹ|^# |runs?,|^rspec /i;
