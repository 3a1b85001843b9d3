// Copies of the built package, for tests that take a part of it away.
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { olderSqlite } from "../../src/core/node-api.ts";
import { tempDir } from "./temp-dir.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const better = "node_modules/better-sqlite3";

/** What SQLite is loaded from, by this Node. */
export const sqliteParts: readonly string[] = [
  ...["lib", "package.json", "prebuilds"].map((part) => `${better}/${part}`),
  ...(olderSqlite() === null ? [] : ["node_modules/.old-node"]),
];

/** A folder with copies of the named files and folders. */
export function packageCopy(...parts: readonly string[]): string {
  const copy = tempDir();
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true });
  return copy;
}

/** What npm packs. */
export const shipped: readonly string[] = ["bin", "dist", "hooks", "templates", "package.json"];

/** A copy as npm installs the package: without the version of SQLite that a clone has for an old Node. */
export function installedCopy(): string {
  return packageCopy(...shipped, ...sqliteParts.slice(0, 3));
}

/** A copy without the binaries of SQLite. */
export function copyWithoutBinaries(): string {
  const copy = packageCopy(...shipped, ...sqliteParts);
  for (const binaries of [`${better}/prebuilds`, `node_modules/.old-node/${better}/build`])
    rmSync(join(copy, binaries), { recursive: true, force: true });
  return copy;
}

/** A program that is this Node, but takes itself for 20.19.0, which is too old for version 13 of better-sqlite3. */
export function oldNode(): string {
  const [program, preload] = [join(tempDir(), "node"), join(tempDir(), "old.cjs")];
  const versions = `{ ...process.versions, node: "20.19.0", napi: "9" }`;
  writeFileSync(preload, `Object.defineProperty(process, "versions", { value: ${versions} });`);
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --require '${preload}' "$@"\n`, {
    mode: 0o755,
  });
  return program;
}
