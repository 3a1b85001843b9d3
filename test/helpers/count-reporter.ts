// Vitest's default report with the sources' names, and one plain line at its end: `N passed, N failed`.
import { DefaultReporter, type TestModule } from "vitest/node";

type RunEnd = Parameters<DefaultReporter["onTestRunEnd"]>;

export default class CountReporter extends DefaultReporter {
  override onTestModuleCollected(module: TestModule): void {
    // Tests run compiled, from `.tests/<pid>/`.
    const { task } = module as TestModule & { task: { name: string } };
    task.name = task.name.replace(/^\.tests\/\d+\/(.*)\.js$/, "$1");
    super.onTestModuleCollected(module);
  }
  override onTestRunEnd(...[modules, errors, reason]: RunEnd): void {
    super.onTestRunEnd(modules, errors, reason);
    const { passed, failed } = countTests(modules);
    console.log(`${passed} passed, ${failed + errors.length} failed`);
  }
}

// A file that could not be loaded has no tests, and failed; so did a test that was never run to its end.
function countTests(modules: readonly TestModule[]): { passed: number; failed: number } {
  let passed = 0;
  let failed = 0;
  for (const module of modules) {
    const tests = [...module.children.allTests()];
    for (const test of tests) {
      const { state } = test.result();
      if (state === "passed") passed += 1;
      else if (state !== "skipped") failed += 1;
    }
    if (module.state() === "failed" && tests.every((test) => test.result().state !== "failed")) failed += 1;
  }
  return { passed, failed };
}
