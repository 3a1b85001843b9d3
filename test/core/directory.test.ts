import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { closeDirectory, exposureOf, insideOwn, makeDirectories } from "../../src/core/directory.ts";
import { tempDir } from "../helpers/temp-dir.ts";

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
  expect(() => makeDirectories(join(file, "a", "b"))).toThrow("EEXIST");
});

test.runIf(existsSync("/proc/self"))("fails immediately where no directory can be made", () => {
  expect(() => makeDirectories("/proc/nope/deeper")).toThrow("ENOENT");
});

describe("who can write to a directory", () => {
  const user = process.geteuid?.() ?? 0;

  test.runIf(process.platform !== "win32").each([
    [0o700, null],
    [0o711, null],
    [0o755, null],
    [0o770, "writable"],
    [0o720, "writable"],
    [0o702, "writable"],
    [0o1777, "writable"],
  ])("mode %o of ours is %s", (mode, exposure) => {
    expect(exposureOf({ uid: user, mode: 0o040_000 | mode })).toBe(exposure);
    expect(exposureOf({ uid: user + 1, mode: 0o040_000 | mode })).toBe("foreign");
  });

  test("what is run inside of an own directory sees it by short names, and comes back", () => {
    const root = tempDir();
    const before = process.cwd();
    expect(insideOwn(root, () => realpathSync("."))).toBe(root);
    expect(() =>
      insideOwn(root, () => {
        throw new Error("inside");
      }),
    ).toThrow("inside");
    chmodSync(root, 0o777);
    expect(() => insideOwn(root, () => "told")).toThrow(`Other users can write to ${root}`);
    expect(process.cwd()).toBe(before);
  });

  test("closes an open directory, and does not touch a shared one", () => {
    const root = tempDir();
    chmodSync(root, 0o777);
    closeDirectory(root, statSync(root));
    expect(statSync(root).mode & 0o7777).toBe(0o700);
    chmodSync(root, 0o1777);
    expect(() => closeDirectory(root, statSync(root))).toThrow("shared by all users");
    expect(statSync(root).mode & 0o7777).toBe(0o1777);
  });
});
