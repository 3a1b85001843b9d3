// Live stream: how soon 200 clients have an event, against a bare Node SSE server in the same run; and the memory that 64
// clients cost that never read.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { ask, benchHome, memoryOf, own, startWorker } from "./worker.mjs";

const clients = 200;
const events = 1_000;
const rounds = 5;
const pausedReaders = 64;
const largeEvents = 300;

export async function run({ say }) {
  return [await delivery(say), ...(await paused(say))];
}

async function delivery(say) {
  const servers = {
    bare: await start("bare-stream", bareServer),
    ours: await start("product-stream", productServer),
  };
  const taken = { bare: [], ours: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? ["bare", "ours"] : ["ours", "bare"];
      for (const side of order) taken[side].push(await deliver(servers[side]));
      const of = (side) =>
        `${side} p50 ${taken[side].at(-1).p50.toFixed(1)}, p99 ${taken[side].at(-1).p99.toFixed(1)} ms`;
      say(`round ${round + 1}: ${of("ours")}; ${of("bare")}`);
    }
  } finally {
    for (const server of Object.values(servers)) server.stop();
  }
  const p99 = (side) => spread(taken[side].map((one) => one.p99)).p50;
  return ratioFigure({
    name: `event to ${clients} SSE clients, p99 / bare Node SSE server`,
    unit: "ms",
    ours: { label: "the worker's stream", p50: p99("ours"), n: rounds * events },
    floor: { label: "node:http, one write a client", p50: p99("bare"), n: rounds * events },
    target: "<= 2",
    note: `100 events a second; median of ${rounds} rounds, each over ${clients * events} deliveries`,
  });
}

/** One round: opens the clients, has the server publish, and gives the times of all deliveries. */
async function deliver(server) {
  const options = JSON.stringify({ port: server.port, clients, events });
  const file = fileURLToPath(new URL("stream-clients.mjs", import.meta.url));
  const readers = own(spawn(process.execPath, [file, options], { stdio: ["ignore", "pipe", "inherit"] }));
  const lines = linesOf(readers.stdout);
  await lines.next();
  // The last `initial_load`, which goes to all, comes within a second.
  await sleep(1_500);
  server.publish();
  return JSON.parse((await lines.next()).value);
}

async function* linesOf(stream) {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop();
    yield* lines;
  }
}

/** Publishes at 100 events a second, each with the time of its publication, whenever a line comes. */
const publisher = `
  const observation = {
    id: 1, sdk_session_id: "sdk-1", project: "shop", obs_type: "bugfix", subtitle: "The redirect keeps its query.",
    summary: "x".repeat(300), narrative: "y".repeat(600), facts: "[]", concepts: "[]", files_touched: "[]",
    created_at_epoch: 1760000000000, prompt_number: 1,
  };
  process.stdin.on("data", () => {
    let left = ${events};
    const timer = setInterval(() => {
      publish({ type: "observation_created", observation: { ...observation, title: "sent " + (performance.timeOrigin + performance.now()) } });
      if (--left === 0) clearInterval(timer);
    }, 10);
  });`;

const productServer = `
  import fastify from "fastify";
  import { createStreamHub, streamRoutes } from "./src/http/api/stream.ts";
  import { createRequestGuard } from "./src/http/plugins/request-guard.ts";
  import { installZod, withoutAjv } from "./src/http/plugins/zod.ts";
  const hub = createStreamHub({
    clock: { now: Date.now, monotonicMs: () => performance.now() },
    snapshot: () => ({ projects: ["shop"], isProcessing: false, queueDepth: 0, paused: null }),
    projectNamed: (label) => label,
  });
  const app = fastify({ schemaController: withoutAjv });
  const guard = createRequestGuard({ address: () => ({ host: "127.0.0.1", port: app.server.address().port }), isPipe: () => false });
  app.addHook("onRequest", (request, reply, done) => done(guard(request, reply)));
  installZod(app);
  streamRoutes(app, hub);
  const publish = (event) => hub.publish(event);
  ${publisher}
  await app.listen({ host: "127.0.0.1", port: 0 });
  console.log(app.server.address().port);`;

const bareServer = `
  import { createServer } from "node:http";
  const clients = new Set();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: {}\\n\\n");
    clients.add(response);
    response.on("close", () => clients.delete(response));
  });
  const publish = (event) => {
    const frame = "data: " + JSON.stringify(event) + "\\n\\n";
    for (const client of clients) client.write(frame);
  };
  ${publisher}
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

async function start(name, code) {
  const child = own(
    spawn(process.execPath, [await bundle(name, code)], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const port = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(Number(line)));
    child.once("exit", () => reject(new Error(`${name} ended`)));
  });
  return { port, publish: () => child.stdin.write("go\n"), stop: () => child.kill("SIGKILL") };
}

/** Two workers get the same events of 100 kB; one has clients that never read. */
async function paused(say) {
  if (process.platform !== "linux") throw new Error("resident memory is read from /proc: Linux only");
  const sides = {};
  for (const readers of [0, pausedReaders]) {
    const home = benchHome();
    const worker = await startWorker(home);
    const sockets = Array.from({ length: readers }, () => pausedReader(worker.port));
    const streams = async () => JSON.parse((await ask(worker.port, "/api/stats")).text).worker.sseClients;
    while ((await streams()) < readers) await sleep(50);
    let peak = 0;
    for (let n = 0; n < largeEvents; n++) {
      const narrative = `event ${n} ${"the parser keeps its state and commits the batch; ".repeat(2_000)}`;
      const body = { claudeSessionId: "bench", title: `event ${n}`, type: "discovery", narrative };
      const { status } = await ask(worker.port, "/observations", { method: "POST", body });
      if (status !== 201) throw new Error(`an observation was answered with ${status}`);
      if (n % 10 === 0) peak = Math.max(peak, memoryOf(worker.pid).rss);
    }
    const sseClients = await streams();
    sides[readers] = { peak, sseClients };
    say(`${readers} paused readers: peak ${peak.toFixed(0)} MiB, ${sseClients} left`);
    for (const socket of sockets) socket.destroy();
    await worker.kill();
    home.remove();
  }
  return [
    boundFigure({
      name: `memory of ${pausedReaders} SSE clients that never read`,
      unit: "MiB",
      value: Math.max(0, sides[pausedReaders].peak - sides[0].peak),
      n: largeEvents,
      target: "<= 100",
      note: `peak RSS over ${largeEvents} events of 100 kB, less the peak of a worker without clients`,
    }),
    boundFigure({
      name: "clients that never read and are still connected",
      unit: "clients",
      value: sides[pausedReaders].sseClients,
      n: pausedReaders,
      target: "= 0",
    }),
  ];
}

function pausedReader(port) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(`GET /stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  return socket;
}
