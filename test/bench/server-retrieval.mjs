// Retrieval quality of the hosted server: `npm run bench -- server-retrieval --data <folder>`. The turns of LoCoMo are
// written as observations, the questions go through POST /v1/search with the key of their project; beside it the local
// search on the same documents. Documents, measures and the local side come from the bench `retrieval`.

import { join } from "node:path";
import { boundFigure } from "./measure.mjs";
import { startServerProcess } from "./recall-load.mjs";
import { loadSets } from "./retrieval-data.mjs";
import { mean, measure, renderMeasures } from "./retrieval-measures.mjs";
import { productModules, writeDocuments } from "./retrieval-store.mjs";
import {
  addKey,
  makeProject,
  makeSession,
  observationOf,
  serverModules,
  startBenchPostgres,
} from "./server-home.mjs";
import { ask, benchHome, startWorker } from "./worker.mjs";

const most = 4;

export async function run({ say, data }) {
  if (data === undefined) throw new Error("server-retrieval needs --data <folder>");
  const set = loadSets(data).find(({ name }) => name === "locomo-turns");
  if (set === undefined) throw new Error(`no LoCoMo set found under ${data}`);
  const hosted = await overServer(set);
  const local = await overWorker(set);
  const rows = [
    { name: "hosted, POST /v1/search", values: hosted },
    { name: "local, GET /api/search", values: local },
  ];
  for (const line of renderMeasures(rows)) say(line);
  return [
    boundFigure({
      name: "locomo-turns: R@10 that the hosted search loses to the local one",
      unit: "points",
      value: Math.max(0, local["R@10"] - hosted["R@10"]),
      n: set.queries.length,
      target: `<= ${most}`,
      note: `hosted ${hosted["R@10"].toFixed(1)}, local ${local["R@10"].toFixed(1)}`,
    }),
    boundFigure({
      name: "locomo-turns: questions without any result",
      unit: "%",
      value: hosted.none,
      n: set.queries.length,
      target: "<= 0.5",
    }),
  ];
}

async function overServer({ documents, queries }) {
  const product = await serverModules();
  const home = await startBenchPostgres(product);
  let server;
  try {
    const { keys, access } = await writeHosted(product, home.database, documents);
    server = await startServerProcess(home.url);
    const measured = [];
    for (const { text, project, relevant } of queries) {
      const reply = await fetch(`http://127.0.0.1:${server.port}/v1/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${access.get(project)}`, "content-type": "application/json" },
        body: JSON.stringify({ query: text }),
      });
      if (reply.status !== 200) throw new Error(`search answered ${reply.status}: ${await reply.text()}`);
      const { observations } = await reply.json();
      measured.push(
        measure(
          observations.map(({ id }) => keys.get(id)),
          relevant,
        ),
      );
    }
    return mean(measured);
  } finally {
    await server?.stop();
    await home.remove();
  }
}

async function writeHosted(product, database, documents) {
  const scopes = new Map();
  const access = new Map();
  const sessions = new Map();
  const keys = new Map();
  for (const { key, project, session, at, title, narrative, facts, files } of documents) {
    const scope = scopes.get(project) ?? (await makeProject(product, database, project, "app"));
    if (!scopes.has(project)) access.set(project, await addKey(product, database, scope));
    scopes.set(project, scope);
    const session_id = sessions.get(session) ?? (await makeSession(product, database, scope, session));
    sessions.set(session, session_id);
    const given = { session_id, title, narrative, facts, files_modified: files, created_at_epoch: at };
    const observation = observationOf(product, scope, given);
    await product.insertObservations(database.system, [observation]);
    keys.set(observation.id, key);
  }
  await database.owner.query("vacuum analyze");
  return { keys, access };
}

async function overWorker({ documents, queries }) {
  const product = await productModules();
  const home = benchHome();
  let worker;
  try {
    const db = product.openDatabase(join(home.dataDir, "mem.db"), { product: "0.0.0", now: 0 });
    const keys = writeDocuments({ db, store: product.createStore(db) }, documents);
    product.closeDatabase(db);
    worker = await startWorker(home);
    const measured = [];
    for (const { text, project, relevant } of queries) {
      const parameters = new URLSearchParams({ query: text, project, type: "observations", limit: "20" });
      const answer = await ask(worker.port, `/api/search?${parameters}`);
      const { observations } = JSON.parse(answer.text);
      measured.push(
        measure(
          observations.map(({ id }) => keys.get(id)),
          relevant,
        ),
      );
    }
    return mean(measured);
  } finally {
    await worker?.kill();
    home.remove();
  }
}
