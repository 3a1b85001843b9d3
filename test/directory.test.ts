import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDirectories } from "../src/directory.ts";
import { tempDir } from "./helpers/temp-dir.ts";

test("what is missing is made with the mode, and named from the outside in", () => {
  const root = tempDir();
  const [outer, inner] = [join(root, "a"), join(root, "a", "b")];
  expect(makeDirectories(inner, 0o700)).toEqual([outer, inner]);
  expect([outer, inner].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  expect(makeDirectories(inner, 0o700)).toEqual([]);
});

test("a directory behind a link is one", () => {
  const root = tempDir();
  mkdirSync(join(root, "real"));
  symlinkSync(join(root, "real"), join(root, "link"));
  expect(makeDirectories(join(root, "link"))).toEqual([]);
  expect(makeDirectories(join(root, "link", "a"))).toEqual([join(root, "link", "a")]);
});

test("a file in the way is an error", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(() => makeDirectories(file)).toThrow("EEXIST");
  expect(() => makeDirectories(join(file, "a", "b"))).toThrow("ENOTDIR");
});

test.runIf(existsSync("/proc/self"))("a place that takes no directories is an error, at once", () => {
  expect(() => makeDirectories("/proc/nope/deeper")).toThrow("ENOENT");
});
