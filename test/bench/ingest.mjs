// Ingest: acknowledged and committed observations per second at 32 connections with FULL durability, against a bare
// fastify POST of the same schema; how soon they are searchable; and that a kill loses none of them.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { Database } from "./sqlite.mjs";
import { ask, benchHome, own, startWorker } from "./worker.mjs";

const connections = 32;
const rounds = 3;
const seconds = 5;
const pacedPerSecond = 200;

export async function run({ say }) {
  const home = benchHome();
  let worker = await startWorker(home);
  const bare = await startBareServer(home.env);
  const acknowledged = new Map();
  try {
    const sides = { bare: [], worker: [] };
    for (let round = 0; round < rounds; round++) {
      sides.bare.push(await load({ port: bare.port, prefix: `bare-${round}` }));
      const ours = await load({ port: worker.port, prefix: `round-${round}` });
      sides.worker.push(ours);
      acknowledged.set(`round-${round}`, ours.acknowledged);
      say(
        `round ${round + 1}: ${Math.round(ours.perSecond)}/s, bare ${Math.round(sides.bare.at(-1).perSecond)}/s`,
      );
      const drained = await drain(worker.port);
      say(`  its observations were made ${Math.round(drained)} ms after the burst`);
    }
    const paced = await searchableUnderLoad(worker.port);
    const burst = load({ port: worker.port, prefix: "killed" });
    await sleep((seconds * 1000) / 2);
    await worker.kill();
    acknowledged.set("killed", (await burst).acknowledged);
    worker = await startWorker(home);
    return [...throughput(sides), searchable(paced), lostFigure(home, acknowledged)];
  } finally {
    bare.stop();
    await worker.kill();
    home.remove();
  }
}

function throughput({ bare, worker }) {
  const rate = (runs) => spread(runs.map((run) => run.perSecond));
  const ack = worker.map((run) => run.p99);
  return [
    ratioFigure({
      name: "acknowledged and committed observations / bare fastify POST of the same schema",
      unit: "per second",
      ours: { label: `worker, ${connections} connections, FULL`, p50: rate(worker).p50, n: rounds },
      floor: { label: "bare fastify, the same zod schema", p50: rate(bare).p50, n: rounds },
      target: ">= 0.35",
      note: `acknowledgement p99 ${spread(ack).p50.toFixed(1)} ms; ${seconds} s a round`,
    }),
  ];
}

function searchable(times) {
  const { p50, p95, n } = spread(times);
  return boundFigure({
    name: `acknowledged to searchable, p95, at ${pacedPerSecond} observations per second`,
    unit: "ms",
    value: p95,
    n,
    target: "<= 250",
    note: `p50 ${p50.toFixed(0)} ms`,
  });
}

// Everything acknowledged must be there after the kill: per connection the numbers below its count.
function lostFigure(home, acknowledged) {
  const db = new Database(join(home.dataDir, "mem.db"), { readonly: true });
  const stored = new Set(db.prepare("select event_key from raw_events").pluck().all());
  db.close();
  let count = 0;
  let lost = 0;
  for (const [prefix, connections_] of acknowledged) {
    for (const [index, acked] of connections_.entries()) {
      for (let n = 0; n < acked; n++, count++) if (!stored.has(`${prefix}-${index}-${n}`)) lost++;
    }
  }
  return boundFigure({
    name: "acknowledged observations missing after kill -9",
    unit: "rows",
    value: lost,
    n: count,
    target: "= 0",
  });
}

async function searchableUnderLoad(port) {
  const background = load({ port, prefix: "paced", rate: pacedPerSecond, time: 15 });
  await sleep(1_000);
  const times = [];
  for (let n = 0; n < 40; n++) {
    const word = `probe${n.toString(36)}x${process.pid.toString(36)}`;
    const body = {
      claudeSessionId: "probe",
      tool_name: "Write",
      tool_input: { file_path: `/home/user/app/${word}.ts`, content: word },
    };
    const { status } = await ask(port, "/api/sessions/observations", { method: "POST", body });
    if (status !== 200) throw new Error(`a probe was answered with ${status}`);
    const since = performance.now();
    while (!(await isFound(port, word)))
      if (performance.now() - since > 20_000) throw new Error(`${word} is never found`);
    times.push(performance.now() - since);
    await sleep(200);
  }
  await background;
  return times;
}

async function isFound(port, word) {
  const { text } = await ask(port, `/api/search?query=${word}&type=observations`);
  return JSON.parse(text).observations.length > 0;
}

/** Milliseconds until nothing waits any more. */
async function drain(port) {
  const since = performance.now();
  while (JSON.parse((await ask(port, "/api/processing-status")).text).queueDepth > 0) {
    if (performance.now() - since > 300_000) throw new Error("the queue does not drain");
    await sleep(20);
  }
  return performance.now() - since;
}

function load({ port, prefix, rate, time = seconds }) {
  const options = JSON.stringify({ port, connections, seconds: time, prefix, ...(rate ? { rate } : {}) });
  const child = own(
    spawn(process.execPath, [fileURLToPath(new URL("load.mjs", import.meta.url)), options], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      code === 0 ? resolve(JSON.parse(printed)) : reject(new Error(`the load ended with ${code}`)),
    );
  });
}

async function startBareServer(env) {
  const file = await bundle(
    "bare-server",
    `import fastify from "fastify";
     import { installZod, withoutAjv } from "./src/http/plugins/zod.ts";
     import { observeBody } from "./src/http/schemas/session.ts";
     const app = fastify({ schemaController: withoutAjv });
     installZod(app);
     app.post("/api/sessions/observations", { schema: { body: observeBody } }, async () => ({ status: "queued" }));
     await app.listen({ host: "127.0.0.1", port: 0 });
     console.log(app.server.address().port);`,
  );
  const child = own(spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] }));
  const port = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(Number(line)));
    child.once("exit", () => reject(new Error("the bare server ended")));
  });
  return { port, stop: () => child.kill("SIGKILL") };
}
