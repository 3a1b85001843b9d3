// Notes of basic-memory that cannot be read, beside others.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { basicMemorySource } from "../../src/imports/note-files.ts";
import type { Source } from "../../src/imports/source.ts";
import { tempDir } from "../helpers/temp-dir.ts";

async function read(source: Source | null) {
  const titles: unknown[] = [];
  const unreadable: string[] = [];
  for await (const step of source?.steps(null) ?? []) {
    for (const { type, title } of step.records ?? []) if (type === "observation") titles.push(title);
    unreadable.push(...(step.unreadable ?? []));
  }
  return { titles, unreadable };
}

test("notes that cannot be read are named with the reason, and the others are read", async () => {
  const folder = tempDir();
  writeFileSync(join(folder, "good.md"), "\uFEFF---\ntitle: Good\n---\nUse pnpm here.");
  writeFileSync(join(folder, "gone.md"), "Gone before it is read.");
  writeFileSync(join(folder, "bytes.md"), Buffer.from([0xff, 0xfe, 0x41, 0x00]));
  writeFileSync(join(folder, "large.md"), "x".repeat(4 * 1024 * 1024 + 1));
  symlinkSync(join(folder, "nowhere"), join(folder, "link.md"));
  mkdirSync(join(folder, "folder.md"));
  writeFileSync(join(folder, "folder.md", "inner.md"), "In a folder with the name of a note.");
  const source = basicMemorySource(folder, "shop");
  rmSync(join(folder, "gone.md"));
  const { titles, unreadable } = await read(source);
  expect(titles.toSorted()).toEqual(["Good", "inner"]);
  expect(unreadable.toSorted()).toEqual([
    `${join(folder, "bytes.md")} cannot be read: it is not UTF-8 text.`,
    `${join(folder, "gone.md")} cannot be read: no such file or directory (ENOENT).`,
    `${join(folder, "large.md")} cannot be read: it has more than 4 MB.`,
    `${join(folder, "link.md")} cannot be read: no such file or directory (ENOENT).`,
  ]);
});

test("a note behind a link is read, and a link to a folder is not followed", async () => {
  const [folder, elsewhere] = [tempDir(), tempDir()];
  writeFileSync(join(elsewhere, "kept.md"), "Use pnpm here.");
  symlinkSync(join(elsewhere, "kept.md"), join(folder, "kept.md"));
  symlinkSync(folder, join(folder, "loop"));
  expect(await read(basicMemorySource(folder, "shop"))).toEqual({ titles: ["kept"], unreadable: [] });
});

test("a folder without notes is no source", () => {
  const folder = tempDir();
  writeFileSync(join(folder, "picture.png"), "");
  expect(basicMemorySource(folder, "shop")).toBeNull();
});
