// What is recovered of files that were cut off, and whose header, schema or roots are damaged.
import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Database } from "../../../src/store/sqlite/library.ts";
import { closeDatabase, openDatabase, type Sqlite } from "../../../src/store/sqlite/open.ts";
import { type Salvaged, salvage } from "../../../src/store/sqlite/salvage.ts";
import { createMemoryStore } from "../../helpers/memory-store.ts";
import { createRandom } from "../../helpers/random.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { volume } from "../../helpers/volume.ts";

const tables = ["sessions", "raw_events", "observations", "user_prompts", "session_summaries"];
const records = volume(400, 120);
const pageSize = 4_096;

/** A whole database, of which each test damages a copy. */
let whole: string;

beforeAll(() => {
  const directory = mkdtempSync(join(tmpdir(), "mem-damaged-"));
  whole = join(directory, "whole.db");
  fill(whole);
  return () => rmSync(directory, { recursive: true, force: true });
});

function fill(path: string): void {
  const { db, store, addObservation, addPrompt, addSummary, close } = createMemoryStore(path);
  const random = createRandom(3);
  db.transaction(() => {
    for (let n = 1; n <= records; n++) {
      const owner = {
        project: `app ${n % 7}`,
        session: `session ${Math.ceil(n / 10)}`,
        at: 1_780_000_000_000 + n,
      };
      const text = "word ".repeat(random.between(1, 300));
      const { id } = addObservation({
        ...owner,
        title: `Edited ${n}`,
        narrative: text,
        files_modified: [`/app/${n}.ts`],
      });
      const long = "ä".repeat(random.pick([10, 500, 9_000]));
      const event = {
        session_id: store.sessions.byClaudeId(owner.session)?.id ?? 0,
        kind: "observation" as const,
        event_key: `key ${n}`,
        now: owner.at,
      };
      store.rawEvents.insert({ ...event, payload: JSON.stringify({ long }) });
      store.pending.count("accepted", 1);
      store.pending.count("done", 1);
      if (n % 5 === 0) addPrompt(`prompt ${n} ${text}`, owner);
      if (n % 9 === 0) addSummary({ ...owner, learned: `summary ${n} ${text}` });
      expect(id).toBe(n);
    }
  })();
  close();
}

function damaged(damage: (path: string) => void): { path: string; db: Sqlite; salvaged: Salvaged } {
  const directory = tempDir();
  const path = join(directory, "damaged.db");
  copyFileSync(whole, path);
  damage(path);
  const db = openDatabase(join(directory, "fresh.db"), { product: "0.0.0-test", now: 1 });
  onTestFinished(() => closeDatabase(db));
  return { path, db, salvaged: salvage(path, db) };
}

interface Row {
  id: number;
}

const rowsIn = (db: Sqlite, table: string) => db.prepare<[], Row>(`select * from ${table} order by id`).all();

/** The rows that SQLite reads of a damaged file, from the first on and from the last back, as text. */
function readBySqlite(path: string, table: string): Set<string> {
  const found = new Set<string>();
  const db = new Database(path, { readonly: true });
  db.unsafeMode();
  db.pragma("writable_schema = on");
  for (const direction of ["asc", "desc"]) {
    try {
      const rows = db.prepare(`select * from ${table} order by id ${direction}`).iterate();
      for (const row of rows) found.add(JSON.stringify(row));
    } catch {
      // The rows behind the damage come from the other end.
    }
  }
  db.close();
  return found;
}

describe("of a file that was cut off", () => {
  const cuts = volume(10, 4);
  test.each(Array.from({ length: cuts }, (_, at) => 99 - Math.floor((80 * at) / (cuts - 1))))(
    "at %i %, every row is recovered that SQLite can read, and no other",
    (percent) => {
      const { path, db, salvaged } = damaged((file) =>
        truncateSync(file, Math.floor((statSync(file).size * percent) / 100)),
      );
      const original = new Database(whole, { readonly: true });
      for (const table of tables) {
        const [before, after] = [rowsIn(original, table), rowsIn(db, table)];
        const bySqlite = readBySqlite(path, table);
        const readable = before.filter((row) => bySqlite.has(JSON.stringify(row)));
        expect(after.length, table).toBeGreaterThanOrEqual(readable.length);
        if (after.length < before.length) expect(salvaged.unreadable).toHaveProperty(table);
        // A session that is lost stands again for its records.
        if (table === "sessions") continue;
        const ids = new Set(after.map(({ id }) => id));
        expect(digest(after), table).toBe(digest(before.filter(({ id }) => ids.has(id))));
      }
      original.close();
      expect(db.pragma("foreign_key_check")).toEqual([]);
      expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    },
  );
});

describe("a file is recovered whole", () => {
  const pageNumber = (sql: string): number => {
    const db = new Database(whole, { readonly: true });
    const number = db.prepare<[], number>(sql).pluck().get();
    db.close();
    if (number === undefined) throw new Error(`no page: ${sql}`);
    return number;
  };
  const rootOf = (name: string) => pageNumber(`select rootpage from sqlite_schema where name = '${name}'`);
  const schemaLeaf = () =>
    pageNumber(
      "select pageno from dbstat where name = 'sqlite_schema' and pagetype = 'leaf' order by ncell desc",
    );
  const garbage = (bytes: number) => Buffer.alloc(bytes, "damage");
  const damages: [string, (path: string) => void][] = [
    ["its magic bytes are gone", (path) => overwrite(path, 0, garbage(16))],
    ["its header is zeros", (path) => overwrite(path, 0, Buffer.alloc(100))],
    ["its header is garbage", (path) => overwrite(path, 0, garbage(100))],
    ["it claims another page size", (path) => overwrite(path, 16, Buffer.from([2, 0]))],
    ["it claims fewer pages", (path) => overwrite(path, 28, Buffer.from([0, 0, 0, 9]))],
    ["it claims another text encoding", (path) => overwrite(path, 56, Buffer.from([0, 0, 0, 2]))],
    ["its first page is gone", (path) => overwrite(path, 0, Buffer.alloc(pageSize))],
    ["a schema page is gone", (path) => overwrite(path, (schemaLeaf() - 1) * pageSize, garbage(pageSize))],
    ...["raw_events", "observations", "user_prompts"].map((table): [string, (path: string) => void] => [
      `the root of ${table} is gone`,
      (path) => overwrite(path, (rootOf(table) - 1) * pageSize, garbage(pageSize)),
    ]),
    ...["stale_derived", "observations_fts_config", "observations_time"].map(
      (name): [string, (path: string) => void] => [
        `the root of ${name} is gone`,
        (path) => overwrite(path, (rootOf(name) - 1) * pageSize, garbage(pageSize)),
      ],
    ),
  ];

  test.each(damages)("when %s", (_what, damage) => {
    const { db } = damaged(damage);
    const original = new Database(whole, { readonly: true });
    for (const table of tables) {
      expect(digest(rowsIn(db, table)), table).toBe(digest(rowsIn(original, table)));
    }
    original.close();
    expect(
      db.prepare("select count(*) from observations_fts where observations_fts match 'edited'").pluck().get(),
    ).toBe(records);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  });
});

// A difference of some hundred rows would be printed for a minute.
function digest(rows: unknown): string {
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}
