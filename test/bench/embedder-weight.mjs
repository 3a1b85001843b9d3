// What an embedder is worth in the fusion: `npm run bench -- embedder-weight --data <folder>`. The development sets, ranked
// in process with its vectors (exact, of the question's project) at several weights; 0 is without it. The builtin one, or
// what MEM_EMBEDDER and MEM_EMBEDDING_* of the environment name.
import { join } from "node:path";
import { importBundle } from "./bundle.mjs";
import { loadSets } from "./retrieval-data.mjs";
import { mean, measure, renderMeasures } from "./retrieval-measures.mjs";
import { productModules, writeDocuments } from "./retrieval-store.mjs";
import { benchHome } from "./worker.mjs";

const weights = [0, 0.5, 1, 2];
const nearest = 100;

export async function run({ say, data }) {
  if (data === undefined) throw new Error("embedder-weight needs --data <folder>");
  const product = await productModules();
  const embedding = await importBundle(
    "embedder-weight",
    `export { buildEmbedder, chosenEmbedder, embedderSettings } from "./src/generate/model/embedders.ts";
     export { loadSettings } from "./src/settings/load.ts";
     export { systemClock } from "./src/core/clock.ts";
     export { observationText } from "./src/recall/embed/embed-items.ts";
     export { unitVector } from "./src/recall/vectors/int8.ts";
     export { rankObservations } from "./src/recall/rank-observations.ts";`,
  );
  const home = benchHome();
  const embedder = openEmbedder(embedding, home.dataDir);
  const db = product.openDatabase(join(home.dataDir, "weight.db"), { product: "0.0.0", now: 0 });
  try {
    db.pragma("synchronous = off");
    const store = product.createStore(db);
    const port = product.createCandidates(db);
    for (const { name, documents, queries } of loadSets(data)) {
      const keys = writeDocuments({ db, store }, documents);
      const near = await createScan({ embedding, embedder, store, keys });
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
      for (const row of rows.slice(2))
        say(`  ${row.name} over 0: ${differences(row.values, rows[1].values)}`);
    }
    return [];
  } finally {
    await embedder.close();
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

function openEmbedder(product, dataDir) {
  const { chosenEmbedder, buildEmbedder, systemClock: clock } = product;
  const settings = product.embedderSettings(
    product.loadSettings({ dataDir, env: process.env, readOnly: true }),
  );
  const chosen = chosenEmbedder(settings);
  if (chosen === null) throw new Error("MEM_EMBEDDER is off");
  return buildEmbedder(chosen, { settings, dataDir, clock });
}

async function createScan({ embedding, embedder, store, keys }) {
  const { signal } = new AbortController();
  const unitsOf = async (texts, role) =>
    (await embedder.embed(texts, role, signal)).map((vector) => embedding.unitVector(vector));
  const records = [...keys.keys()].map((id) => store.observations.byId(id));
  const rows = [];
  for (let from = 0; from < records.length; from += embedder.batch) {
    const batch = records.slice(from, from + embedder.batch);
    const units = await unitsOf(batch.map(embedding.observationText), "document");
    for (const [at, { id, project, created_at_epoch }] of batch.entries())
      rows.push({ id, project, at: created_at_epoch, vector: units[at] });
  }
  return async ({ text, project, before }) => {
    const [query] = await unitsOf([text], "query");
    return rows
      .filter((row) => row.project === project && (before == null || row.at < before))
      .map(({ id, vector }) => ({
        id,
        similarity: vector.reduce((sum, value, place) => sum + value * query[place], 0),
      }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, nearest);
  };
}

// Drawn again 1,000 times with the same questions on both sides: 95 in 100 of the differences lie between the two.
function differences(ours, without) {
  return ["R@10", "nDCG@10"]
    .map((unit) => {
      const each = ours.map((one, at) => 100 * (one[unit] - without[at][unit]));
      const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const random = createUniform(1);
      const drawn = Array.from({ length: 1_000 }, () =>
        average(each.map(() => each[Math.floor(random() * each.length)])),
      ).sort((a, b) => a - b);
      return `${unit} ${average(each).toFixed(1)} (${drawn[25].toFixed(1)} to ${drawn[974].toFixed(1)})`;
    })
    .join(", ");
}

function createUniform(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
