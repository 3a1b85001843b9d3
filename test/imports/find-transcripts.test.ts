// Folders of transcripts in which something cannot be read.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transcriptKinds, transcriptsAt } from "../../src/imports/find-transcripts.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const options = { now: 0, limit: null };

async function failuresIn(folder: string): Promise<string[]> {
  const failures: string[] = [];
  for (const source of transcriptsAt("claude-code", folder, options)) {
    try {
      for await (const _step of source.steps(null));
    } catch (thrown) {
      failures.push(thrown instanceof Error ? thrown.message : "");
    }
  }
  return failures;
}

test("a transcript that cannot be looked at is named beside the others", async () => {
  const folder = tempDir();
  writeFileSync(join(folder, "good.jsonl"), "{}\n");
  symlinkSync(join(folder, "nowhere"), join(folder, "link.jsonl"));
  symlinkSync(join(folder, "nowhere"), join(folder, "other.lock"));
  expect(transcriptsAt("claude-code", folder, options)).toHaveLength(2);
  expect(await failuresIn(folder)).toEqual([
    `${join(folder, "link.jsonl")} cannot be read: no such file or directory (ENOENT).`,
  ]);
});

test("finds sessions in linked folders, and archived and packed ones of Codex", () => {
  const [folder, elsewhere] = [tempDir(), tempDir()];
  writeFileSync(join(elsewhere, "s.jsonl"), "{}\n");
  symlinkSync(elsewhere, join(folder, "-work-shop"));
  symlinkSync(folder, join(elsewhere, "loop"));
  expect(transcriptsAt("claude-code", folder, options)).toHaveLength(1);
  for (const name of ["sessions", "archived_sessions"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "sessions", "rollout-a.jsonl.zst"), "x");
  writeFileSync(join(folder, "archived_sessions", "rollout-b.jsonl"), "{}\n");
  const { folders = [] } = transcriptKinds.codex ?? {};
  const places = [...folders, "absent"].map((name) => join(folder, name));
  const found = transcriptsAt("codex", places, { ...options, mayBeAbsent: true });
  expect(found.map((source) => source.folder)).toEqual([folder, folder]);
});

// Root reads every folder.
test.skipIf(process.getuid?.() === 0)(
  "a folder without permission is named, and others are found",
  async () => {
    const folder = tempDir();
    writeFileSync(join(folder, "good.jsonl"), "{}\n");
    mkdirSync(join(folder, "closed"));
    chmodSync(join(folder, "closed"), 0);
    expect(await failuresIn(folder)).toEqual([
      `${join(folder, "closed")} cannot be read: permission denied (EACCES).`,
    ]);
    chmodSync(join(folder, "closed"), 0o700);
  },
);
