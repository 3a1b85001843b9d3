// Retrieval quality on sets whose answers other people gave: `npm run bench -- retrieval --data <folder>`.
// The documents are written as observations with their sessions, order and times (see retrieval-store.mjs); the
// questions go through /api/search of the real worker, inside the project, with `dateEnd` where only what was there
// before a question may answer it.
import { join } from "node:path";
import { boundFigure } from "./measure.mjs";
import { loadSets } from "./retrieval-data.mjs";
import { mean, measure, renderMeasures } from "./retrieval-measures.mjs";
import { productModules, writeDocuments } from "./retrieval-store.mjs";
import { ask, benchHome, startWorker } from "./worker.mjs";

// The gates are for held-out parts; on the parts that weights were fitted on they only say that nothing broke.
const gates = [
  ["locomo-turns", "R@10", 73],
  ["locomo-sessions", "hit@5", 92],
  ["locomo-sessions", "MRR", 81],
  ["cosqa", "nDCG@10", 42],
  ["cranfield", "nDCG@10", 41],
  ["commit-fixes", "R@10", 60],
];

export async function run({ say, data }) {
  if (data === undefined) throw new Error("retrieval needs --data <folder>");
  const product = await productModules();
  const sets = loadSets(data);
  const home = benchHome();
  const path = join(home.dataDir, "mem.db");
  let worker;
  try {
    const db = product.openDatabase(path, { product: "0.0.0", now: 0 });
    db.pragma("synchronous = off");
    const store = product.createStore(db);
    for (const set of sets) set.keys = writeDocuments({ db, store }, set.documents);
    product.closeDatabase(db);
    say(
      sets
        .map(({ name, documents, queries }) => `${name}: ${documents.length} / ${queries.length}`)
        .join(", "),
    );
    worker = await startWorker(home);
    const figures = [];
    for (const set of sets) figures.push(...(await overHttp(worker.port, set, say)));
    return figures;
  } finally {
    await worker?.kill();
    home.remove();
  }
}

async function overHttp(port, set, say) {
  const measured = new Map();
  const add = (category, one) => measured.set(category, [...(measured.get(category) ?? []), one]);
  for (const query of set.queries) {
    const { keys, tokens } = await search(port, set, query);
    const one = { ...measure(keys, query.relevant), tokens: tokens / 100 };
    add(query.category, one);
    add("all", one);
  }
  say(`${set.name}, over HTTP`);
  const names = [...measured.keys()].sort((a, b) => Number(a === "all") - Number(b === "all"));
  for (const line of renderMeasures(
    [...new Set(names)].map((name) => ({ name, values: mean(measured.get(name)) })),
  ))
    say(`  ${line}`);
  return figuresOf(set, mean(measured.get("all")));
}

async function search(port, { keys }, { text, project, before }) {
  const parameters = new URLSearchParams({ query: text, project, type: "observations", limit: "100" });
  if (before != null) parameters.set("dateEnd", new Date(before - 1).toISOString());
  const answer = await ask(port, `/api/search?${parameters}`);
  if (answer.status !== 200) throw new Error(`search answered ${answer.status}: ${answer.text}`);
  const { observations } = JSON.parse(answer.text);
  return {
    keys: observations.map(({ id }) => keys.get(id)),
    // What the first 20 lines cost the reader, at four characters a token.
    tokens: JSON.stringify(observations.slice(0, 20)).length / 4,
  };
}

function figuresOf({ name, queries }, values) {
  const figures = gates
    .filter(([set]) => set === name)
    .map(([, unit, least]) =>
      boundFigure({
        name: `${name}: ${unit}`,
        unit: "%",
        value: values[unit],
        n: queries.length,
        target: `>= ${least}`,
      }),
    );
  return [
    ...figures,
    boundFigure({
      name: `${name}: questions without any result`,
      unit: "%",
      value: values.none,
      n: queries.length,
      target: "<= 0.5",
    }),
  ];
}
