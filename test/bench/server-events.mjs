// Ingest of the hosted server: events acknowledged over HTTP with their jobs, against bare pooled inserts of the same
// row, both with the durability that PostgreSQL has by default; and that every acknowledged one is stored once.
import pg from "pg";
import { eventBody, sessions } from "./event-load.mjs";
import { ingestModules, load, poolSize, startHttpProcess } from "./http-process.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { makeProject, makeSession, startBenchPostgres } from "./server-home.mjs";

const connections = 50;
const rounds = 8;
const seconds = 1;

export async function run({ say }) {
  const product = await ingestModules();
  // Later settings win: here the disk is waited for.
  const postgres = await startBenchPostgres(product, { settings: ["fsync=on"] });
  try {
    const scope = await makeProject(product, postgres.database, "bench", "events");
    const key = product.freshKey(
      { ...scope, scopes: ["memories:write"] },
      { label: "", expiresInDays: 1, now: Date.now() },
    );
    await product.insertKey(postgres.database.system, { ...key, parent_id: null });
    const server = await startHttpProcess(postgres.url);
    try {
      return await takeFigures({ product, postgres, scope, server, apiKey: key.apiKey, say });
    } finally {
      server.stop();
    }
  } finally {
    await postgres.remove();
  }
}

async function takeFigures({ product, postgres, scope, server, apiKey, say }) {
  const bare = await bareInserts({ product, postgres, scope });
  const http = (prefix, query = "") =>
    load({ port: server.port, apiKey, connections, seconds, prefix, query });
  const sides = { bare: [], http: [], without: [] };
  await http("warm-up");
  await bare.load(1);
  // As autovacuum does within its first minute: until then foreign keys to the sessions are checked by reading all of them.
  await postgres.database.owner.query("analyze");
  let acknowledged = 0;
  for (let round = 0; round < rounds; round++) {
    sides.bare.push(await bare.load(seconds));
    const ours = await http(`round-${round}`);
    acknowledged += ours.acknowledged;
    sides.http.push(ours);
    sides.without.push(await http(`none-${round}`, "?generate=false"));
    const [a, b, c] = ["bare", "http", "without"].map((side) => Math.round(sides[side].at(-1).perSecond));
    say(`round ${round + 1}: bare ${a}/s, events with jobs ${b}/s, without jobs ${c}/s`);
  }
  await bare.end();
  return [...ratios(sides), await lostFigure(postgres, acknowledged)];
}

function ratios({ bare, http, without }) {
  const rate = (runs) => spread(runs.map((run) => run.perSecond)).p50;
  const floor = {
    label: `bare inserts, pool ${poolSize}, ${connections} at once`,
    p50: rate(bare),
    n: bare.reduce((sum, { count }) => sum + count, 0),
  };
  const figure = (name, runs, target) =>
    ratioFigure({
      name: `POST /v1/events${name} / bare pooled insert of the same row`,
      unit: "per second",
      ours: {
        label: `events over HTTP, ${connections} connections`,
        p50: rate(runs),
        n: runs.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      },
      floor,
      target,
      note: `acknowledgement p50 ${spread(runs.map((run) => run.p50)).p50.toFixed(1)} ms, p99 ${spread(runs.map((run) => run.p99)).p50.toFixed(1)} ms; ${rounds} rounds of ${seconds} s`,
    });
  return [
    figure(", each with its session and its job", http, ">= 0.6"),
    figure("?generate=false", without, ">= 0.6"),
  ];
}

async function lostFigure({ database }, acknowledged) {
  const { rows } = await database.system.query({
    text: `select count(*)::int as events, count(j.id)::int as jobs
      from agent_events e
      left join generation_jobs j on j.source_id = e.id
      where e.payload->>'prefix' like 'round-%'`,
  });
  const [{ events, jobs }] = rows;
  return boundFigure({
    name: "acknowledged events that are not there once, with one job",
    unit: "events",
    value: Math.abs(acknowledged - events) + Math.abs(acknowledged - jobs),
    n: acknowledged,
    target: "= 0",
  });
}

async function bareInserts({ product, postgres, scope }) {
  const pool = new pg.Pool({ connectionString: postgres.url, max: poolSize, options: "-c search_path=mem" });
  const ids = [];
  for (let n = 0; n < sessions; n++) {
    ids.push(await makeSession(product, postgres.database, scope, `bare-${n}`));
  }
  const insert = (n) => {
    const { payload, metadata, occurredAtEpoch, ...event } = eventBody("bare", 0, n);
    return pool.query({
      name: "bare",
      text: `insert into agent_events (id, team_id, project_id, session_id, source_type, event_type,
          platform_source, payload, metadata, memory_epoch, occurred_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10)`,
      values: [
        product.newId(),
        scope.team_id,
        scope.project_id,
        ids[n % sessions],
        event.sourceType,
        event.eventType,
        event.platformSource,
        JSON.stringify(payload),
        JSON.stringify(metadata),
        new Date(occurredAtEpoch),
      ],
    });
  };
  return {
    end: () => pool.end(),
    async load(time) {
      const start = performance.now();
      let count = 0;
      const client = async () => {
        while (performance.now() - start < time * 1_000) await insert(count++);
      };
      await Promise.all(Array.from({ length: connections }, client));
      return { count, perSecond: (count * 1_000) / (performance.now() - start) };
    },
  };
}
