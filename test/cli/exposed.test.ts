// A data directory that other users can write to, or that no user can: every command reports it and the fix.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageCopy, sqliteParts } from "../helpers/package-copy.ts";
import { workerBundle, workerHome } from "../helpers/worker-process.ts";
import { calledMem } from "./mem.ts";

const isRoot = process.getuid?.() === 0;
const other = 65_534;

type Mem = ReturnType<typeof calledMem>;

async function dataDirectory(mem: Mem) {
  const { stdout } = await mem("doctor", "--json");
  const checks: { name: string; state: string; message: string; next?: string }[] = JSON.parse(stdout).items;
  return checks.find(({ name }) => name === "Data directory");
}

describe("a data directory that other users can write to", () => {
  test("is not talked to: search and start say so with the command, and doctor fails", async () => {
    const mem = calledMem();
    await mem("worker", "start");
    chmodSync(mem.home.dataDir, 0o777);
    const runs = [await mem("search", "x"), await mem("worker", "start"), await mem("worker", "stop")];
    const doctor = await dataDirectory(mem);
    chmodSync(mem.home.dataDir, 0o700);
    for (const { code, stderr } of runs) {
      expect(code).toBe(78);
      expect(stderr).toContain(`Other users can write to ${mem.home.dataDir}`);
      expect(stderr).toContain(`chmod go-w ${mem.home.dataDir}`);
    }
    expect(doctor).toMatchObject({ state: "fail", next: expect.stringContaining("chmod go-w") });
    expect((await mem("search", "x")).code).toBe(0);
  });

  test.runIf(isRoot)("and that is another user's, is refused to root too", async () => {
    const mem = calledMem();
    mkdirSync(mem.home.dataDir, { mode: 0o700 });
    chownSync(mem.home.dataDir, other, other);
    const { code, stderr } = await mem("search", "x");
    expect(code).toBe(78);
    expect(stderr).toContain(`belongs to another user (uid ${other}, you are 0)`);
    expect(stderr).toContain("MEM_DATA_DIR");
    expect(await dataDirectory(mem)).toMatchObject({ state: "fail" });
  });
});

test.runIf(isRoot)(
  "accepts root's data directory that others can enter while its files are closed",
  async () => {
    const mem = calledMem();
    await mem("worker", "start");
    const { dataDir } = mem.home;
    chmodSync(dataDir, 0o711);
    mkdirSync(join(dataDir, "postgres", "cluster"), { recursive: true });
    chmodSync(join(dataDir, "postgres"), 0o711);
    chmodSync(join(dataDir, "postgres", "cluster"), 0o700);
    expect(await dataDirectory(mem)).toMatchObject({ state: "ok" });
    await mem("worker", "restart");
    expect(await dataDirectory(mem)).toMatchObject({ state: "ok" });
    for (const open of ["settings.json", "postgres", "logs"]) {
      chmodSync(join(dataDir, open), 0o755);
      expect(await dataDirectory(mem)).toMatchObject({
        state: "warn",
        message: expect.stringContaining(open),
      });
      chmodSync(join(dataDir, open), open === "settings.json" ? 0o600 : 0o711);
    }
    chmodSync(dataDir, 0o755);
    expect(await dataDirectory(mem)).toMatchObject({ state: "warn" });
  },
);

describe.runIf(isRoot)("a data directory that cannot be used, as another user", () => {
  const bundle = join("dist", basename(workerBundle));
  const bin = join("bin", "mem.js");
  // The check is the same for all: the worker meets every mode.
  const commands: [string, string[], number[]][] = [
    ["the worker", [bundle], [0o500, 0o555, 0o400, 0o100, 0o000]],
    ["mem worker start", [bin, "worker", "start"], [0o500, 0o000]],
    ["mem settings set", [bin, "settings", "set", "MEM_LOG_LEVEL", "DEBUG"], [0o555, 0o400]],
  ];

  // The checkout may lie below a directory that only root may enter.
  function copyForOthers(): string {
    const copy = packageCopy("bin", "dist", "package.json", ...sqliteParts);
    chmodSync(copy, 0o755);
    return copy;
  }

  test.each(commands)("%s names it and the next step", (_what, command, modes) => {
    const home = workerHome();
    const copy = copyForOthers();
    const above = dirname(home.dataDir);
    for (const directory of [above, join(above, "home")]) chownSync(directory, other, other);
    mkdirSync(home.dataDir);
    chownSync(home.dataDir, other, other);
    for (const mode of modes) {
      chmodSync(home.dataDir, mode);
      const { status, stderr } = spawnSync(process.execPath, command, {
        cwd: copy,
        uid: other,
        gid: other,
        env: home.env,
        encoding: "utf8",
      });
      expect({ mode, status }).toEqual({ mode, status: 78 });
      expect(stderr).toContain(`${home.dataDir} cannot be `);
      expect(stderr).toContain(`chmod u+rwx ${home.dataDir}`);
    }
    chmodSync(home.dataDir, 0o700);
  });
});
