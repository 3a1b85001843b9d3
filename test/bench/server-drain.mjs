// How fast one generating process works off events without a session, against the same events with sessions, by `local`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { importBundle } from "./bundle.mjs";
import { eventBody, sessions } from "./event-load.mjs";
import { ingestModules } from "./http-process.mjs";
import { ratioFigure, spread } from "./measure.mjs";
import { makeProject, makeSession, startBenchPostgres } from "./server-home.mjs";

const events = 1_500;
const rounds = 4;

export async function run({ say }) {
  const product = { ...(await ingestModules()), ...(await generationModules()) };
  const postgres = await startBenchPostgres(product);
  const dataDir = mkdtempSync(join(tmpdir(), "mem-bench-drain-"));
  try {
    const rates = { with: [], without: [] };
    for (let round = -1; round < rounds; round++) {
      for (const side of round % 2 === 0 ? ["with", "without"] : ["without", "with"]) {
        const perSecond = await drain({ product, postgres, dataDir, name: `${side} ${round}`, side });
        if (round >= 0) rates[side].push(perSecond);
      }
      if (round < 0) continue;
      const [a, b] = ["with", "without"].map((side) => Math.round(rates[side].at(-1)));
      say(`round ${round + 1}: with sessions ${a}/s, without ${b}/s`);
    }
    return [figure(rates)];
  } finally {
    await postgres.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function generationModules() {
  return importBundle(
    "server-generation",
    `export { createHostedGeneration } from "./src/server/generation/generation.ts";
     export { createStderrLog } from "./src/core/log.ts";
     export { systemClock } from "./src/core/clock.ts";
     export { loadSettings } from "./src/settings/load.ts";
     export { loadServerSettings } from "./src/settings/server.ts";`,
  );
}

function figure(rates) {
  const side = (label, runs) => ({ label, p50: spread(runs).p50, n: runs.length * events });
  return ratioFigure({
    name: "Hosted drain of events without a session / the same with sessions",
    unit: "events per second",
    ours: side("without a session, one project", rates.without),
    floor: side(`in ${sessions} sessions of one project`, rates.with),
    target: ">= 0.7",
    note: `${rounds} rounds of ${events} events each, provider local`,
  });
}

async function drain({ product, postgres, dataDir, name, side }) {
  const scope = await makeProject(product, postgres.database, name, "drain");
  await fill({ product, database: postgres.database, scope, withSessions: side === "with" });
  const own = postgres.open();
  const env = { MEM_PROVIDER: "local" };
  const generation = product.createHostedGeneration({
    database: own,
    settings: product.loadSettings({ dataDir, env }),
    server: product.loadServerSettings(env),
    env,
    log: product.createStderrLog("SILENT").log,
    clock: product.systemClock,
  });
  const start = performance.now();
  await generation.start();
  while (!(await isDone(postgres.database, scope))) await delay(20);
  const perSecond = (events * 1_000) / (performance.now() - start);
  await generation.stop();
  await own.close();
  return perSecond;
}

async function isDone({ system }, { team_id }) {
  const { rows } = await system.query({
    text: "select not exists (select from generation_jobs where team_id = $1 and status <> 'completed') as done",
    values: [team_id],
  });
  return rows[0].done;
}

async function fill({ product, database, scope, withSessions }) {
  const ids = [];
  for (let n = 0; withSessions && n < sessions; n++) {
    ids.push(await makeSession(product, database, scope, `drain-${n}`));
  }
  const rows = Array.from({ length: events }, (_, n) => ({
    event: product.newId(),
    job: product.newId(),
    session: ids[n % sessions] ?? null,
    payload: eventBody("drain", n % sessions, n).payload,
  }));
  await database.system.query({
    text: `with given as (
        select * from jsonb_to_recordset($3::jsonb) as r (event uuid, job uuid, session uuid, payload jsonb)),
      stored as (
        insert into agent_events
          (id, team_id, project_id, session_id, source_type, event_type, payload, memory_epoch, occurred_at)
        select event, $1, $2, session, 'hook', 'tool_use', payload, 1, now() from given)
      insert into generation_jobs (id, team_id, project_id, session_id, source_type, source_id, memory_epoch)
      select job, $1, $2, session, 'agent_event', event, 1 from given`,
    values: [scope.team_id, scope.project_id, JSON.stringify(rows)],
  });
}
