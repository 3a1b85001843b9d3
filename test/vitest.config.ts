// How the tests run: bundles built once, migrations read as text, the plain count printed last.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import CountReporter from "./helpers/count-reporter.ts";

/** Starts with the files that start processes or fill large tables: a long one that starts last would run alone. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const startsProcesses = ({ moduleId }: TestSpecification) =>
      /\/test\/(acceptance|cli|docs|faults|viewer|generate\/providers\/subscription|store\/postgres)\//.test(
        moduleId,
      );
    return [...sorted.filter(startsProcesses), ...sorted.filter((file) => !startsProcesses(file))];
  }
}

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  plugins: [
    {
      name: "sql-as-text",
      transform: (code, id) => (id.endsWith(".sql") ? `export default ${JSON.stringify(code)};` : undefined),
    },
  ],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: [
      "test/helpers/run-directory.ts",
      "test/helpers/build-once.ts",
      "test/helpers/postgres-cluster.ts",
    ],
    reporters: [new CountReporter()],
    sequence: { sequencer: ProcessesFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Only the patience of a test that fails: the default of 1 s is short on a loaded machine.
    expect: { poll: { timeout: 20_000 } },
    // A process per file costs 0.3 s of CPU; the code keeps no state in modules, so files share one. What a test changes in
    // its process (environment, working directory, timers), it restores.
    isolate: false,
    // Tests that wait for processes leave time for a third on two cores.
    maxWorkers: 3,
  },
});
