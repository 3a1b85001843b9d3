// Single damaged pages: over every one of them the worker starts, takes a message, ends, and starts again.
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Database } from "../../src/store/sqlite/library.ts";
import { toolUse } from "../helpers/posting-clients.ts";
import { createRandom, testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import {
  drained,
  startWorker,
  until,
  type WorkerHome,
  type WorkerProcess,
  workerHome,
} from "../helpers/worker-process.ts";

const damages = volume(8, 3);
const seed = testSeed();
const random = createRandom(seed);
const pageSize = 4_096;

test(
  `${damages} single-page damages never stop the worker (seed ${seed})`,
  async () => {
    const template = await filledHome();
    const roots = rootPages(template.database);
    const pages = statSync(template.database).size / pageSize;
    const stops: string[] = [];
    let rescued = 0;
    const start = random.between(0, first.length - 1);
    for (let n = 0; n < damages; n++) {
      // Two of three are pages that a tree begins with: most trees of a small database have no other.
      const root = n % 3 === 2 ? undefined : roots[(start + n - Math.floor(n / 3)) % roots.length];
      const page = root !== undefined ? root.rootpage : random.between(1, pages);
      const kind = random.pick(kinds);
      const home = workerHome();
      mkdirSync(home.dataDir, { mode: 0o700 });
      copyFileSync(template.database, home.database);
      damagePage(home.database, page, kind);
      try {
        for (const start of ["first", "second"]) await startAndPost(home, start);
      } catch (cause) {
        const name = roots.find(({ rootpage }) => rootpage === page)?.name ?? "no root";
        stops.push(`page ${page} (${kind}, ${name}): ${String(cause)}`);
      }
      if (readdirSync(home.dataDir).some((name) => name.includes(".damaged-"))) rescued++;
    }
    console.log(`damage test: ${damages} damages, ${rescued} rescues, ${stops.length} stops`);
    expect(stops).toEqual([]);
  },
  60_000 + damages * 60_000,
);

const kinds = ["random", "zeros", "another page", "64 random bytes"] as const;

function damagePage(path: string, page: number, kind: (typeof kinds)[number]): void {
  const file = openSync(path, "r+");
  const at = (page - 1) * pageSize;
  const bytes = Buffer.alloc(kind === "64 random bytes" ? 64 : pageSize);
  if (kind === "another page")
    readSync(file, bytes, 0, pageSize, random.between(0, statSync(path).size / pageSize - 1) * pageSize);
  else if (kind !== "zeros") for (const index of bytes.keys()) bytes[index] = random.between(0, 255);
  writeSync(file, bytes, 0, bytes.length, at + (bytes.length === 64 ? random.between(0, 63) * 64 : 0));
  closeSync(file);
}

// Tables whose damage once stopped the worker at every start come first.
const first = [
  "stale_derived",
  "regenerations",
  "project_moves",
  "pending_messages_processing",
  "observations_fts_config",
];

function rootPages(path: string): { name: string; rootpage: number }[] {
  const db = new Database(path, { readonly: true });
  onTestFinished(() => void db.close());
  const roots = db
    .prepare<[], { name: string; rootpage: number }>(
      "select name, rootpage from sqlite_schema where rootpage > 0",
    )
    .all();
  const place = ({ name }: { name: string }) => (first.includes(name) ? first.indexOf(name) : first.length);
  return roots.sort((a, b) => place(a) - place(b));
}

async function filledHome(): Promise<WorkerHome> {
  const home = workerHome();
  const worker = await startWorker(home);
  for (let n = 0; n < 80; n++) expect((await post(worker, `before-${n}`)).status).toBe(200);
  await drained(worker);
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  return home;
}

async function startAndPost(home: WorkerHome, id: string): Promise<void> {
  const worker = await startWorker(home);
  // It refuses connections while it changes to the new database, and until it knows of the damage it answers 503.
  let last: unknown;
  const stored = async (key: string) => {
    const answer = await post(worker, key).catch(() => undefined);
    last = answer?.body;
    return answer?.status === 200 || undefined;
  };
  const storesTwice = async () => {
    await until(() => stored(id), 60_000, "a message that is taken");
    // Meanwhile the check of the file has begun.
    await sleep(300);
    await until(() => stored(`${id} again`), 60_000, "a message after the check");
  };
  await Promise.race([
    storesTwice().catch((cause) => {
      throw new Error(`${String(cause)}, but ${JSON.stringify(last)}`);
    }),
    worker.exited.then(({ code }) => {
      throw new Error(`the worker ended (${code}):\n${worker.output()}`);
    }),
  ]);
  const { code } = await worker.stop();
  if (code !== 0) throw new Error(`the worker ended with ${code}:\n${worker.output()}`);
}

function post(worker: WorkerProcess, id: string) {
  return worker.post("/api/sessions/observations", {
    ...toolUse(random, { id, session: "damage" }),
    cwd: "/home/user/app",
  });
}
