// A directory of the test's own, removed when the test ends.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that is gone after the running test. */
export function tempDir(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "mem-test-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Files under `directory` whose bytes hold one of `canaries`, as `path: canary`. */
export function findCanaries(directory: string, canaries: readonly string[]): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    for (const canary of canaries) if (bytes.includes(canary)) found.push(`${path}: ${canary}`);
  }
  return found;
}
