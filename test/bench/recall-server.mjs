// The hosted server of a bench, as a separate process: serves with keys, and on request does the same work without HTTP.
// `node recall-server.mjs '{"url","max"}'`; it talks over its IPC channel.
import Fastify from "fastify";
import { serverModules } from "./server-home.mjs";

const { url, max } = JSON.parse(process.argv[2]);
const product = await serverModules();
const database = product.openDatabase({ url, max, onConnectionLost: () => undefined });
let port = 0;
const server = product.buildServer({
  database,
  role: "http",
  settings: product.loadServerSettings({ MEM_AUTH_MODE: "api-key" }),
  log: product.createStderrLog("SILENT").log,
  clock: product.systemClock,
  address: () => ({ host: "127.0.0.1", port }),
});
await server.ready();
port = Number(new URL(await server.app.listen({ host: "127.0.0.1", port: 0 })).port);

// What a route costs that only reads JSON and writes as much as `answer` is long.
let answer = "";
const bare = Fastify();
bare.post("/bare", (_request, reply) => reply.type("application/json; charset=utf-8").send(answer));
const barePort = Number(new URL(await bare.listen({ host: "127.0.0.1", port: 0 })).port);

// The MCP endpoint with its checks and keys over records in memory: the way to a tool and back, without a database.
let records = [];
const { authenticate } = product.createAuthentication({
  keys: product.createKeyLookup(database),
  clock: product.systemClock,
  failuresPerMinute: 0,
});
const inMemory = Fastify({ schemaController: product.withoutAjv });
product.installHostCheck(inMemory, { is: "keys" });
product.installAuthentication(inMemory, { authenticate, guards: [], clientAddress: () => "127.0.0.1" });
product.installZod(inMemory);
product.installJsonBody(inMemory);
product.installErrors(inMemory);
product.mcpRoutes(inMemory, {
  version: "bench",
  publicUrl: "",
  isLocal: () => true,
  tools: product.recallTools({
    exists: async () => true,
    search: async () => ({ found: records, notes: [] }),
    notes: () => [],
    recent: async () => records,
    contextOf: () => "a context of some words",
    passedOn: async () => "a context of some words",
    recordRead: async () => undefined,
  }),
});
const memoryPort = Number(new URL(await inMemory.listen({ host: "127.0.0.1", port: 0 })).port);

const filter = { kind: null, obs_type: null, platform_source: null };

// The statements of a search, in its transaction, and nothing around them.
async function statements({ scope, words }) {
  const codes = product.askedTerms(words).map(({ term }) => product.codeOf(term));
  await product.inTenant(database.app, scope, async (connection) => {
    const request = { codes, population: 1_000, filter, most: 60 };
    const { hits } = await product.findCandidates(connection, scope, request);
    const seqs = hits.slice(0, 20).map(({ id }) => id);
    await product.observationsBySeq(connection, scope, seqs);
  });
}

// The search itself: the statements, and the ranking between them.
const search = product.createProjectSearch(product.systemClock);
function ranked({ scope, words }) {
  return product.inTenant(database.app, scope, (connection) =>
    search.search(connection, scope, { words, filter, limit: 20 }),
  );
}

async function run(work, { questions, seconds, connections }) {
  const end = performance.now() + seconds * 1000;
  const start = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      for (let n = index; performance.now() < end; n += connections) {
        await work(questions[n % questions.length]);
        done++;
      }
    }),
  );
  return done / ((performance.now() - start) / 1000);
}

process.on("message", async (message) => {
  if (message.answer !== undefined) answer = message.answer;
  if (message.records !== undefined) records = message.records;
  const perSecond =
    (message.statements && (await run(statements, message.statements))) ??
    (message.search && (await run(ranked, message.search)));
  process.send({ perSecond });
});
process.on("disconnect", () => process.exit(0));
process.send({ port, barePort, memoryPort });
