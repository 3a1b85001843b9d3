// Importing the commit messages of a real repository through the worker's routes.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createFilter } from "../../src/imports/filter.ts";
import { gitSource } from "../../src/imports/git.ts";
import { previewSources } from "../../src/imports/preview.ts";
import type { Source } from "../../src/imports/source.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { type Cut, importInto, stored } from "./import-world.ts";
import { ask, bytesWith, db, eachWithAWorker } from "./trash-world.ts";

eachWithAWorker();

const root = sharedTempDir();

beforeAll(() => {
  git("init", "-q", "-b", "main");
  commit("Start", "a.ts");
  commit(
    "Fix the login loop\n\nThe cookie was set for the wrong domain, because the proxy rewrites the host.\n\nSigned-off-by: A <a@example.com>",
    "a.ts",
    "src/b c.ts",
  );
  commit("Bump lodash from 4.17.20 to 4.17.21\n\nBumps lodash because of an advisory.", "a.ts");
  commit(
    "Update the lock file\n\nWe pin it because builds differed.",
    "a.ts",
    "--author=renovate[bot] <bot@example.com>",
  );
  commit(
    "Use SQLite instead of files\n\nWe chose SQLite instead of JSON files, since two processes write <private>zebra-canary</private>.\ntoken ghp_0123456789abcdefghijhunter2hunter2abcd",
    "store.ts",
  );
  git("checkout", "-q", "-b", "side", "HEAD~2");
  commit(
    "Retry the upload\n\nThe upload failed because the server closes idle connections after 5 s.",
    "up.ts",
  );
  git("checkout", "-q", "main");
  git("merge", "-q", "--no-edit", "side");
  commit("Prepare the cache\n\nThe cache is not implemented yet.", "a.ts");
});

let commits = 0;

function git(...words: string[]): string {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgSign=false"];
  const minute = new Date(Date.UTC(2025, 4, 1) + commits * 60_000).toISOString();
  const env = { ...process.env, GIT_AUTHOR_DATE: minute, GIT_COMMITTER_DATE: minute };
  return execFileSync("git", ["-C", root, ...identity, ...words], { encoding: "utf8", env });
}

function commit(message: string, ...words: string[]): void {
  commits += 1;
  const files = words.filter((word) => !word.startsWith("--"));
  execFileSync("mkdir", ["-p", join(root, "src")]);
  for (const file of files) writeFileSync(join(root, file), String(commits));
  git("add", ".");
  git("commit", "-q", ...words.filter((word) => word.startsWith("--")), "-m", message);
}

const everything: { limit: number | null; sinceEpochMs: number } = { limit: null, sinceEpochMs: 0 };

function source(options: Partial<typeof everything> = {}, directory = join(root, "src")): Promise<Source> {
  const labelsOf = async (directories: readonly string[]) =>
    (await ask("POST", "/api/projects/of", { directories })).body.labels;
  return gitSource(directory, { ...everything, ...options, labelsOf });
}

async function importAll(cut?: Cut) {
  return importInto([await source()], cut);
}

const titles = () =>
  db.prepare("select title from observations order by created_at_epoch").pluck().all() as string[];

const positionOf = async () => null;

describe("commits of a repository", () => {
  test("that say why become records, at their times, with their files, without secrets", async () => {
    expect(await importAll()).toMatchObject({ records: 3, left: 4, known: 0, skipped: 0, sessions: 1 });
    expect(titles()).toEqual(["Fix the login loop", "Use SQLite instead of files", "Retry the upload"]);
    const [row] = db.prepare("select * from observations order by created_at_epoch").all() as Record<
      string,
      unknown
    >[];
    expect(row).toMatchObject({
      obs_type: "bugfix",
      summary: expect.stringContaining("the proxy rewrites the host"),
      generator: "git",
      created_at_epoch: Date.UTC(2025, 4, 1, 0, 2),
    });
    expect(row?.narrative).not.toContain("Signed-off-by");
    expect(JSON.parse(String(row?.files_modified))).toEqual([join(root, "a.ts"), join(root, "src/b c.ts")]);
    const { body } = await ask("GET", "/api/search?q=proxy%20rewrites%20host");
    expect(JSON.stringify(body)).toContain("Fix the login loop");
    for (const canary of ["zebra-canary", "hunter2hunter2"]) expect(bytesWith(canary)).toBe(false);
  });

  test("add nothing the second time, nor after a rebase, and give the same after a kill", async () => {
    await importAll();
    const before = stored();
    expect(await importAll()).toMatchObject({ records: 0, known: 0, left: 0 });
    db.exec("delete from import_sources");
    expect(await importAll()).toMatchObject({ records: 0, known: 3, sessions: 0 });
    const copy = join(tempDir(), basename(root));
    execFileSync("git", ["clone", "-q", root, copy]);
    const identity = ["-c", "user.name=B", "-c", "user.email=b@example.com"];
    execFileSync("git", ["-C", copy, ...identity, "rebase", "-q", "--force-rebase", "--root"]);
    expect(await importInto([await source({}, copy)])).toMatchObject({ records: 0, known: 3 });
    expect(stored()).toEqual(before);
    for (const batch of [1, 2]) {
      for (const table of ["observations", "sessions", "import_sources"]) db.exec(`delete from ${table}`);
      await importAll({ before: batch }).catch(() => undefined);
      await importAll();
      expect(stored()).toEqual(before);
    }
  });

  test("that are new are read from where the last import ended", async () => {
    const { steps } = await source();
    const positions = [];
    for await (const { position } of steps(null)) positions.push(position);
    const rest = [];
    for await (const step of steps(positions.at(-1) ?? null)) rest.push(step);
    expect(rest).toEqual([]);
    const again = [];
    for await (const { lines } of steps({ commit: git("rev-parse", "HEAD~1").trim() })) again.push(lines);
    expect(again).toEqual([1]);
  });

  test("are selected by time, number and project", async () => {
    expect((await source({ limit: 2 })).size).toBe(2);
    expect((await source({ sinceEpochMs: Date.UTC(2025, 4, 1, 0, 5) })).size).toBe(3);
    const labelsOf = async () => [""];
    const filter = createFilter({ project: "another", sinceEpochMs: 0, labelsOf });
    const preview = await previewSources([await source()], { filter, labelsOf, positionOf });
    expect(preview.projects).toEqual([]);
    expect(preview.sources).toEqual([{ kind: "git", files: 1, commits: 7, imported: 0 }]);
  });

  test("are previewed from the first one on, not from the first day of its month", async () => {
    const options = { filter: null, labelsOf: async () => [], positionOf };
    const { projects } = await previewSources([await source()], options);
    expect(projects.map(({ fromEpoch }) => fromEpoch > Date.UTC(2025, 4, 1))).toEqual([true]);
  });

  test("of no repository are refused with what to do", async () => {
    const outside = gitSource(tempDir(), { ...everything, labelsOf: async () => [""] });
    await expect(outside).rejects.toMatchObject({ code: "not_found" });
  });
});
