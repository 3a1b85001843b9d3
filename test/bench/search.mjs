// Search: 95th percentile over HTTP inside a project, against the raw full-text query of the same match expression in
// process, on the same 100,000 observations, with the same questions in the same order.
import Database from "better-sqlite3";
import { importBundle } from "./bundle.mjs";
import { datasetFile, installDataset, questions } from "./dataset.mjs";
import { ratioFigure, spread } from "./measure.mjs";
import { ask, benchHome, startWorker } from "./worker.mjs";

export async function run({ say }) {
  const home = benchHome();
  await installDataset(home.dataDir, say);
  const asked = questions(300);
  const raw = await createRawSearch(await datasetFile(say));
  const worker = await startWorker(home);
  try {
    const times = { http: [], raw: [] };
    for (const [index, question] of [...asked.slice(0, 50), ...asked].entries()) {
      const counted = index >= 50;
      const http = await timed(() => searchOverHttp(worker.port, question));
      const direct = await timed(() => raw(question));
      if (!counted) continue;
      times.http.push(http);
      times.raw.push(direct);
    }
    return [
      ratioFigure({
        name: "search p95 over HTTP in a project / raw FTS5 p95 in process",
        unit: "ms",
        ours: { label: "GET /api/search?type=observations&project=", ...spread(times.http) },
        floor: { label: "raw FTS5 match, top 20, in process", ...spread(times.raw) },
        by: "p95",
        target: "<= 1.25",
      }),
    ];
  } finally {
    await worker.kill();
    home.remove();
  }
}

/** Asks the worker as a client does; throws on anything but an answer. */
export async function searchOverHttp(port, { words, project }) {
  const query = new URLSearchParams({ query: words.join(" "), type: "observations", limit: "20", project });
  const { status, text } = await ask(port, `/api/search?${query}`);
  if (status !== 200) throw new Error(`search answered ${status}: ${text}`);
  return JSON.parse(text).observations;
}

// The product's own match expression and column weights, and nothing else: no row is read.
async function createRawSearch(file) {
  const { buildMatch } = await importBundle("match", 'export { buildMatch } from "./src/recall/query.ts";');
  const db = new Database(file, { readonly: true });
  const projectId = db.prepare("select id from projects where label = ?").pluck();
  const match = db.prepare(
    `select rowid, bm25(observations_fts, 0, 3, 2, 1, 4) as score
     from observations_fts
     where observations_fts match ?
     order by score
     limit 20`,
  );
  return ({ words, project }) => {
    const scope = [`xp${projectId.get(project)}`];
    return match.all(buildMatch(words.join(" "), ["title", "facts", "narrative", "files"], scope));
  };
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
