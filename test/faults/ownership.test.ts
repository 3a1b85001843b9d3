// One worker per data directory, despite concurrent starts, kills, and other servers on the port.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { failOpenSync } from "../../src/core/errors.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import { takeOwnership } from "../../src/store/sqlite/owner-lock.ts";
import { auditMessages } from "../helpers/message-audit.ts";
import { toolUse } from "../helpers/posting-clients.ts";
import { createRandom } from "../helpers/random.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { volume } from "../helpers/volume.ts";
import {
  type Answer,
  processesOf,
  spawnWorker,
  startWorker,
  until,
  type WorkerHome,
  type WorkerProcess,
  workerHome,
} from "../helpers/worker-process.ts";
import { type LauncherName, launchers, runHook } from "../hosts/hook/run-hook.ts";

const racers = volume(10, 4);

test(`of ${racers} concurrent workers one owns the directory, and after a kill the next one`, async () => {
  const home = workerHome();
  const started = Array.from({ length: racers }, () => spawnWorker(home));
  let ended = 0;
  for (const { exited } of started) void exited.then(() => (ended += 1));
  await until(() => (ended >= racers - 1 ? true : undefined), 50_000, "the end of all but one");
  const owner = started.find(({ child }) => child.exitCode === null && child.signalCode === null);
  if (owner === undefined) throw new Error(started.map(({ output }) => output()).join("\n"));
  const others = started.filter((each) => each !== owner);
  expect((await Promise.all(others.map(({ exited }) => exited))).map(({ code }) => code)).toEqual(
    others.map(() => 0),
  );
  const said = others.map(({ output }) => output());
  expect(said.filter((text) => !text.includes("already running"))).toEqual([]);
  expect(await healthyPid(home)).toBe(owner.child.pid);
  owner.child.kill("SIGKILL");
  await owner.exited;
  const next = await startWorker(home);
  expect(await healthyPid(home)).toBe(next.pid);
  await next.stop();
});

