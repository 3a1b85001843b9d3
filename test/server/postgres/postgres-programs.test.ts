import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MemError } from "../../../src/core/errors.ts";
import {
  installedPrograms,
  type PostgresUser,
  reachablePrograms,
} from "../../../src/server/postgres/postgres-programs.ts";
import { startPrivatePostgres } from "../../../src/server/postgres/private-postgres.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const isRoot = process.getuid?.() === 0;
const user: PostgresUser = { uid: 65_534, gid: 65_534 };

/** A small tree in the shape of npm's package, and the place for a copy of it. */
function smallTree(): { above: string; native: string; copy: string } {
  const root = tempDir();
  chmodSync(root, 0o755);
  const above = join(root, "checkout");
  const native = join(above, "native");
  for (const directory of ["bin", "lib/deep", "share"])
    mkdirSync(join(native, directory), { recursive: true });
  writeFileSync(join(native, "bin", "initdb"), "#!/bin/sh\necho made\n", { mode: 0o755 });
  writeFileSync(join(native, "lib", "libx.so.1.2"), "library");
  symlinkSync("libx.so.1.2", join(native, "lib", "libx.so"));
  writeFileSync(join(native, "lib", "deep", "plain"), "data");
  return { above, native, copy: join(root, "programs") };
}

function programsOf({ native, copy }: { native: string; copy: string }): string {
  return reachablePrograms({ native, user, copy });
}

function run(program: string): string {
  return execFileSync(program, { ...user, encoding: "utf8" });
}

test("runs programs from their place when the user can read them", () => {
  const tree = smallTree();
  expect(programsOf(tree)).toBe(tree.native);
  expect(existsSync(tree.copy)).toBe(false);
});

const closings: [string, (tree: { above: string; native: string }) => void][] = [
  ["a directory above them", ({ above }) => chmodSync(above, 0o700)],
  ["a directory among them", ({ native }) => chmodSync(join(native, "lib", "deep"), 0o700)],
  ["the umask that they were unpacked with", ({ native }) => execFileSync("chmod", ["-R", "go=", native])],
];

test.runIf(isRoot).each(closings)(
  "runs a copy that only root can change when closed by %s",
  (_what, close) => {
    const tree = smallTree();
    close(tree);
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    expect(programsOf(tree)).toBe(tree.copy);
    expect(run(join(tree.copy, "bin", "initdb"))).toBe("made\n");
    for (const path of readdirSync(tree.copy, { recursive: true, encoding: "utf8" })) {
      const stats = lstatSync(join(tree.copy, path));
      expect(stats.uid).toBe(0);
      if (!stats.isSymbolicLink()) expect(stats.mode & 0o022, path).toBe(0);
    }
    expect(readFileSync(join(tree.copy, "lib", "libx.so"), "utf8")).toBe("library");
  },
);

const damages: [string, (copy: string) => void][] = [
  ["cut short", (copy) => writeFileSync(join(copy, "lib", "deep", "plain"), "")],
  ["changed", (copy) => writeFileSync(join(copy, "bin", "initdb"), "#!/bin/sh\necho evil\n")],
  ["a file short", (copy) => rmSync(join(copy, "lib", "libx.so"))],
  ["with a file more", (copy) => writeFileSync(join(copy, "lib", "more.so"), "")],
  ["writable by others", (copy) => chmodSync(join(copy, "bin", "initdb"), 0o777)],
  ["of another owner", (copy) => execFileSync("chown", ["65534", join(copy, "bin", "initdb")])],
];

test.runIf(isRoot).each(damages)("replaces a copy that is %s before any of it runs", (_how, damage) => {
  const tree = smallTree();
  chmodSync(tree.above, 0o700);
  damage(programsOf(tree));
  expect(programsOf(tree)).toBe(tree.copy);
  expect(run(join(tree.copy, "bin", "initdb"))).toBe("made\n");
  expect(readFileSync(join(tree.copy, "lib", "deep", "plain"), "utf8")).toBe("data");
  expect(readdirSync(join(tree.copy, "lib")).sort()).toEqual(["deep", "libx.so", "libx.so.1.2"]);
  expect(lstatSync(join(tree.copy, "bin", "initdb"))).toMatchObject({ uid: 0, mode: 0o100_755 });
});

test.runIf(isRoot)("names the directory that keeps the user out when no copy can be made", () => {
  const tree = smallTree();
  chmodSync(tree.above, 0o700);
  writeFileSync(join(tree.copy, "..", "file"), "not a directory");
  let refused: unknown;
  try {
    programsOf({ ...tree, copy: join(tree.copy, "..", "file", "programs") });
  } catch (cause) {
    refused = cause;
  }
  expect(refused).toBeInstanceOf(MemError);
  const { message, hint } = refused as MemError;
  expect(message).toContain(`runs as uid 65534, which may not use ${tree.above} (mode 700)`);
  expect(message).toContain(join(tree.copy, "..", "file"));
  expect(`${message} ${hint}`).not.toMatch(/empty|100 MB/);
});

test.runIf(isRoot)("npm's programs run from a copy, in a closed data directory", async () => {
  const copy = join("/tmp", `mem-copies-${process.pid}`, "programs");
  mkdirSync(join(copy, ".."));
  onTestFinished(() => rmSync(join(copy, ".."), { recursive: true, force: true }));
  const closed = join(tempDir(), "checkout");
  mkdirSync(closed, { mode: 0o700 });
  // No one else gets through the closed directory, wherever the link in it leads.
  const installed = await installedPrograms(tempDir(), () => undefined);
  symlinkSync(dirname(installed), join(closed, "package"));
  const native = join(closed, "package", basename(installed));
  const bin = join(reachablePrograms({ native, user, copy }), "bin");
  expect(bin).toBe(join(copy, "bin"));
  const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
  const postgres = await startPrivatePostgres({
    dataDir: tempDir(),
    other: { bin, locale },
    settings: ["fsync=off"],
  });
  onTestFinished(() => postgres.stop("immediate"));
  expect(postgres.pid).toBeGreaterThan(0);
});

test.runIf(isRoot)("names what keeps PostgreSQL from a program", async () => {
  const closed = join(tempDir(), "checkout");
  mkdirSync(join(closed, "bin"), { recursive: true });
  for (const name of ["postgres", "initdb"]) {
    writeFileSync(join(closed, "bin", name), "#!/bin/sh\n", { mode: 0o755 });
  }
  chmodSync(closed, 0o700);
  const other = { bin: join(closed, "bin"), locale: [] };
  const started = startPrivatePostgres({ dataDir: tempDir(), other });
  await expect(started).rejects.toMatchObject({
    message: expect.stringMatching(/runs as uid \d+, which may not use .* \(mode 700\)/),
    hint: expect.not.stringMatching(/empty|100 MB/),
  });
});
