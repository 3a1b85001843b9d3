// What the builtin embedder is worth in the fusion: `npm run bench -- embedder-weight --data <folder>`. The development
// sets, ranked in process with its vectors (exact, of the question's project) at several weights; 0 is without it.
import { join } from "node:path";
import { importBundle } from "./bundle.mjs";
import { loadSets } from "./retrieval-data.mjs";
import { mean, measure, renderMeasures } from "./retrieval-measures.mjs";
import { productModules, writeDocuments } from "./retrieval-store.mjs";
import { benchHome } from "./worker.mjs";

const weights = [0, 0.25, 0.5, 1, 2, 4];
const nearest = 100;

export async function run({ say, data }) {
  if (data === undefined) throw new Error("embedder-weight needs --data <folder>");
  const product = await productModules();
  const embedding = await importBundle(
    "embedder-weight",
    `export { createBuiltinEmbedder } from "./src/embed/builtin.ts";
     export { observationText } from "./src/embed/observation-text.ts";
     export { unitVector } from "./src/vectors/int8.ts";
     export { rankObservations } from "./src/recall/rank-observations.ts";`,
  );
  const home = benchHome();
  const db = product.openDatabase(join(home.dataDir, "weight.db"), { product: "0.0.0", now: 0 });
  try {
    db.pragma("synchronous = off");
    const store = product.createStore(db);
    const port = product.createCandidates(db);
    for (const { name, documents, queries } of loadSets(data)) {
      const keys = writeDocuments({ db, store }, documents);
      const near = await createScan({ embedding, store, keys });
      const rows = [
        { name: "vectors alone", values: [] },
        ...weights.map((weight) => ({ name: `weight ${weight}`, values: [] })),
      ];
      for (const query of queries) {
        const hits = await near(query);
        rows[0].values.push(
          measure(
            hits.map(({ id }) => keys.get(id)),
            query.relevant,
          ),
        );
        for (const [at, weight] of weights.entries()) {
          const found = rank({
            product,
            embedding,
            store,
            port,
            query,
            vectors: { state: "ok", hits, weight },
          });
          rows[at + 1].values.push(
            measure(
              found.map((id) => keys.get(id)),
              query.relevant,
            ),
          );
        }
      }
      say(`${name}, ${queries.length} questions`);
      for (const line of renderMeasures(rows.map((row) => ({ ...row, values: mean(row.values) }))))
        say(`  ${line}`);
    }
    return [];
  } finally {
    product.closeDatabase(db);
    home.remove();
  }
}

function rank({ product, embedding, store, port, query, vectors }) {
  const { text, project, before } = query;
  const filter = {
    project,
    obs_type: null,
    concepts: [],
    files: [],
    dateStart: null,
    dateEnd: before == null ? null : before - 1,
  };
  const { hits } = embedding.rankObservations(port, {
    words: text,
    filter,
    scope: [product.projectToken(store.projects.find(project))],
    vectors: vectors.weight === 0 ? { state: "off" } : vectors,
  });
  return hits.slice(0, nearest).map(({ id }) => id);
}

async function createScan({ embedding, store, keys }) {
  const embedder = embedding.createBuiltinEmbedder();
  const { signal } = new AbortController();
  const vectorOf = async (text) =>
    embedding.unitVector((await embedder.embed([text], "document", signal))[0]);
  const rows = [];
  for (const id of keys.keys()) {
    const record = store.observations.byId(id);
    const vector = await vectorOf(embedding.observationText(record));
    rows.push({ id, project: record.project, at: record.created_at_epoch, vector });
  }
  return async ({ text, project, before }) => {
    const query = await vectorOf(text);
    return rows
      .filter((row) => row.project === project && (before == null || row.at < before))
      .map(({ id, vector }) => ({
        id,
        similarity: vector.reduce((sum, value, at) => sum + value * query[at], 0),
      }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, nearest);
  };
}
