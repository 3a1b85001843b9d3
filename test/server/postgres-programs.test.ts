import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { MemError } from "../../src/core/errors.ts";
import { type LentUser, reachablePrograms } from "../../src/server/postgres-programs.ts";
import { installedPrograms, startPrivatePostgres } from "../../src/server/private-postgres.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const isRoot = process.getuid?.() === 0;
const somebody: LentUser = { name: "somebody", uid: 65_534, gid: 65_534 };

/** A small tree in the shape of npm's package, and a directory for copies of it. */
function smallTree(): { above: string; native: string; copies: string } {
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
  return { above, native, copies: join(root, "copies") };
}

function found({ native, copies }: { native: string; copies: string }, clock = systemClock): string {
  return reachablePrograms({ native, version: "1.2.3", user: somebody, copies, clock });
}

function runAs(user: LentUser, program: string): string {
  return execFileSync(program, { uid: user.uid, gid: user.gid, encoding: "utf8" });
}

test("programs that the user can read are run from their place", () => {
  const tree = smallTree();
  expect(found(tree)).toBe(tree.native);
  expect(existsSync(tree.copies)).toBe(false);
});

const closings: [string, (tree: { above: string; native: string }) => void][] = [
  ["a directory above them", ({ above }) => chmodSync(above, 0o700)],
  ["a directory among them", ({ native }) => chmodSync(join(native, "lib", "deep"), 0o700)],
  ["the umask that they were unpacked with", ({ native }) => execFileSync("chmod", ["-R", "go=", native])],
];

test.runIf(isRoot)("programs closed by any directory or mode run from a copy of root's", () => {
  for (const [, close] of closings) {
    const tree = smallTree();
    close(tree);
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    const copy = found(tree);
    process.umask(umask);
    expect(copy.startsWith(join(tree.copies, "postgresql-1.2.3-"))).toBe(true);
    expect(runAs(somebody, join(copy, "bin", "initdb"))).toBe("made\n");
    for (const path of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
      const { uid, mode } = lstatSync(join(copy, path));
      expect(uid).toBe(0);
      if (!lstatSync(join(copy, path)).isSymbolicLink()) expect(mode & 0o022, path).toBe(0);
    }
    expect(readFileSync(join(copy, "lib", "libx.so"), "utf8")).toBe("library");
    expect(found(tree)).toBe(copy);
    expect(readdirSync(tree.copies)).toEqual([basename(copy)]);
  }
});

const damages: [string, (copy: string) => void][] = [
  ["cut short", (copy) => writeFileSync(join(copy, "lib", "deep", "plain"), "")],
  ["changed", (copy) => writeFileSync(join(copy, "bin", "initdb"), "#!/bin/sh\necho evil\n")],
  ["a file short", (copy) => rmSync(join(copy, "lib", "libx.so"))],
  ["with a file more", (copy) => writeFileSync(join(copy, "lib", "more.so"), "")],
  ["writable by others", (copy) => chmodSync(join(copy, "bin", "initdb"), 0o777)],
  ["of another owner", (copy) => execFileSync("chown", ["65534", join(copy, "bin", "initdb")])],
];

test.runIf(isRoot)("a damaged copy is replaced before anything of it runs", () => {
  for (const [how, damage] of damages) {
    const tree = smallTree();
    chmodSync(tree.above, 0o700);
    const copy = found(tree);
    damage(copy);
    expect(found(tree), how).toBe(copy);
    expect(runAs(somebody, join(copy, "bin", "initdb")), how).toBe("made\n");
    expect(readdirSync(join(copy, "lib")).sort(), how).toEqual(["deep", "libx.so", "libx.so.1.2"]);
    expect(lstatSync(join(copy, "bin", "initdb")), how).toMatchObject({ uid: 0 });
    expect(readdirSync(tree.copies), how).toEqual([basename(copy)]);
  }
});

test.runIf(isRoot)(
  "copies of earlier contents are removed once old, unless a process runs from them",
  async () => {
    const tree = smallTree();
    chmodSync(tree.above, 0o700);
    const inAnHour = { ...systemClock, now: () => systemClock.now() + 61 * 60_000 };
    const change = (text: string) => writeFileSync(join(tree.native, "share", "text"), text);
    const first = found(tree);
    cpSync(realpathSync("/bin/sleep"), join(tree.native, "bin", "postgres"));
    const second = found(tree);
    // One that another process made a moment ago stays.
    expect(existsSync(first)).toBe(true);
    const running = spawn(join(second, "bin", "postgres"), ["60"], { stdio: "ignore" });
    await once(running, "spawn");
    change("third");
    const third = found(tree, inAnHour);
    expect(readdirSync(tree.copies).sort()).toEqual([basename(second), basename(third)].sort());
    running.kill("SIGKILL");
    await once(running, "exit");
    change("fourth");
    const fourth = found(tree, inAnHour);
    expect(readdirSync(tree.copies)).toEqual([basename(fourth)]);
  },
);

test.runIf(isRoot)("a refused copy names the directory that keeps the user out", () => {
  const tree = smallTree();
  chmodSync(tree.above, 0o700);
  writeFileSync(tree.copies, "a file, no directory");
  let refused: unknown;
  try {
    found(tree);
  } catch (cause) {
    refused = cause;
  }
  expect(refused).toBeInstanceOf(MemError);
  const { message, hint } = refused as MemError;
  expect(message).toContain(`the user somebody (uid 65534), and ${tree.above} (mode 700) does not let`);
  expect(message).toContain(tree.copies);
  expect(`${message} ${hint}`).not.toMatch(/empty|100 MB/);
});

test.runIf(isRoot)("a cluster is made and runs from a checkout that only root may enter", async () => {
  const closed = join(tempDir(), "checkout");
  mkdirSync(closed, { mode: 0o700 });
  const { native, version } = installedPrograms();
  cpSync(native, join(closed, "native"), { recursive: true, verbatimSymlinks: true });
  const copies = join("/tmp", `mem-copies-${process.pid}`);
  onTestFinished(() => rmSync(copies, { recursive: true, force: true }));
  const user = lentUser();
  const root = reachablePrograms({ native: join(closed, "native"), version, user, copies });
  const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
  const postgres = await startPrivatePostgres({
    dataDir: tempDir(),
    other: { bin: join(root, "bin"), locale },
    settings: ["fsync=off"],
  });
  onTestFinished(() => postgres.stop("immediate"));
  expect(postgres.pid).toBeGreaterThan(0);
});

test.runIf(isRoot)("a program that cannot be reached is named with what is in its way", async () => {
  const closed = join(tempDir(), "checkout");
  mkdirSync(join(closed, "bin"), { recursive: true });
  for (const name of ["postgres", "initdb"]) {
    writeFileSync(join(closed, "bin", name), "#!/bin/sh\n", { mode: 0o755 });
  }
  chmodSync(closed, 0o700);
  const other = { bin: join(closed, "bin"), locale: [] };
  const started = startPrivatePostgres({ dataDir: tempDir(), other });
  await expect(started).rejects.toMatchObject({
    message: expect.stringMatching(/runs as the user \S+ \(uid \d+\), and .* \(mode 700\) does not let/),
    hint: expect.not.stringMatching(/empty|100 MB/),
  });
});

function lentUser(): LentUser {
  for (const name of ["postgres", "mem-postgres"]) {
    try {
      const id = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { name, uid: id("-u"), gid: id("-g") };
    } catch {
      // The next one.
    }
  }
  return somebody;
}
