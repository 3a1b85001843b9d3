// A full, locked, damaged or newer database: what the worker says, what it keeps, and what it never does.
import { createHash } from "node:crypto";
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Database } from "../../src/store/sqlite/library.ts";
import { auditMessages } from "../helpers/message-audit.ts";
import { toolUse } from "../helpers/posting-clients.ts";
import { createRandom } from "../helpers/random.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import {
  type Answer,
  drained,
  spawnWorker,
  startWorker,
  until,
  type WorkerHome,
  type WorkerProcess,
  workerBundle,
  workerHome,
} from "../helpers/worker-process.ts";

const random = createRandom(7);

test("a full disk: posts get 507, reads work, and no acknowledged event is lost", async () => {
  const home = workerHome();
  // A limit on the size of each file stands for the disk: 512-byte or 1 KB blocks, 2 or 4 MB by shell.
  const limited = `ulimit -f 4096; exec "$0" "$1"`;
  const worker = await startWorker(home, ["/bin/sh", "-c", limited, process.execPath, workerBundle]);
  const acknowledged = new Set<string>();
  let refused: Answer | undefined;
  for (let n = 0; n < 5_000 && refused === undefined; n++) {
    const answer = await post(worker, `full-${n}`, 20_000);
    if (answer.status === 200) acknowledged.add(`full-${n}`);
    else refused = answer;
  }
  expect(refused).toMatchObject({ status: 507, body: { error: { code: "storage_full" } } });
  expect((await worker.get("/api/processing-status")).status).toBe(200);
  expect((await worker.get("/api/observations?limit=1")).status).toBe(200);
  expect((await worker.get("/api/health")).body).toMatchObject({
    status: "degraded",
    notices: [expect.stringContaining("cannot be stored")],
  });
  await worker.kill();
  expect(auditMessages(home.database, acknowledged).faults).toEqual([]);
  const roomy = await startWorker(home);
  expect((await post(roomy, "full-again")).status).toBe(200);
  expect((await roomy.get("/api/health")).body).toMatchObject({ status: "ok", notices: [] });
  await roomy.stop();
});

test("a worker with no room for its first byte exits with 74 and prints the reason", async () => {
  const home = await homeWithMessages();
  const { exited, output } = spawnWorker(home, [
    "/bin/sh",
    "-c",
    'ulimit -f 0; exec "$0" "$1"',
    process.execPath,
    workerBundle,
  ]);
  expect((await exited).code).toBe(74);
  expect(output()).toMatch(/^mem: The d(isk|atabase) /);
});

test("a locked database gives 503 with Retry-After and works again once it is free", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  expect((await post(worker, "lock-1")).status).toBe(200);
  await drained(worker);
  const other = new Database(home.database);
  onTestFinished(() => void other.close());
  other.exec("begin immediate");
  const refused = await post(worker, "lock-2");
  expect(refused).toMatchObject({ status: 503, body: { error: { code: "storage_busy" } } });
  expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
  expect((await worker.get("/api/health")).status).toBe(200);
  other.exec("commit");
  expect((await post(worker, "lock-2")).status).toBe(200);
  await worker.stop();
  expect(auditMessages(home.database, new Set(["lock-1", "lock-2"])).faults).toEqual([]);
});

test("a database of a newer version is refused with both versions, and is not touched", async () => {
  const home = await homeWithMessages();
  const db = new Database(home.database);
  db.prepare(
    "insert into schema_versions (version, name, product, applied_at_epoch) values (999, 'later', '9.8.7', 1)",
  ).run();
  const known = db.prepare("select max(version) from schema_versions where version < 999").pluck().get();
  db.pragma("wal_checkpoint(truncate)");
  db.close();
  const before = digest(home.database);
  const { exited, output } = spawnWorker(home);
  expect((await exited).code).toBe(78);
  expect(output()).toContain("999");
  expect(output()).toContain("9.8.7");
  expect(output()).toContain(`version ${String(known)} `);
  expect(digest(home.database)).toBe(before);
});

describe("a damaged database", () => {
  const damages: [string, (path: string) => void][] = [
    ["a garbage header", (path) => overwrite(path, 0, 100)],
    ["overwritten pages", (path) => overwrite(path, 8 * 4096, 40 * 4096)],
    ["its second half cut off", (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096)],
    ["text in its place", (path) => writeFileSync(path, "this was a database once\n".repeat(400))],
  ];
  test.each(damages)(
    "with %s is moved aside whole, the user gets a notice, and the worker works",
    async (_what, damage) => {
      const home = await homeWithMessages();
      damage(home.database);
      const damaged = digest(home.database);
      const worker = await startWorker(home);
      const notices = await until(() => damageNotices(worker), 20_000, "a notice of the damage");
      expect(notices.join("\n")).toContain("The damaged file is kept");
      const aside = readdirSync(home.dataDir).filter((name) => /^mem\.db\.damaged-\d{8}T\d{6}Z$/.test(name));
      expect(aside).toHaveLength(1);
      expect(digest(join(home.dataDir, aside[0] ?? ""))).toBe(damaged);
      expect((await post(worker, "after the damage")).status).toBe(200);
      await drained(worker);
      await worker.stop();
      expect(auditMessages(home.database, new Set(["after the damage"])).faults).toEqual([]);
      if (damage !== damages[0]?.[1]) return;
      const next = await startWorker(home);
      expect(readdirSync(home.dataDir)).toContain(aside[0]);
      await next.stop();
    },
  );

  test("of which nothing is left but an empty file does not keep the worker from working", async () => {
    const home = await homeWithMessages();
    truncateSync(home.database, 0);
    const worker = await startWorker(home);
    expect((await post(worker, "after the emptiness")).status).toBe(200);
    await worker.stop();
  });
});

let filled: Promise<WorkerHome> | undefined;

/** A copy of the data directory that a worker left. */
async function homeWithMessages(): Promise<WorkerHome> {
  filled ??= filledHome();
  const { dataDir } = await filled;
  const home = workerHome();
  cpSync(dataDir, home.dataDir, { recursive: true });
  return home;
}

async function filledHome(): Promise<WorkerHome> {
  const home = workerHome({}, sharedTempDir());
  const worker = await startWorker(home);
  for (let n = 0; n < 120; n++) expect((await post(worker, `before-${n}`)).status).toBe(200);
  await drained(worker);
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  return home;
}

function post(worker: WorkerProcess, id: string, padding = 0): Promise<Answer> {
  const body = { ...toolUse(random, { id, session: "storage" }), cwd: "/home/user/app" };
  return worker.post("/api/sessions/observations", {
    ...body,
    tool_response: { content: "word ".repeat(padding / 5) },
  });
}

// While the worker changes to the new database it may refuse a connection.
async function damageNotices(worker: WorkerProcess): Promise<string[] | undefined> {
  try {
    const { body } = await worker.get("/api/health");
    const notices = typeof body === "object" && body !== null && "notices" in body ? body.notices : [];
    return Array.isArray(notices) && notices.length > 0 ? notices.map(String) : undefined;
  } catch {
    return undefined;
  }
}

function overwrite(path: string, from: number, bytes: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(bytes, "damage"), 0, bytes, from);
  closeSync(file);
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
