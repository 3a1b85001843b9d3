import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findExecutable } from "../../src/settings/executable.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "mem-executable-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function folderWith(mode: number, ...parts: string[]): string {
  const folder = join(home, ...parts);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "mem"), "");
  chmodSync(join(folder, "mem"), mode);
  return folder;
}

const find = (...folders: string[]) => findExecutable({ PATH: folders.join(delimiter) }, "mem");

it("finds the first executable of the name on PATH", () => {
  const [first, second] = [folderWith(0o755, "first"), folderWith(0o755, "second")];
  expect(find(join(home, "missing"), first, second)).toBe(join(first, "mem"));
});

it("passes over a file that cannot be run, and a folder of the name", () => {
  const plain = folderWith(0o644, "plain");
  mkdirSync(join(home, "folder", "mem"), { recursive: true });
  expect(find(plain, join(home, "folder"))).toBeNull();
});

it("skips folders the user's next shell lacks: npm's, relative and empty ones", () => {
  const ofNpm = folderWith(0o755, "project", "node_modules", ".bin");
  const own = folderWith(0o755, "own");
  expect(find(ofNpm, `${ofNpm}/`, relative(process.cwd(), own), "")).toBeNull();
});

it("finds nothing without a PATH", () => {
  expect(findExecutable({}, "mem")).toBeNull();
});
