// How the tests run: bundles built once, migrations read as text, the plain count printed last.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import CountReporter from "./helpers/count-reporter.ts";

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
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
});
