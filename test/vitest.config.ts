// How the tests run: compiled first, bundles built once, the plain count printed last.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { compileTests } from "./helpers/compiled-tests.ts";
import CountReporter from "./helpers/count-reporter.ts";
import { patienceMs } from "./helpers/eventually.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

// Files that start processes, fill large tables or try thousands of values.
const longFiles = new RegExp(
  `/test/(${[
    "acceptance|cli|docs|faults|viewer",
    "generate/providers/subscription|hosts/(hook|openclaw-plugin|opencode-plugin)",
    "server/(postgres|vectors)|store/postgres",
  ].join("|")})/|/(hostile-values|recorded-output|damaged-tables|histories|common-words)\\.`,
);

/** Starts with the long files: one that starts last would run alone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longFiles.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// Every Node that starts would read these certificates first, 70 ms of processor time; tests call loopback only.
delete process.env.NODE_EXTRA_CA_CERTS;

export default defineConfig({
  root,
  plugins: [
    {
      name: "compiled-tests",
      config: async () => ({ test: await compileTests(root, process.argv.slice(3)) }),
    },
  ],
  test: {
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Errors name lines of the sources.
    execArgv: ["--enable-source-maps"],
    reporters: [new CountReporter()],
    sequence: { sequencer: LongFirst },
    // Only a test that fails waits so long: a machine with twenty processes for each processor passes too. Longer than
    // `patienceMs`, so that a wait names what never came.
    testTimeout: 2 * patienceMs,
    hookTimeout: 2 * patienceMs,
    expect: { poll: { timeout: patienceMs } },
    // A process per file costs 0.3 s of CPU; the code keeps no state in modules, so files share one. What a test changes in
    // its process (environment, working directory, timers), it restores.
    isolate: false,
    // Tests that wait for processes leave time for two more on two cores.
    maxWorkers: 4,
  },
});
