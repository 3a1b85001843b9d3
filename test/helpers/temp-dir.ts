// Temporary directories, removed after the test or the file.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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

// A command that a test calls changes it for itself.
const parent = tmpdir();

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(parent, "t-")));
}

async function remove(path: string): Promise<void> {
  for (const directory of [...linkedPostgres(path), path]) await removeTree(directory);
}

// A process that ends with a killed one may write a last file. rmSync then retries the folder alone, not what is in it.
async function removeTree(directory: string): Promise<void> {
  for (let tries = 12; tries > 1; tries--) {
    try {
      return rmSync(directory, { recursive: true, force: true });
    } catch {
      await sleep(100);
    }
  }
  rmSync(directory, { recursive: true, force: true });
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