test("takes and records the next free port when another server has the port", async () => {
  const received: string[] = [];
  const stranger = createServer((socket) => {
    socket.on("data", (chunk) => received.push(String(chunk)));
  });
  const port = await new Promise<number>((resolve) => {
    stranger.listen(0, "127.0.0.1", () => {
      const address = stranger.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  onTestFinished(() => void stranger.close());
  const worker = await startWorker(workerHome({ MEM_WORKER_PORT: String(port) }));
  expect(worker.port).toBeGreaterThan(port);
  const { body } = await worker.get("/api/health");
  expect(body).toMatchObject({ port: worker.port, pid: worker.pid });
  expect(received).toEqual([]);
  await worker.stop();
});

async function healthyPid(home: WorkerHome): Promise<unknown> {
  // The losers may all have ended before the owner has opened its database and listens.
  await until(() => existsSync(join(home.dataDir, "worker.json")) || undefined, 30_000, "worker.json");
  const answer = await fetch(`http://127.0.0.1:${announced(home).port}/api/health`);
  const health: unknown = await answer.json();
  return typeof health === "object" && health !== null && "pid" in health ? health.pid : health;
}

function announced({ dataDir }: WorkerHome): { pid: number; port: number } {
  const file: unknown = JSON.parse(readFileSync(join(dataDir, "worker.json"), "utf8"));
  if (typeof file !== "object" || file === null || !("port" in file) || !("pid" in file))
    throw new TypeError("worker.json has no port or no pid");
  return { pid: Number(file.pid), port: Number(file.port) };
}

test("a worker whose data directory is removed ends and acknowledges nothing more", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  // Its start is over when it answers: before that it would say that it cannot start.
  await worker.get("/api/health");
  rmSync(home.dataDir, { recursive: true, force: true });
  expect((await worker.exited).code).toBe(0);
  const next = await startWorker(home);
  expect((await next.get("/api/stats")).body).toMatchObject({ database: { observations: 0 } });
  await next.stop();
});

/** A worker whose files the tests remove, one after the other. */
const sharedHome = workerHome({}, sharedTempDir());
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});
let started: Promise<WorkerProcess> | undefined;
const shared = () => (started ??= startWorker(sharedHome, undefined, (end) => ends.push(end)));

/** Takes files away while a second worker starts, which ends. */
async function without(...names: readonly string[]): Promise<string> {
  const paths = names.map((name) => join(sharedHome.dataDir, name));
  for (const path of paths) renameSync(path, `${path}.away`);
  const second = spawnWorker(sharedHome);
  expect(await second.exited).toEqual({ code: 0, signal: null });
  for (const path of paths) renameSync(`${path}.away`, path);
  return second.output();
}

test("without its lock, and its file or its socket, a worker keeps a second one away", async () => {
  const worker = await shared();
  const lock = join(sharedHome.dataDir, "owner.lock");
  // The second of these finds the lock file that the first one made.
  for (const others of [[], undefined, ["worker.json"], ["worker.sock"]]) {
    if (others !== undefined) rmSync(lock);
    expect(await without(...(others ?? []))).toContain("already running");
  }
  expect((await worker.get("/api/health")).body).toMatchObject({ pid: worker.pid });
  expect(processesOf(sharedHome)).toEqual([worker.pid]);
});

test("without owner.lock a second worker does not run beside one that hangs", async () => {
  const worker = await shared();
  process.kill(worker.pid, "SIGSTOP");
  rmSync(join(sharedHome.dataDir, "owner.lock"));
  await without("worker.sock");
  process.kill(worker.pid, "SIGCONT");
  // Its check of the lock is over when it answers.
  await worker.get("/api/health");
});

test("a worker whose lock starts took one after another goes on and locks it again", async () => {
  const worker = await shared();
  const lock = join(sharedHome.dataDir, "owner.lock");
  rmSync(lock);
  const held = takeOwnership(lock);
  // Two of its checks, which are 2 s apart.
  await new Promise((resolve) => setTimeout(resolve, 4_500));
  expect((await worker.get("/api/health")).body).toMatchObject({ pid: worker.pid });
  held?.release();
  const refused = () => {
    const taken = takeOwnership(lock);
    taken?.release();
    return taken === undefined;
  };
  await expect.poll(refused, { interval: 300 }).toBe(true);
});

test("a worker whose lock file was removed locks a new one", async () => {
  await shared();
  const lock = join(sharedHome.dataDir, "owner.lock");
  rmSync(lock);
  await until(() => existsSync(lock) || undefined, 30_000, "a new lock file");
  await without("worker.json", "worker.sock");
});

test("of two workers that do not see each other the first ends", async () => {
  const home = workerHome();
  const first = await startWorker(home);
  // Meanwhile it cannot lock a new file.
  await stopBetweenWrites(first, home);
  for (const name of ["owner.lock", "worker.json", "worker.sock"]) rmSync(join(home.dataDir, name));
  const second = await startWorker(home);
  process.kill(first.pid, "SIGCONT");
  expect(await first.exited).toEqual({ code: 0, signal: null });
  expect(await healthyPid(home)).toBe(second.pid);
  await second.stop();
});

// Stopped within a write it would keep SQLite's lock.
async function stopBetweenWrites({ pid }: WorkerProcess, { database }: WorkerHome): Promise<void> {
  const other = new Database(database, { timeout: 0 });
  const writes = () => failOpenSync("write", () => other.exec("begin immediate; rollback")) === undefined;
  for (process.kill(pid, "SIGSTOP"); writes(); process.kill(pid, "SIGSTOP")) {
    process.kill(pid, "SIGCONT");
    await sleep(20);
  }
  other.close();
}

const random = createRandom(11);

function post(worker: WorkerProcess, id: string): Promise<Answer> {
  return worker.post("/api/sessions/observations", toolUse(random, { id, session: "removed" }));
}

/** Posts until the worker has ended, singly and in tens; returns the acknowledged ids. */
async function postToTheEnd(worker: WorkerProcess): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  let ended = false;
  void worker.exited.then(() => {
    ended = true;
  });
  // The worker looks for its files every 2 s: that is time for about twenty rounds.
  for (let n = 0; !ended; n++, await sleep(100)) {
    const ids = Array.from({ length: n % 2 === 0 ? 1 : 10 }, (_, at) => `after-${n}-${at}`);
    const answers = await Promise.allSettled(ids.map((id) => post(worker, id)));
    for (const [at, answer] of answers.entries())
      if (answer.status === "fulfilled" && answer.value.status === 200) acknowledged.add(ids[at] ?? "");
  }
  return acknowledged;
}

test.each([
  ["removed", (path: string) => rmSync(path)],
  [
    "replaced by another file",
    (path: string) => {
      renameSync(path, `${path}.away`);
      writeFileSync(path, "");
    },
  ],
])("a worker whose database is %s acknowledges nothing more, says why and ends", async (_what, remove) => {
  const home = workerHome();
  const worker = await startWorker(home);
  expect((await post(worker, "before")).status).toBe(200);
  remove(home.database);
  // On a busy machine it may have ended.
  const refused = await post(worker, "first after").catch(() => undefined);
  if (refused !== undefined) {
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "storage_failed" } } });
    expect(JSON.stringify(refused.body)).toContain("removed or replaced");
  }
  expect([...(await postToTheEnd(worker))]).toEqual([]);
  expect((await worker.exited).code).toBe(0);
  expect(readFileSync(join(home.dataDir, "logs", "worker.log"), "utf8")).toContain("files were removed");
  const next = await startWorker(home);
  expect((await post(next, "again")).status).toBe(200);
  await next.stop();
  expect(auditMessages(home.database, new Set(["again"])).faults).toEqual([]);
});

