import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { newId } from "../../src/core/ids.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import type { Sqlite } from "../../src/store/sqlite/open.ts";
import { calledMem, type Mem, servedMem, sharedMem } from "./mem.ts";

let mem: Mem;
let file: string;

beforeEach(() => {
  mem = calledMem();
  file = join(mem.home.dataDir, "..", "memory.db");
});

const remember = async (text: string, into = mem) =>
  expect((await into("remember", text, "--project", "shop")).code).toBe(0);

const rules = async (from = mem): Promise<string[]> => {
  const { stdout } = await from("rules", "--project", "shop", "--json");
  return JSON.parse(stdout).items.map(({ text }: { text: string }) => text);
};

function read<T>(path: string, ask: (db: Sqlite) => T): T {
  const db = new Database(path, { readonly: true });
  try {
    return ask(db);
  } finally {
    db.close();
  }
}

const beside = () => readdirSync(dirname(file)).filter((name) => name.startsWith("memory"));

describe("mem backup", () => {
  beforeEach(() => {
    mem = servedMem();
    file = join(mem.home.dataDir, "..", "memory.db");
  });

  test("is one checked file that only its owner reads, with the worker running or not", async () => {
    mem = calledMem();
    await remember("Use pnpm.");
    const { code, stdout } = await mem("backup", file);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 observation and 0 summaries"),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(beside()).toEqual(["memory.db"]);
    expect(read(file, (db) => db.pragma("integrity_check", { simple: true }))).toBe("ok");
    await mem("worker", "stop");
    const { stdout: json } = await mem("backup", file, "--force", "--json");
    expect(JSON.parse(json)).toMatchObject({ file, counts: { observations: 1 }, spooled: 0 });
  });

  // No user, not even root, can make a file there.
  test("into a directory that cannot be written to ends with 74 and what to do", async () => {
    await remember("Use pnpm.");
    const { code, stderr } = await mem("backup", "/sys/memory.db");
    expect({ code, stderr }).toMatchObject({
      code: 74,
      stderr: expect.stringMatching(/name a(nother)? file/i),
    });
    expect(stderr).toContain("/sys");
    expect(stderr).not.toContain("Internal error");
  });

  test("holds everything that was acknowledged before it started, under load", async () => {
    await mem("worker", "start");
    const client = createWorkerClient({ dataDir: mem.home.dataDir });
    const acknowledged: string[] = [];
    let isLoading = true;
    const load = async (session: string) => {
      while (isLoading) {
        const prompt = newId();
        await client.postSession("init", { claudeSessionId: session, project: "shop", prompt });
        acknowledged.push(prompt);
      }
    };
    const loads = ["a", "b", "c", "d"].map(load);
    try {
      for (let round = 0; round < 3; round += 1) {
        while (acknowledged.length < 40 * (round + 1)) await new Promise((resolve) => setTimeout(resolve, 5));
        const before = [...acknowledged];
        expect((await mem("backup", file, "--force")).code).toBe(0);
        const { kept, check } = read(file, (db) => ({
          kept: new Set(db.prepare("select prompt_text from user_prompts").pluck().all()),
          check: db.pragma("integrity_check", { simple: true }),
        }));
        expect({ check, missing: before.filter((prompt) => !kept.has(prompt)) }).toEqual({
          check: "ok",
          missing: [],
        });
      }
    } finally {
      isLoading = false;
      await Promise.all(loads);
      await client.close();
    }
  });

  test("replaces nothing unasked, and leaves nothing behind when it fails", async () => {
    expect(await calledMem()("backup", file)).toMatchObject({ code: 66 });
    await remember("Use pnpm.");
    writeFileSync(file, "mine");
    expect(await mem("backup", file)).toMatchObject({ code: 65 });
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(await mem("backup", join(dirname(file), "none", "x.db"))).toMatchObject({ code: 74 });
    expect(await mem("backup", dirname(file))).toMatchObject({ code: 74 });
    expect(beside()).toEqual(["memory.db"]);
  });

  test("below a file or a circle of links is an error with a next step", async () => {
    await remember("Use pnpm.");
    writeFileSync(file, "mine");
    const loop = join(dirname(file), "loop");
    symlinkSync("loop", loop);
    for (const path of [file, join(file, "x"), loop]) {
      for (const [command, code] of [
        ["backup", 74],
        ["export", 74],
        ["restore", 66],
        ["import jsonl", 66],
        ["rules --export", 64],
      ] as const) {
        const run = await mem(...command.split(" "), join(path, "y"));
        expect({ command, path, ...run }).toMatchObject({ code, stderr: expect.stringMatching(/\n.+\.\n$/) });
      }
    }
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("never replaces the database, also with --force, and neither does mem export", async () => {
    await remember("Use pnpm.");
    for (const name of ["mem.db", "mem.db-wal", "settings.json", "memory.db"]) {
      const inside = join(mem.home.dataDir, name);
      expect(await mem("backup", inside, "--force")).toMatchObject({ code: 64 });
      expect(await mem("export", "--out", inside, "--force")).toMatchObject({ code: 64 });
    }
    expect(await rules()).toEqual(["Use pnpm."]);
  });
});

describe("mem restore", () => {
  test("brings the backup back under a running worker, and keeps what it replaced", async () => {
    await remember("Use pnpm.");
    await mem("backup", file);
    await remember("Use yarn.");
    const { stdout, code } = await mem("restore", file, "--yes", "--json");
    const { replaced, worker_started } = JSON.parse(stdout);
    expect({ code, worker_started, rules: await rules() }).toEqual({
      ...{ code: 0, worker_started: true, rules: ["Use pnpm."] },
    });
    expect(
      read(replaced, (db) => db.prepare("select title from observations order by id").pluck().all()),
    ).toEqual(["Use pnpm.", "Use yarn."]);
    expect((await mem("restore", replaced, "--yes")).code).toBe(0);
    expect(await rules()).toEqual(["Use yarn.", "Use pnpm."]);
  });

  test("works in a new data directory, where nothing has to be asked", async () => {
    await remember("Use pnpm.");
    await mem("backup", file);
    const other = calledMem();
    expect(await other("restore", file)).toMatchObject({
      code: 0,
      stdout: "Restored 0 sessions, 0 prompts, 1 observation and 0 summaries.\n",
    });
    expect((await other("rules", "--project", "shop")).stdout).toContain("Use pnpm.");
    expect(statSync(join(other.home.dataDir, "mem.db")).mode & 0o777).toBe(0o600);
  });

  test("asks before it replaces a memory", async () => {
    await remember("Use pnpm.");
    await mem("backup", file);
    const { code, stderr } = await mem("restore", file);
    expect({ code, isNamed: stderr.includes("--yes") }).toEqual({ code: 64, isNamed: true });
  });

  test("the database itself is refused, a plain copy of a stopped one is restored", async () => {
    await remember("Use pnpm.");
    await mem("worker", "stop");
    const database = join(mem.home.dataDir, "mem.db");
    copyFileSync(database, file);
    expect(await mem("restore", database, "--yes")).toMatchObject({ code: 64 });
    expect(await mem("restore", file, "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(`${database}-wal`)).toBe(false);
    expect(await rules()).toEqual(["Use pnpm."]);
  });

  test("sync takes a new device id afterwards", async () => {
    await remember("Use pnpm.");
    await mem("worker", "stop");
    const database = join(mem.home.dataDir, "mem.db");
    change(database, "insert into sync_state values ('device_id', 'old'), ('nonce', 'here')");
    await mem("backup", file);
    await mem("restore", file, "--yes");
    const state = read(database, (db) => db.prepare("select name, value from sync_state").raw().all());
    expect(state).toEqual([["device_id", "old"]]);
  });
});

describe("a failed mem restore", () => {
  const kept = sharedMem();
  const backup = join(kept.home.dataDir, "..", "backup.db");

  beforeAll(async () => {
    await remember("Use pnpm.", kept);
    await kept("backup", backup);
    await remember("Use yarn.", kept);
  });

  test.each<[string, (path: string) => void, number, string]>([
    ["is missing", (path) => rmSync(path), 66, "cannot be opened"],
    ["is text", (path) => writeFileSync(path, "hello\n".repeat(500)), 65, "is not the database of a memory"],
    ["is empty", (path) => writeFileSync(path, ""), 65, "is not the database of a memory"],
    [
      "is of a newer mem",
      (path) => change(path, "insert into schema_versions values (999, 'x', '9', 1)"),
      78,
      "999",
    ],
    [
      "is another database",
      (path) => change(path, "drop table observations"),
      65,
      "is not the database of a memory",
    ],
    ["is damaged", (path) => damage(path), 74, "is damaged"],
    ["is cut", (path) => writeFileSync(path, readFileSync(path).subarray(0, 100_000)), 74, "is damaged"],
  ])("changes nothing when the file %s", async (_what, spoil, code, message) => {
    copyFileSync(backup, file);
    spoil(file);
    const failed = await kept("restore", file, "--yes");
    expect(failed.code).toBe(code);
    expect(failed.stderr).toContain(message);
    expect(await rules(kept)).toEqual(["Use yarn.", "Use pnpm."]);
    expect(readdirSync(kept.home.dataDir).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
  });
});

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

function damage(path: string): void {
  const bytes = readFileSync(path);
  for (let page = 3; page < 40; page += 1) bytes.fill(0xa5, page * 4096 + 8, page * 4096 + 2_000);
  writeFileSync(path, bytes);
}
