import { mkdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { preparePostgresHome } from "../../src/server/postgres-home.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function isOpenToPass(path: string): boolean {
  return path === dirname(path) || ((statSync(path).mode & 0o001) !== 0 && isOpenToPass(dirname(path)));
}

test("PostgreSQL gets through to its files, also when the data directory lies where only root may go", () => {
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  const dataDir = join(tempDir(), "closed", "data");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { cluster, sockets, user } = preparePostgresHome(dataDir);
  const root = realpathSync(join(dataDir, "postgres"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(realpathSync(cluster)).toBe(join(root, "cluster"));
  for (const path of [cluster, sockets]) {
    expect(statSync(path).mode & 0o777).toBe(0o700);
    // As anybody else it runs as ourselves, and every directory above is ours.
    expect(statSync(path).uid).toBe(user?.uid ?? process.getuid?.());
    expect(user === undefined || isOpenToPass(dirname(path))).toBe(true);
  }
  expect(preparePostgresHome(dataDir).cluster).toBe(cluster);
});
