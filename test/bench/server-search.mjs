// Authenticated search over HTTP, with scope and audit, against its own statements alone on a pool of the same size in the
// same process: `npm run bench -- server-search`. Every answered read must have left one audit row.
import { createRandom, text, word } from "./dataset.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { drive, startServerProcess } from "./recall-load.mjs";
import {
  addKey,
  makeProject,
  makeSession,
  observationOf,
  serverModules,
  startBenchPostgres,
} from "./server-home.mjs";

const projects = 20;
const records = 20_000;
const connections = 10;
const seconds = 3;
const rounds = 5;

export async function run({ say }) {
  const product = await serverModules();
  const home = await startBenchPostgres(product);
  let server;
  try {
    const asked = await fill(product, home.database);
    say(`${records.toLocaleString("en")} records in ${projects} projects, ${connections} connections`);
    server = await startServerProcess(home.url, { max: connections });
    const overHttp = [];
    const alone = [];
    const inProcess = [];
    let answered = 0;
    for (let round = -1; round < rounds; round++) {
      const over = await drive({
        port: server.port,
        path: "/v1/search",
        connections,
        seconds,
        bodyOf: (n) => JSON.stringify({ query: asked[n % asked.length].words }),
        key: (n) => asked[n % asked.length].key,
      });
      if (over.refused > 0) throw new Error(`refused: ${over.last}`);
      answered += over.done;
      const load = { questions: asked, seconds, connections };
      const statements = await server.ask({ statements: load });
      const search = await server.ask({ search: load });
      if (round < 0) continue;
      overHttp.push(over.perSecond);
      alone.push(statements.perSecond);
      inProcess.push(search.perSecond);
    }
    say(`in process, ranked: ${Math.round(spread(inProcess).p50)} searches/s, N ${rounds}`);
    const { rows } = await home.database.system.query({
      text: "select count(*)::int as n from audit_log where action = 'observation.read'",
    });
    return [
      ratioFigure({
        name: "POST /v1/search with key, scope and audit",
        unit: "searches/s",
        ours: { label: "over HTTP", ...spread(overHttp) },
        floor: { label: "its statements alone, same pool", ...spread(alone) },
        target: ">= 0.85",
      }),
      boundFigure({
        name: "audit rows for each answered read",
        unit: "rows",
        // A connection may have one answer on its way when the time is up.
        value: Math.abs(rows[0].n - answered) <= connections * (rounds + 1) ? 1 : rows[0].n / answered,
        n: answered,
        target: "= 1",
      }),
    ];
  } finally {
    await server?.stop();
    await home.remove();
  }
}

async function fill(product, database) {
  const random = createRandom(1);
  const asked = [];
  for (let project = 0; project < projects; project++) {
    const scope = await makeProject(product, database, `team ${project}`, "app");
    const key = await addKey(product, database, scope);
    for (let done = 0; done < records / projects; done += 50) {
      const session_id = await makeSession(product, database, scope, `session ${done}`);
      const rows = Array.from({ length: 50 }, () =>
        observationOf(product, scope, {
          session_id,
          title: text(random, 7),
          summary: text(random, 14),
          narrative: text(random, 90),
          facts: [text(random, 8), text(random, 8)],
          files_modified: [`/home/user/src/${text(random, 1)}/${text(random, 1)}.ts`],
        }),
      );
      await product.insertObservations(database.system, rows);
    }
    for (let n = 0; n < 10; n++) {
      const words = Array.from({ length: 5 }, () => word(20 + Math.floor(2_000 * random() ** 2))).join(" ");
      asked.push({ scope, key, words });
    }
  }
  await database.owner.query("vacuum analyze");
  return asked;
}
