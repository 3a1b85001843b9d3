import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { MemError } from "../../../src/core/errors.ts";
import {
  accountForInitdb,
  giveTo,
  placeOfPostgres,
  preparePostgresHome,
} from "../../../src/server/postgres/postgres-home.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

function isOpenToPass(path: string): boolean {
  return path === dirname(path) || ((statSync(path).mode & 0o001) !== 0 && isOpenToPass(dirname(path)));
}

test("PostgreSQL reaches its files below a directory that only root may enter", () => {
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

/** A closed data directory with a cluster in it, and where that lies: as anybody but root, inside. */
function closedHome(): { dataDir: string; place: string; isOutside: boolean } {
  const dataDir = join(tempDir(), "it's closed", "data");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { cluster } = preparePostgresHome(dataDir);
  writeFileSync(join(cluster, "PG_VERSION"), "18\n");
  const found = placeOfPostgres(dataDir);
  onTestFinished(() => rmSync(found.place, { recursive: true, force: true }));
  return { dataDir, ...found };
}

function refusal(dataDir: string): MemError | undefined {
  try {
    preparePostgresHome(dataDir);
    return undefined;
  } catch (cause) {
    if (cause instanceof MemError) return cause;
    throw cause;
  }
}

const isRoot = process.getuid?.() === 0;

test("neither restores nor deletes memory whose data directory was removed", () => {
  const { dataDir, place, isOutside } = closedHome();
  expect(isOutside).toBe(isRoot);
  rmSync(dataDir, { recursive: true });
  mkdirSync(dataDir);
  const refused = refusal(dataDir);
  expect(refused?.code).toBe(isRoot ? "data_dir_unusable" : undefined);
  expect(refused?.message ?? place).toContain(place);
  expect(existsSync(join(place, "cluster", "PG_VERSION"))).toBe(isRoot);
  expect(refusal(dataDir)?.code).toBe(refused?.code);
});

test("the refusal shows two commands, and each works as printed", () => {
  for (const way of [/`(ln -s .+?)`/, /`(rm -r .+?)`/]) {
    const { dataDir, place } = closedHome();
    rmSync(dataDir, { recursive: true });
    mkdirSync(dataDir);
    const command = way.exec(refusal(dataDir)?.hint ?? "")?.[1];
    expect(command !== undefined).toBe(isRoot);
    if (command !== undefined) execFileSync("/bin/sh", ["-c", command]);
    const { cluster } = preparePostgresHome(dataDir);
    expect(realpathSync(cluster)).toBe(join(realpathSync(place), "cluster"));
    expect(existsSync(join(cluster, "PG_VERSION"))).toBe(isRoot && command?.startsWith("ln") === true);
  }
});

test("keeps the cluster inside a data directory that others may enter", () => {
  const dataDir = join("/tmp", `mem-open-${process.pid}`, "data");
  mkdirSync(dataDir, { recursive: true });
  onTestFinished(() => rmSync(dirname(dataDir), { recursive: true, force: true }));
  const { cluster } = preparePostgresHome(dataDir);
  expect(placeOfPostgres(dataDir)).toEqual({ place: join(dataDir, "postgres"), isOutside: false });
  expect(cluster).toBe(join(dataDir, "postgres", "cluster"));
});

test("does not replace memory that PostgreSQL can no longer reach", () => {
  const above = join("/tmp", `mem-shut-${process.pid}`);
  const dataDir = join(above, "data");
  mkdirSync(dataDir, { recursive: true });
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  const { cluster } = preparePostgresHome(dataDir);
  writeFileSync(join(cluster, "PG_VERSION"), "18\n");
  chmodSync(above, 0o700);
  const refused = refusal(dataDir);
  expect(refused?.code).toBe(isRoot ? "data_dir_unusable" : undefined);
  execFileSync("/bin/sh", ["-c", /`(chmod .+?)`/.exec(refused?.hint ?? "")?.[1] ?? "true"]);
  expect(preparePostgresHome(dataDir).cluster).toBe(cluster);
});

test("reads the ids of `nobody` on macOS as a process takes them", () => {
  const bin = tempDir();
  writeFileSync(join(bin, "id"), "#!/bin/sh\necho 4294967294\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env.PATH ?? ""}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const account = accountForInitdb();
  expect(account).toEqual({ uid: -2, gid: -2 });
  const given = tempDir();
  if (!isRoot) return;
  giveTo(account, given);
  expect(statSync(given).uid).toBe(4_294_967_294);
});

test("a directory that cannot be given away names another way to a database", () => {
  const missing = join(tempDir(), "missing");
  expect(() => giveTo({ uid: 65_525, gid: 65_525 }, missing)).toThrow(
    expect.objectContaining({
      code: "data_dir_unusable",
      message: expect.stringContaining("(ENOENT)"),
      hint: expect.stringContaining("MEM_DATABASE_URL"),
    }),
  );
});