test("a worker whose log is removed loses nothing that it acknowledged", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  expect((await post(worker, "before")).status).toBe(200);
  rmSync(`${home.database}-wal`);
  // On a busy machine it may have ended.
  const refused = await post(worker, "first after").catch(() => undefined);
  expect(refused?.status ?? 503).toBe(503);
  const acknowledged = await postToTheEnd(worker);
  expect([...acknowledged]).toEqual([]);
  expect(auditMessages(home.database, new Set(["before"])).faults).toEqual([]);
});

/** A program that is no worker, on the port of one. */
async function strangerAt(
  port: number,
  does: "answer" | "hang",
): Promise<{ received(): string; close(): void }> {
  const chunks: string[] = [];
  const stranger = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      chunks.push(String(chunk));
      if (does === "answer") socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
  });
  const listens = () =>
    new Promise<true | undefined>((resolve) => {
      stranger.once("error", () => resolve(undefined));
      stranger.listen(port, "127.0.0.1", () => resolve(true));
    });
  // A killed process has its port until the kernel has closed its files.
  await until(listens, 30_000, "the port of the killed worker");
  onTestFinished(() => void stranger.close());
  return { received: () => chunks.join(""), close: () => void stranger.close() };
}

/** Starts a session through the hook; returns the worker that runs then, which has its event or will read it. */
async function startSession(name: LauncherName, home: WorkerHome, session: string): Promise<number> {
  const start = JSON.stringify({ session_id: session, cwd: "/home/user/demo", source: "startup" });
  expect((await runHook(launchers[name]("session-start"), home, start)).code).toBe(0);
  const pid = await until(() => processesOf(home)[0], 30_000, "a worker");
  // The hook of a slow machine gives up before the worker listens: then the event waits in the spool.
  await until(() => announced(home).pid === pid || undefined, 30_000, "its worker.json");
  expect(await healthyPid(home)).toBe(pid);
  const places = () => placesOf(home, session);
  await expect.poll(() => Math.max(...Object.values(places())), { interval: 50 }).toBe(1);
  return pid;
}

/** How many of the session's starts are stored, and how many wait in the spool or were read from it. */
function placesOf({ dataDir, database }: WorkerHome, session: string): { stored: number; spooled: number } {
  const db = new Database(database, { readonly: true });
  const events = "select count(*) from context_ledger where session = ? and item like 'event:%'";
  const stored = Number(db.prepare(events).pluck().get(session));
  db.close();
  const spool = join(dataDir, "spool");
  const waiting = readdirSync(spool).map((name) => textOf(join(spool, name)));
  const read = textOf(join(dataDir, "logs", "worker.log")).matchAll(/"taken":(\d+)/g);
  const taken = Array.from(read, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
  return { stored, spooled: waiting.join("").split(session).length - 1 + taken };
}

// The worker removes a file of the spool when it has read it.
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Kills the worker, and removes what says that it had an event. */
async function end(pid: number, home: WorkerHome): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(() => processesOf(home).length === 0 || undefined, 30_000, "its end");
  for (const name of ["spool", "logs"]) rmSync(join(home.dataDir, name), { recursive: true });
}

test("below a path of 180 bytes a session starts the worker past a stranger", async () => {
  const home = workerHome();
  home.dataDir = join(home.dataDir, "d".repeat(90), "e".repeat(90));
  home.env.MEM_DATA_DIR = home.dataDir;
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  home.database = join(home.dataDir, "mem.db");
  const first = await startWorker(home);
  await first.kill();
  let { port } = first;
  // The shells find no socket that answers and start the Node bundle, which talks to the stranger.
  for (const [name, does] of [
    ["as registered", "answer"],
    ["as registered, without perl", "hang"],
  ] as const) {
    const stranger = await strangerAt(port, does);
    const session = `session of ${name}, ${does}`;
    const pid = await startSession(name, home, session);
    expect(stranger.received()).not.toContain(session);
    ({ port } = announced(home));
    await end(pid, home);
    stranger.close();
  }
});

test("a session starts the worker when a stranger has the port and the socket is gone", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  await worker.kill();
  rmSync(join(home.dataDir, "worker.sock"));
  await strangerAt(worker.port, "answer");
  await end(await startSession("as registered", home, "s1"), home);
});
