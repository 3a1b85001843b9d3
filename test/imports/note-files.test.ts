// Notes of basic-memory that cannot be read, beside others.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { basicMemorySource } from "../../src/imports/note-files.ts";
import type { Source } from "../../src/imports/source.ts";
import { tempDir } from "../helpers/temp-dir.ts";

async function read(source: Source | null) {
  const titles: unknown[] = [];
  const texts: unknown[] = [];
  const unreadable: string[] = [];
  for await (const step of source?.steps(null) ?? []) {
    for (const { type, title, narrative, summary } of step.records ?? []) {
      if (type !== "observation") continue;
      titles.push(title);
      texts.push(narrative ?? summary);
    }
    unreadable.push(...(step.unreadable ?? []));
  }
  return { titles, texts, unreadable };
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

test("keeps all of a note between rulers, and reads folded titles", async () => {
  const folder = tempDir();
  const notes = {
    a: "---\n\n- [fact] One\nWe stop after three.\n---\nSee also.",
    b: "---\nNote: five per card.\nWhy: the bank.\n---\nTail.",
    c: "---\r\npermalink: x\r\n---\r\n\r\n---\r\ntitle: >-\r\n  Empty\r\n  rows\r\n---\r\nSkipped.",
    d: '---\ntitle: "Plain"\ntags:\n  - a\n---\nFirst.\n\n---\n\nSecond.',
  };
  for (const [name, text] of Object.entries(notes)) writeFileSync(join(folder, `${name}.md`), text);
  const { titles, texts } = await read(basicMemorySource(folder, "shop"));
  expect(titles).toEqual(["a", "b", "Empty rows", "Plain"]);
  expect(texts).toEqual([notes.a, notes.b, "Skipped.", "First.\n\n---\n\nSecond."]);
});

test("links in a notes folder are followed, a loop once; a lost one is named", async () => {
  const [folder, elsewhere] = [tempDir(), tempDir()];
  writeFileSync(join(elsewhere, "kept.md"), "Use pnpm here.");
  symlinkSync(join(elsewhere, "kept.md"), join(folder, "kept.md"));
  symlinkSync(folder, join(folder, "loop"));
  symlinkSync(join(elsewhere, "gone"), join(folder, "disk"));
  const unreadable = [expect.stringContaining("disk cannot be read")];
  expect(await read(basicMemorySource(folder, "shop"))).toMatchObject({ titles: ["kept"], unreadable });
});

test("a folder without notes is no source", () => {
  const folder = tempDir();
  writeFileSync(join(folder, "picture.png"), "");
  expect(basicMemorySource(folder, "shop")).toBeNull();
});
