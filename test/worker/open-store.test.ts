import { spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { checkDatabase } from "../../src/store/sqlite/damage-check.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import { closeDatabase, openDatabase } from "../../src/store/sqlite/open.ts";
import { createStore } from "../../src/store/sqlite/store.ts";
import { damageNotice, openStore, replaceDatabase } from "../../src/worker/open-store.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";

let directory: string;
let path: string;
const log = pino({ level: "silent" });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-open-"));
  path = join(directory, "mem.db");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () => openStore({ path, clock: systemClock, log });
const setAsideFiles = () =>
  readdirSync(directory).filter((name) => /^mem\.db\.damaged-\d{8}T\d{6}Z$/.test(name));

function fill(sessions: number): void {
  const { db, store, addObservation } = createMemoryStore(path);
  db.transaction(() => {
    for (let n = 0; n < sessions; n++) {
      const owner = { project: "demo", session: `host-${n}`, at: 1 };
      addObservation({ ...owner, files_modified: [`/demo/file${n}.ts`] });
      const session_id = store.sessions.byClaudeId(owner.session)?.id ?? 0;
      const payload = JSON.stringify({ type: "observation", tool_input: "x".repeat(3_000) });
      const event = { kind: "observation", event_key: "k", payload, now: 1 } as const;
      store.pending.enqueue(store.rawEvents.insert({ ...event, session_id }) ?? 0, session_id, 1);
      store.pending.count("accepted", 1);
    }
  })();
  closeDatabase(db);
}

describe("a database that is no database", () => {
  test.each([
    ["garbage", "this is not a database ".repeat(500)],
    ["a damaged header", `SQLite format 3\0${"\xff".repeat(4_096)}`],
  ])("%s is set aside under a dated name and a new one is opened", (_what, content) => {
    writeFileSync(path, content);
    const db = open();
    expect(db.pragma("quick_check", { simple: true })).toBe("ok");
    closeDatabase(db);
    const [aside = ""] = setAsideFiles();
    expect(statSync(join(directory, aside)).size).toBe(Buffer.byteLength(content));
    expect(damageNotice(path)).toContain(aside);
  });

  test("an undamaged one is opened as it is and gives no notice", () => {
    fill(2);
    const db = open();
    expect(db.prepare("select count(*) from sessions").pluck().get()).toBe(2);
    closeDatabase(db);
    expect(setAsideFiles()).toEqual([]);
    expect(damageNotice(path)).toBeNull();
  });
});

describe("damage inside the file", () => {
  test("is found by the check, the file is kept, and what can be read is carried over", () => {
    fill(200);
    const rows = 200;
    overwriteMiddlePages();
    expect(checkDatabase(path)).not.toEqual([]);
    const db = replaceDatabase({ path, clock: systemClock, log });
    expect(setAsideFiles()).toHaveLength(1);
    expect(db.pragma("quick_check", { simple: true })).toBe("ok");
    expect(db.pragma("foreign_key_check")).toEqual([]);
    const sessions = db.prepare("select count(*) from sessions").pluck().get() as number;
    expect(sessions).toBeGreaterThan(rows / 2);
    const store = createStore(db);
    const { accepted, done, skipped, pending, processing, dead } = store.pending.counts();
    expect(accepted).toBe(done + skipped + pending + processing + dead);
    const observations = db.prepare("select count(*) from observations").pluck().get();
    expect(db.prepare("select count(*) from observations_fts").pluck().get()).toBe(observations);
    expect(db.prepare("select count(distinct observation_id) from observation_files").pluck().get()).toBe(
      observations,
    );
    closeDatabase(db);
  });

  function overwriteMiddlePages(): void {
    const size = statSync(path).size;
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(3 * 4_096, 0xa5), 0, 3 * 4_096, Math.floor(size / 2 / 4_096) * 4_096);
    closeSync(file);
  }
});

