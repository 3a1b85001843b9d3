// Context: what a session start and a read of a file cost beside reading the same rows from the database, on the same
// 100,000 observations, both sides in process and in turn.
import { join } from "node:path";
import { importBundle } from "./bundle.mjs";
import { installDataset } from "./dataset.mjs";
import { interleave, ratioFigure } from "./measure.mjs";
import { Database } from "./sqlite.mjs";
import { ask, benchHome, startWorker } from "./worker.mjs";

const projects = ["project-00", "project-03", "project-10", "project-20", "project-40"];

export async function run({ say }) {
  const home = benchHome();
  await installDataset(home.dataDir, say);
  // Making vectors of 100,000 records in the background would be measured too.
  const worker = await startWorker(home, { env: { MEM_VECTOR_INDEX: "off" } });
  const db = new Database(join(home.dataDir, "mem.db"), { readonly: true });
  try {
    return [await injection(db, (project) => overHttp(worker.port, project)), await byFile(db)];
  } finally {
    await worker.kill();
    home.remove();
    db.close();
  }
}

async function injection(db, inject) {
  const ids = db
    .prepare("select id from observations where project = ? order by created_at_epoch desc, id desc limit 50")
    .pluck();
  const byId = db.prepare("select * from observations where id = ?");
  const rows = new Map(projects.map((project) => [project, ids.all(project)]));
  let round = 0;
  const next = () => projects[round++ % projects.length];
  const times = await interleave(
    {
      ours: () => timed(() => inject(next())),
      floor: () => {
        const wanted = rows.get(next());
        return timed(() => wanted.map((id) => byId.get(id)));
      },
    },
    // The first few hundred are made by code that the engine has still to compile.
    { rounds: 500, warmup: 300 },
  );
  return ratioFigure({
    name: "context/inject p95 over HTTP / reading the same rows by primary key",
    unit: "ms",
    ours: { label: "GET /api/context/inject?project=", ...times.ours },
    floor: { label: "50 rows by primary key, in process", ...times.floor },
    by: "p95",
    target: "<= 10",
  });
}

async function overHttp(port, project) {
  const { status, text } = await ask(port, `/api/context/inject?project=${project}`);
  if (status !== 200 || !text.startsWith("<mem-context-"))
    throw new Error(`inject answered ${status}: ${text}`);
}

// What a hook before a read of a file asks for, with the session's own records left out.
async function byFile(db) {
  const { createContext, createByFile } = await importBundle(
    "context",
    `export { createContext } from "./src/context/context.ts";
     export { createByFile } from "./src/store/sqlite/by-file.ts";`,
  );
  const find = db.prepare(
    `select o.*
     from observation_files f
     join observations o on o.id = f.observation_id
     where f.path = ?
     order by o.id desc
     limit 3`,
  );
  const paths = db
    .prepare(
      `select f.path, o.project
       from observation_files f
       join observations o on o.id = f.observation_id
       where o.id % 97 = 0
       limit 500`,
    )
    .all();
  const context = createContext({ byFile: createByFile(db) }, { tokenBudget: 2000 }, () => "mem search");
  let round = 0;
  const next = () => paths[round++ % paths.length];
  const times = await interleave(
    {
      ours: () => {
        const { path, project } = next();
        return timed(async () => {
          const found = await context.forFile({ project, path, exceptSession: "sdk-none" });
          if (found === null) throw new Error(`nothing is known of ${path}`);
        });
      },
      floor: () => {
        const { path } = next();
        return timed(() => find.all(path));
      },
    },
    { rounds: 1000, warmup: 100 },
  );
  return ratioFigure({
    name: "a file's records p95 / one indexed lookup of the same rows",
    unit: "ms",
    ours: { label: "context for a file, in process", ...times.ours },
    floor: { label: "its rows by the index on paths, in process", ...times.floor },
    by: "p95",
    target: "<= 5",
  });
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
