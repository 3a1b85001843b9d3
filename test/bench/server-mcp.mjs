// `tools/call` of the hosted server's MCP endpoint against a bare fastify route in the same process that reads a JSON body
// and answers with as many bytes: `npm run bench -- server-mcp`. With its checks and its key, over records in memory: what
// is measured is the protocol. What a call takes with database and audit is said beside it.
import { ratioFigure, spread } from "./measure.mjs";
import { drive, startServerProcess } from "./recall-load.mjs";
import { addKey, makeProject, observationOf, serverModules, startBenchPostgres } from "./server-home.mjs";

const connections = 10;
const seconds = 2;
const rounds = 5;

export async function run({ say }) {
  const product = await serverModules();
  const home = await startBenchPostgres(product);
  let server;
  try {
    const scope = await makeProject(product, home.database, "team", "app");
    const key = await addKey(product, home.database, scope);
    const rows = Array.from({ length: 20 }, (_, n) =>
      observationOf(product, scope, { title: `Record ${n}`, narrative: `the retry of upload ${n} waits` }),
    );
    await product.insertObservations(home.database.system, rows);
    server = await startServerProcess(home.url, { max: connections });
    const call = (port, path) => (message) =>
      drive({ port, path, connections, seconds, bodyOf: (n) => JSON.stringify(message(n)), key: () => key });
    const memory = call(server.memoryPort, "/v1/mcp");
    const mcp = call(server.port, "/v1/mcp");
    const bare = call(server.barePort, "/bare");
    const figures = [];
    for (const count of [5, 20]) {
      const message = (id) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "search", arguments: { query: "how long does a retry wait", limit: count } },
      });
      await server.ask({ records: Array.from({ length: count }, (_, n) => recordOf(scope, n)) });
      const { last } = await memory(message);
      await server.ask({ answer: String(last) });
      const ours = [];
      const floor = [];
      const whole = [];
      for (let round = 0; round < rounds; round++) {
        ours.push(demandAnswered(await memory(message)));
        floor.push(demandAnswered(await bare(message)));
        whole.push(demandAnswered(await mcp(message)));
      }
      say(`${count} records, with database and audit: ${Math.round(spread(whole).p50)} calls/s, N ${rounds}`);
      figures.push(
        ratioFigure({
          name: `tools/call, ${last.length.toLocaleString("en")} bytes`,
          unit: "calls/s",
          ours: { label: "/v1/mcp over records in memory", ...spread(ours) },
          floor: { label: "bare fastify POST of the same size", ...spread(floor) },
          target: ">= 0.2",
        }),
      );
    }
    return figures;
  } finally {
    await server?.stop();
    await home.remove();
  }
}

function recordOf({ team_id, project_id }, n) {
  const texts = { title: `Record ${n}`, content: `the retry of upload ${n} waits twice as long each time` };
  const lists = { facts: [], concepts: [], files_read: [], files_modified: [`src/upload-${n}.ts`] };
  const kinds = {
    kind: "observation",
    obs_type: "bugfix",
    provenance: "agent",
    metadata: {},
    session_id: null,
  };
  const times = { created_at_epoch: 1_790_000_000_000 + n, updated_at_epoch: 1_790_000_000_000 + n };
  return {
    id: `00000000-0000-4000-8000-${100_000_000_000 + n}`,
    team_id,
    project_id,
    ...texts,
    ...lists,
    ...kinds,
    ...times,
  };
}

function demandAnswered({ perSecond, refused, last }) {
  if (refused > 0) throw new Error(`refused: ${last}`);
  return perSecond;
}
