// Temporary directories, removed after the test or the file.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** An empty directory that is gone after the running test. */
export function tempDir(): string {
  const path = newDirectory();
  onTestFinished(() => remove(path));
  return path;
}

/** An empty directory for all tests of the file, for example for a cluster that is created once. */
export function sharedTempDir(): string {
  const path = newDirectory();
  afterAll(() => remove(path));
  return path;
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "t-")));
}

function remove(path: string): void {
  for (const directory of [...linkedPostgres(path), path])
    rmSync(directory, { recursive: true, force: true, maxRetries: 12 });
}

/** As root the private PostgreSQL of a closed data directory is outside of it, behind a link. */
function linkedPostgres(path: string): string[] {
  return [join(path, "postgres"), join(path, "data", "postgres")].flatMap((link) => {
    try {
      return [readlinkSync(link)];
    } catch {
      // Missing, no link, or below a file.
      return [];
    }
  });
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
