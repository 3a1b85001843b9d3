// The vector leg: 100,000 vectors of 384 numbers, the twenty nearest, through the product's own thread and rows, against
// sqlite-vec's exact scan of the same vectors in process; hnswlib beside them where it is there. Then what it takes of memory.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { bundle, importBundle } from "./bundle.mjs";
import { installDataset } from "./dataset.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { Database } from "./sqlite.mjs";
import { benchHome, memoryOf, own, root } from "./worker.mjs";

const count = 100_000;
const dimension = 384;
const nearest = 20;
const asked = 100;

const exported = `
  export { createIndexThread } from "./src/recall/vectors/index-thread.ts";
  export { toInt8, unitVector } from "./src/recall/vectors/int8.ts";
  export { createVectors } from "./src/store/sqlite/vectors.ts";
  export { openDatabase, closeDatabase } from "./src/store/sqlite/open.ts";
  export { systemClock } from "./src/core/clock.ts";
`;

export async function run({ say, peers }) {
  const from = createRequire(peers === undefined ? import.meta.url : resolve(peers, "from-here.js"));
  const sqliteVec = required(from, "sqlite-vec");
  const home = benchHome();
  try {
    await installDataset(home.dataDir, say);
    const databasePath = `${home.dataDir}/mem.db`;
    const product = await importBundle("vectors", exported);
    const vectors = clusteredVectors(product.unitVector);
    const setId = fillStore(product, databasePath, vectors);
    const exact = exactScan(sqliteVec, vectors);
    const thread = createThread(product, databasePath);
    const first = await timed(() =>
      thread.nearest({ setId, unit: vectors.queries[0], project: null, limit: nearest }),
    );
    say(`first search, which starts the thread and reads everything: ${first.ms.toFixed(0)} ms`);
    const taken = await measure({ thread, setId, exact, queries: vectors.queries });
    const delay = await mainThreadDelay(thread, { setId, queries: vectors.queries });
    say(
      `99th percentile of the wait for the main thread while ${asked} searches run: ${delay.toFixed(1)} ms`,
    );
    await thread.close();
    sayHnsw(from, vectors, taken.truth, say);
    say(
      `recall@${nearest} ${(taken.recall * 100).toFixed(2)} %, inside one project p95 ${taken.scoped.p95.toFixed(2)} ms`,
    );
    const memory = await extraMemory({ databasePath, setId, query: vectors.queries[0] });
    return [
      ratioFigure({
        name: `vector leg, top ${nearest} of ${count.toLocaleString("en")} x ${dimension}, p95`,
        unit: "ms",
        ours: { label: "bits, rescored by int8 rows, in a thread", ...taken.ours },
        floor: { label: "sqlite-vec, float32, exact, in process", ...taken.floor },
        by: "p95",
        target: "<= 0.2",
      }),
      boundFigure({
        name: `vector leg, recall@${nearest} against the exact scan`,
        unit: "",
        value: taken.recall,
        n: asked,
        target: ">= 0.98",
      }),
      boundFigure({
        name: "vector leg, extra memory of its own (anonymous) after the first searches",
        unit: "MiB",
        value: memory,
        n: 1,
        target: "<= 60",
      }),
    ];
  } finally {
    home.remove();
  }
}

function required(from, name) {
  try {
    return from(name);
  } catch (cause) {
    throw new Error(`${name} cannot be loaded; name the folder it is installed in: --peers <folder>`, {
      cause,
    });
  }
}

// Around 1,000 centres, half of them tight and half loose: real embeddings come in clusters, with near duplicates.
function clusteredVectors(unitVector) {
  const random = createNormal(7);
  const centres = Array.from({ length: 1_000 }, () => Float32Array.from({ length: dimension }, random));
  const make = (at) => {
    const centre = centres[(at * 7919) % centres.length];
    const width = at % 2 === 0 ? 0.6 : 1.5;
    return unitVector(centre.map((value) => value + random() * width));
  };
  const stored = Array.from({ length: count }, (_, at) => make(at));
  const queries = Array.from({ length: asked + 20 }, (_, at) => make(at));
  return { stored, queries };
}

function createNormal(seed) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
}

// The rows as the worker writes them, one for each observation of the data set.
function fillStore({ openDatabase, closeDatabase, createVectors, toInt8 }, path, { stored }) {
  const db = openDatabase(path, { product: "0.0.0", now: 0 });
  db.pragma("synchronous = off");
  const vectors = createVectors(db);
  const records = db
    .prepare("select id, title, subtitle, summary, narrative, facts from observations order by id limit ?")
    .all(count);
  if (records.length !== count) throw new Error(`the data set holds ${records.length} observations`);
  const set = vectors.ensureSet("http", "bench", dimension);
  const write = db.transaction((from) => {
    const rows = records.slice(from, from + 1_000);
    vectors.put(
      set.id,
      rows.map((of, at) => ({ of, ...toInt8(stored[from + at]) })),
    );
  });
  for (let from = 0; from < count; from += 1_000) write.immediate(from);
  vectors.complete(set.id);
  stored.ids = records.map(({ id }) => id);
  stored.project = db
    .prepare("select project from observations group by project order by count(*) desc")
    .pluck()
    .get();
  closeDatabase(db);
  return set.id;
}

