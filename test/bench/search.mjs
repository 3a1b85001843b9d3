// Search: five-word questions over HTTP at 1,000, 10,000 and 100,000 observations, inside a project and over everything,
// against bare FTS5 in process: the same terms on the same index, joined to the project's rows, and without a project.
// Both sides see the same questions in the same order, interleaved.
import { importBundle } from "./bundle.mjs";
import { datasetFile, installDataset, questions } from "./dataset.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { Database } from "./sqlite.mjs";
import { ask, benchHome, startWorker } from "./worker.mjs";

const sizes = [1_000, 10_000, 100_000];
const rounds = 200;
const warmup = 30;

export async function run({ say }) {
  const figures = [];
  const p95 = { project: new Map(), everything: new Map() };
  for (const size of sizes) {
    const times = await timesAt(size, say);
    for (const scope of ["project", "everything"]) {
      const [ours, bare] = [spread(times[scope].ours), spread(times[scope].bare)];
      p95[scope].set(size, ours.p95);
      figures.push(ratio({ scope, size, ours, bare }));
    }
  }
  for (const [scope, at] of Object.entries(p95)) {
    figures.push(
      boundFigure({
        name: `search p95, ${scopes[scope].name}: growth from 10,000 to 100,000 observations`,
        unit: "times",
        value: at.get(100_000) / at.get(10_000),
        n: rounds,
        target: "<= 10",
      }),
    );
  }
  return figures;
}

const scopes = {
  project: { name: "inside a project", bare: "bare FTS5 joined to the project, in process", target: "<= 1" },
  everything: { name: "over everything", bare: "bare FTS5, in process", target: "<= 1.5" },
};

function ratio({ scope, size, ours, bare }) {
  const { name, bare: label, target } = scopes[scope];
  const many = size.toLocaleString("en");
  return ratioFigure({
    name: `search p95 over HTTP / bare FTS5 p95, ${name}, ${many} observations`,
    unit: "ms",
    ours: { label: "GET /api/search?type=observations", ...ours },
    floor: { label, ...bare },
    by: "p95",
    target,
  });
}

async function timesAt(size, say) {
  const home = benchHome();
  await installDataset(home.dataDir, say, size);
  const bare = await createBare(await datasetFile(say, size));
  const worker = await startWorker(home);
  const times = { project: { ours: [], bare: [] }, everything: { ours: [], bare: [] } };
  try {
    const asked = questions(rounds);
    for (const [index, question] of [...asked.slice(0, warmup), ...asked].entries()) {
      for (const scope of Object.keys(times)) {
        const project = scope === "project" ? question.project : undefined;
        const ours = await timed(() => searchOverHttp(worker.port, { ...question, project }));
        const floor = await timed(() => bare({ ...question, project }));
        if (index < warmup) continue;
        times[scope].ours.push(ours);
        times[scope].bare.push(floor);
      }
    }
    return times;
  } finally {
    await worker.kill();
    home.remove();
  }
}

/** Asks the worker as a client does; throws on anything but an answer. */
export async function searchOverHttp(port, { words, project }) {
  const query = new URLSearchParams({ query: words.join(" "), type: "observations", limit: "20" });
  if (project !== undefined) query.set("project", project);
  const { status, text } = await ask(port, `/api/search?${query}`);
  if (status !== 200) throw new Error(`search answered ${status}: ${text}`);
  return JSON.parse(text).observations;
}

// The product's own terms and column weights, and nothing else: no record is read, no token of the project is used.
async function createBare(file) {
  const { buildMatch } = await importBundle("match", 'export { buildMatch } from "./src/recall/query.ts";');
  const db = new Database(file, { readonly: true });
  const score = "bm25(observations_fts, 0, 3, 2, 1, 4)";
  const alone = db.prepare(
    `select rowid, ${score} as score
     from observations_fts
     where observations_fts match ?
     order by score
     limit 20`,
  );
  const joined = db.prepare(
    `select r.id, ${score} as score
     from observations_fts
     join observations r on r.id = observations_fts.rowid
     where observations_fts match ? and r.project = ?
     order by score
     limit 20`,
  );
  return ({ words, project }) => {
    const match = buildMatch(words.join(" "), ["title", "facts", "narrative", "files"], []);
    return project === undefined ? alone.all(match) : joined.all(match, project);
  };
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
