// Importing databases and files of other memories through the worker's routes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { allSources, type Search, sourcesOf } from "../../src/imports/find-sources.ts";
import type { Source } from "../../src/imports/source.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { at, claudeMem, mcpMemory, memories } from "./foreign-memories.ts";
import { type Cut, importInto, stored } from "./import-world.ts";
import { ask, bytesWith, db, eachWithAWorker } from "./trash-world.ts";

eachWithAWorker();

function search(folder: string, project: string | null = null): Search {
  const machine = {
    environment: {},
    home: folder,
    platform: process.platform,
    paths: dataPaths(folder),
  } as unknown as Search["machine"];
  return {
    ...{ machine, now: at, limit: null, project },
  };
}

function sources(kind: string, path: string, project?: string): Promise<Source[]> {
  return sourcesOf(kind, path, search(path, project));
}

describe.each(Object.entries(memories))("the memory of %s", (kind, { make, counts, title }) => {
  const importAll = async (path: string, cut: Cut = {}) => importInto(await sources(kind, path), cut);

  test("is imported once, with its times, also after a kill, and is not changed", async () => {
    const path = make(tempDir());
    const bytes = kind === "basic-memory" ? "" : readFileSync(path, "hex");
    expect(await importAll(path)).toMatchObject(counts);
    const { body } = await ask("GET", `/api/search?q=${encodeURIComponent(title)}`);
    expect(JSON.stringify(body)).toContain(title);
    for (const canary of ["zebra-canary", "hunter2hunter2"]) expect(bytesWith(canary)).toBe(false);
    const before = stored();
    expect(await importAll(path)).toMatchObject({ sessions: 0, prompts: 0, records: 0 });
    db.exec("delete from import_sources");
    expect(await importAll(path)).toMatchObject({ sessions: 0, prompts: 0, records: 0 });
    expect(stored()).toEqual(before);
    expect(kind === "basic-memory" ? "" : readFileSync(path, "hex")).toBe(bytes);
    for (const batch of [1, 2]) {
      for (const table of ["sessions", "import_sources", "observations", "session_summaries", "user_prompts"])
        db.exec(`delete from ${table}`);
      await importAll(path, { before: batch }).catch(() => undefined);
      await importAll(path);
      expect(stored()).toEqual(before);
    }
  });
});

test("a database of claude-mem from before version 8 is read, too", async () => {
  const path = claudeMem(tempDir(), { isOld: true });
  expect(await importInto(await sources("claude-mem", path))).toMatchObject({ prompts: 2, records: 4 });
  expect(stored().sessions).toContainEqual(
    expect.objectContaining({ claude_session_id: "host-1", project: "shop", host: "claude-code" }),
  );
});

test("a prompt of claude-mem that a hook recorded is not doubled", async () => {
  await ask("POST", "/api/sessions/init", {
    ...{ claudeSessionId: "host-1", project: "shop" },
    prompt: "Why does the login loop?",
  });
  db.exec(`update user_prompts set created_at_epoch = ${at + 500}`);
  expect(await importInto(await sources("claude-mem", claudeMem(tempDir())))).toMatchObject({
    prompts: 1,
    known: 1,
  });
  expect(stored().prompts).toHaveLength(2);
});

test("notes without a project go to the one that is given", async () => {
  await importInto(await sources("mcp-memory", mcpMemory(tempDir()), "shop"));
  expect(db.prepare("select distinct project from observations").pluck().all()).toEqual(["shop"]);
});

test.each([
  ["a file that is no database", (path: string) => writeFileSync(path, "x".repeat(5_000)), /cannot be read/],
  [
    "a database of an unknown version",
    (path: string) => new Database(path).exec("create table observations (id integer primary key)").close(),
    /no tables of a version/,
  ],
])("%s is refused, and says so", async (_what, make, message) => {
  const path = join(tempDir(), "claude-mem.db");
  make(path);
  await expect(importInto(await sources("claude-mem", path))).rejects.toMatchObject({
    code: "import_unreadable",
    message: expect.stringMatching(message),
  });
});

test("a file or folder of the wrong kind is refused, with the next step", async () => {
  const folder = tempDir();
  const file = join(folder, "small.md");
  writeFileSync(file, "Use pnpm here.");
  const hint = expect.stringContaining("--help");
  await expect(sources("basic-memory", file)).rejects.toMatchObject({ code: "import_unreadable", hint });
  await expect(importInto(await sources("mcp-memory", folder))).rejects.toMatchObject({
    code: "import_unreadable",
    hint,
  });
});

test("a place that cannot be read is named, and the other sources are imported", async () => {
  const home = tempDir();
  writeFileSync(join(home, "basic-memory"), "");
  mkdirSync(join(home, ".claude-mem"));
  claudeMem(join(home, ".claude-mem"));
  const ended = await importInto(await allSources(search(home)));
  expect(ended).toMatchObject({ sessions: 2, unreadable: [expect.stringMatching(/ENOTDIR.*--help/)] });
});

test("without a home directory the hosts are named, and the other sources are imported", async () => {
  const folder = tempDir();
  const { machine, ...rest } = search(folder);
  const environment = { MEMORY_FILE_PATH: mcpMemory(folder) };
  const ended = await importInto(
    await allSources({ ...rest, machine: { ...machine, environment, home: "" } }),
  );
  expect(ended).toMatchObject({ sessions: 1, unreadable: Array(3).fill(expect.stringMatching(/Set HOME/)) });
});
