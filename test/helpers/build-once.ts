// Tests that start the product start what users start: the bundles. They are built before any test runs, unless they
// are newer than every source file.
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export default function buildOnce(): void {
  if (process.env.MEM_TEST_BUILD === "skip" || isFresh()) return;
  execFileSync(process.execPath, [join(root, "src", "build.mjs")], { stdio: "inherit" });
}

function isFresh(): boolean {
  const built = modifiedAt("dist", Math.min);
  return built > Math.max(modifiedAt("src", Math.max), statSync(join(root, "package-lock.json")).mtimeMs);
}

function modifiedAt(folder: string, pick: (a: number, b: number) => number): number {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
      .reduce((one, other) => pick(one, other));
  } catch {
    return 0;
  }
}