describe("a worker that is killed while it replaces a damaged database", () => {
  const stamp = "20261121T064900Z";
  const aside = () => `${path}.damaged-${stamp}`;
  const rebuilding = () => `${path}.rebuilding-${stamp}`;
  const crashes: [string, () => void][] = [
    ["before anything was moved", () => writeFileSync(rebuilding(), "")],
    [
      "when the database was moved and its log was not",
      () => {
        writeFileSync(rebuilding(), "");
        renameSync(path, aside());
      },
    ],
    [
      "when both were moved",
      () => {
        writeFileSync(rebuilding(), "");
        renameSync(path, aside());
        renameSync(`${path}-wal`, `${aside()}-wal`);
      },
    ],
    [
      "in the middle of the rows",
      () => {
        renameSync(path, aside());
        renameSync(`${path}-wal`, `${aside()}-wal`);
        const half = openDatabase(rebuilding(), { product: "0.0.0-test", now: 1 });
        half.exec("insert into projects (id, label) values (1, 'half')");
        copyFileSync(`${rebuilding()}-wal`, `${path}.kept`);
        closeDatabase(half);
        renameSync(`${path}.kept`, `${rebuilding()}-wal`);
      },
    ],
    [
      "so that only the damaged file is left",
      () => {
        renameSync(path, aside());
        renameSync(`${path}-wal`, `${aside()}-wal`);
      },
    ],
  ];

  test.each(crashes)("%s: the next one has every row, also from the log", (_when, crash) => {
    fillWithLog(20);
    crash();
    const before = damageNotice(path);
    const db = open();
    expect(db.prepare("select count(*) from sessions").pluck().get()).toBe(20);
    expect(db.prepare("select label from projects").pluck().all()).toEqual(["demo"]);
    expect(db.pragma("quick_check", { simple: true })).toBe("ok");
    closeDatabase(db);
    expect(readdirSync(directory).filter((name) => name.includes("rebuilding"))).toEqual([]);
    expect(before ?? "").not.toContain("A new one has");
    const again = open();
    expect(again.prepare("select count(*) from sessions").pluck().get()).toBe(20);
    closeDatabase(again);
  });

  test("recovers from the file of the unfinished replacement, not from an older one", () => {
    fill(1);
    renameSync(path, `${path}.damaged-20271121T064900Z`);
    fillWithLog(5);
    writeFileSync(rebuilding(), "");
    renameSync(path, aside());
    const db = open();
    expect(db.prepare("select count(*) from sessions").pluck().get()).toBe(5);
    closeDatabase(db);
  });

  test("the notice says not carried over yet until the rescue has finished", () => {
    fillWithLog(2);
    writeFileSync(rebuilding(), "");
    renameSync(path, aside());
    expect(damageNotice(path)?.split("\n")).toEqual([
      "mem: the database was damaged. What can be read is not carried over yet.",
      "The damaged file is kept: mem.db.damaged-20261121T064900Z.",
      "Keep it, and run `mem worker start`.",
    ]);
    closeDatabase(open());
    expect(damageNotice(path)?.split("\n")).toEqual([
      "mem: the database was damaged. A new one has what could be read.",
      "Carried over: 2 observations, 0 summaries, 0 prompts, 2 messages, 2 sessions.",
      "Every page of a record could be read.",
      "The damaged file is kept: mem.db.damaged-20261121T064900Z.",
      "Check the new one: `mem doctor`. Then delete the damaged file when you no longer need it.",
    ]);
  });

  test("at any moment, again and again: the last one has every row", async () => {
    fill(300);
    const replace = bundledReplace();
    let killed = 0;
    for (const gathered of [1, 50_000, 150_000, 400_000]) {
      const child = spawn(process.execPath, [replace, path], { stdio: "inherit", env: childEnv() });
      const gone = new Promise<NodeJS.Signals | null>((resolve) =>
        child.once("exit", (_code, signal) => resolve(signal)),
      );
      while (child.exitCode === null && bytesGathered() < gathered) await sleep(1);
      child.kill("SIGKILL");
      if ((await gone) === "SIGKILL") killed++;
    }
    expect(killed).toBeGreaterThan(0);
    const db = open();
    expect(db.prepare("select count(*) from sessions").pluck().get()).toBe(300);
    expect(db.prepare("select count(*) from observations_fts").pluck().get()).toBe(300);
    closeDatabase(db);
  });

  function bytesGathered(): number {
    const names = readdirSync(directory).filter((name) => name.includes("rebuilding"));
    return Math.max(
      0,
      ...names.map((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
    );
  }

  // As a kill leaves it: the newest rows are in the log only.
  function fillWithLog(sessions: number): void {
    const keeper = openDatabase(path, { product: "0.0.0-test", now: 1 });
    closeDatabase(keeper);
    const reader = new Database(path, { readonly: true });
    reader.exec("begin; select * from sessions");
    fill(sessions);
    copyFileSync(path, `${path}.copy`);
    copyFileSync(`${path}-wal`, `${path}-wal.copy`);
    reader.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    for (const suffix of ["", "-wal"]) renameSync(`${path}${suffix}.copy`, path + suffix);
  }

  function bundledReplace(): string {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const outfile = join(directory, "replace.cjs");
    buildSync({
      stdin: {
        contents: `
          import { pino } from "pino";
          import { systemClock } from "./src/core/clock.ts";
          import { openStore, replaceDatabase } from "./src/worker/open-store.ts";
          import { existsSync } from "node:fs";
          const request = { path: process.argv[2] ?? "", clock: systemClock, log: pino({ level: "silent" }) };
          if (existsSync(request.path)) replaceDatabase(request);
          else openStore(request);`,
        resolveDir: root,
        loader: "ts",
      },
      outfile,
      bundle: true,
      platform: "node",
      format: "cjs",
      external: ["better-sqlite3"],
      loader: { ".sql": "text" },
      define: {
        "import.meta.url": JSON.stringify(new URL("../../src/core/version.ts", import.meta.url).href),
      },
    });
    return outfile;
  }

  function childEnv(): NodeJS.ProcessEnv {
    return { HOME: directory, NODE_PATH: fileURLToPath(new URL("../../node_modules", import.meta.url)) };
  }
});

test("a newer database is refused with both versions and not touched", () => {
  fill(1);
  const raw = new Database(path);
  const known = raw.prepare("select max(version) from schema_versions").pluck().get();
  raw.prepare("insert into schema_versions values (99, 'future', '9.9.9', 1)").run();
  raw.close();
  const refusal = new RegExp(`version 99 \\(written by mem 9\\.9\\.9\\).*knows version ${known} `);
  expect(() => open()).toThrowError(refusal);
  expect(setAsideFiles()).toEqual([]);
});

test("a migration that fails leaves no version row behind", () => {
  const raw = new Database(path);
  raw.exec("create table sessions (id integer)");
  raw.close();
  expect(() => open()).toThrowError();
  const after = new Database(path);
  expect(after.prepare("select count(*) from schema_versions").pluck().get()).toBe(0);
  after.close();
});
