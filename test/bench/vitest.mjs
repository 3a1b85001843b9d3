// Long forms of tests: the same files, with a count from the environment.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./worker.mjs";

/** Runs one test file; the lines it printed, and how many of its tests failed. */
export function runTests(file, env) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--config", "test/vitest.config.ts", file];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = `${stdout}\n${stderr}`.split("\n");
  const [, failed] = /^\d+ passed, (\d+) failed$/m.exec(lines.join("\n")) ?? [];
  if (failed === undefined)
    throw new Error(`${file} did not run to its end:\n${lines.slice(-40).join("\n")}`);
  return { lines, failed: Number(failed) };
}