function exactScan(sqliteVec, { stored }) {
  const db = new Database(":memory:");
  sqliteVec.load(db);
  db.exec(`create virtual table scan using vec0 (vector float[${dimension}] distance_metric=cosine)`);
  const insert = db.prepare("insert into scan (rowid, vector) values (?, ?)");
  db.transaction(() => {
    for (const [at, vector] of stored.entries()) insert.run(BigInt(stored.ids[at]), vector);
  })();
  const search = db.prepare(`select rowid from scan where vector match ? and k = ${nearest}`).pluck();
  return Object.assign((unit) => search.all(unit), { project: stored.project });
}

function createThread({ createIndexThread, systemClock }, databasePath) {
  return createIndexThread({
    script: `${root}/dist/vector-thread.cjs`,
    databasePath,
    clock: systemClock,
    deadlineMs: 60_000,
  });
}

async function measure({ thread, setId, exact, queries }) {
  const times = { ours: [], floor: [], scoped: [] };
  const truth = [];
  let found = 0;
  for (const [index, unit] of queries.entries()) {
    const exactly = await timed(() => exact(unit));
    const ours = await timed(() => thread.nearest({ setId, unit, project: null, limit: nearest }));
    const scoped = await timed(() => thread.nearest({ setId, unit, project: exact.project, limit: nearest }));
    truth.push(exactly.value);
    if (index < queries.length - asked) continue;
    times.floor.push(exactly.ms);
    times.ours.push(ours.ms);
    times.scoped.push(scoped.ms);
    const ids = new Set(ours.value.map(({ id }) => id));
    found += exactly.value.filter((id) => ids.has(id)).length;
  }
  return {
    ours: spread(times.ours),
    floor: spread(times.floor),
    scoped: spread(times.scoped),
    recall: found / (asked * nearest),
    truth,
  };
}

// The delay of a request while the thread is busy: all searches are sent together and answered one by one.
async function mainThreadDelay(thread, { setId, queries }) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await Promise.all(
    queries.slice(0, asked).map((unit) => thread.nearest({ setId, unit, project: null, limit: nearest })),
  );
  delay.disable();
  return delay.percentile(99) / 1e6;
}

async function timed(work) {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

function sayHnsw(from, { stored, queries }, truth, say) {
  let library;
  try {
    library = from("hnswlib-node");
  } catch {
    say("hnswlib-node is not installed, so it is left out");
    return;
  }
  const index = new library.HierarchicalNSW("cosine", dimension);
  index.initIndex(count, 16, 200, 1);
  const began = performance.now();
  for (const [at, vector] of stored.entries()) index.addPoint([...vector], stored.ids[at]);
  const builtMs = performance.now() - began;
  index.setEf(80);
  const times = [];
  let found = 0;
  for (const [at, unit] of queries.entries()) {
    const query = [...unit];
    const start = performance.now();
    const { neighbors } = index.searchKnn(query, nearest);
    times.push(performance.now() - start);
    found += truth[at].filter((id) => neighbors.includes(id)).length;
  }
  const { p50, p95 } = spread(times);
  const recall = ((found / (queries.length * nearest)) * 100).toFixed(2);
  say(
    `hnswlib M 16, ef 80: p50 ${p50.toFixed(2)}, p95 ${p95.toFixed(2)} ms, recall ${recall} %, built in ${(builtMs / 1_000).toFixed(0)} s, on the main thread`,
  );
}

/** Anonymous memory of a process before it has a thread, and after a hundred searches. */
async function extraMemory({ databasePath, setId, query }) {
  const module = await bundle("vectors", exported);
  const child = own(
    spawn(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { createIndexThread, systemClock } from ${JSON.stringify(module)};
         const [, databasePath, setId, script, unit] = process.argv;
         const thread = createIndexThread({ script, databasePath, clock: systemClock, deadlineMs: 60000 });
         const request = { setId: Number(setId), unit: Float32Array.from(JSON.parse(unit)), project: null, limit: ${nearest} };
         process.stdin.once("data", async () => {
           for (let n = 0; n < 100; n++) await thread.nearest(request);
           process.stdout.write("searched");
         });
         process.stdout.write("ready");`,
        databasePath,
        String(setId),
        `${root}/dist/vector-thread.cjs`,
        JSON.stringify([...query]),
      ],
      { stdio: ["pipe", "pipe", "inherit"], env: { PATH: process.env.PATH } },
    ),
  );
  const said = () => new Promise((heard) => child.stdout.once("data", (chunk) => heard(String(chunk))));
  await said();
  const before = memoryOf(child.pid).anonymous;
  const searched = said();
  child.stdin.write("go");
  await searched;
  const after = memoryOf(child.pid).anonymous;
  child.kill("SIGKILL");
  return after - before;
}
