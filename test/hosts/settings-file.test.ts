// The host's settings file on the disk.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettingsFile, replaceSettingsFile } from "../../src/hosts/settings-file.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const unreadable = expect.objectContaining({ code: "host_settings_unreadable" });

test("a new file is made with its folder, for its owner alone", () => {
  const path = join(tempDir(), ".claude", "settings.json");
  expect(readSettingsFile(path)).toBeNull();
  replaceSettingsFile(path, null, "{}\n");
  expect(readFileSync(path, "utf8")).toBe("{}\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([0o644, 0o600, 0o664])("a file keeps its mode %o", (mode) => {
  const path = join(tempDir(), "settings.json");
  writeFileSync(path, "old");
  chmodSync(path, mode);
  replaceSettingsFile(path, "old", "new");
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(mode);
});

test("a link to a repository of settings stays a link, and the file there is replaced", () => {
  const root = tempDir();
  mkdirSync(join(root, "dotfiles"));
  const path = join(root, "settings.json");
  writeFileSync(join(root, "dotfiles", "claude.json"), "old");
  symlinkSync("dotfiles/claude.json", path);
  replaceSettingsFile(path, "old", "new");
  expect(readlinkSync(path)).toBe("dotfiles/claude.json");
  expect(readFileSync(join(root, "dotfiles", "claude.json"), "utf8")).toBe("new");
});

test("a link to a file that is not there yet stays a link too", () => {
  const root = tempDir();
  const path = join(root, "settings.json");
  symlinkSync("dotfiles/claude.json", path);
  replaceSettingsFile(path, null, "new");
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(root, "dotfiles", "claude.json"), "utf8")).toBe("new");
});

test("does not touch a file that the host wrote in the meantime", () => {
  const root = tempDir();
  const path = join(root, "settings.json");
  writeFileSync(path, "theirs");
  expect(() => replaceSettingsFile(path, "old", "new")).toThrow(unreadable);
  expect(() => replaceSettingsFile(path, "old", null)).toThrow(unreadable);
  expect(readFileSync(path, "utf8")).toBe("theirs");
  expect(readdirSync(root)).toEqual(["settings.json"]);
});

test("nothing to change writes nothing", () => {
  const path = join(tempDir(), "settings.json");
  replaceSettingsFile(path, "same", "same");
  expect(existsSync(path)).toBe(false);
});

test("a file of ours alone goes when it is not needed any more", () => {
  const path = join(tempDir(), "settings.json");
  writeFileSync(path, "ours");
  replaceSettingsFile(path, "ours", null);
  expect(existsSync(path)).toBe(false);
});

test("a folder in its place is an error that says where", () => {
  const path = tempDir();
  expect(() => readSettingsFile(path)).toThrow(unreadable);
  expect(() => readSettingsFile(path)).toThrow(path);
});

test("a file that is not UTF-8 is an error, and a byte order mark stays", () => {
  const path = join(tempDir(), "settings.json");
  writeFileSync(path, Buffer.from('{"name": "caf\xe9"}', "latin1"));
  expect(() => readSettingsFile(path)).toThrow(unreadable);
  writeFileSync(path, "\uFEFF{}");
  expect(readSettingsFile(path)).toBe("\uFEFF{}");
});
