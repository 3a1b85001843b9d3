// Trial of the hosted server's search by meaning on a PostgreSQL with pgvector, which npm does not bring: real processes
// of the server, a scripted embedder on loopback, a temporary database. Not run by `npm test`:
// MEM_DATABASE_URL=postgresql://user@host/postgres node test/trials/pgvector.mjs [--sizes=1000,10000,50000] [--dimension=768]
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { importBundle } from "../bench/bundle.mjs";

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,10000,50000" },
    dimension: { type: "string", default: "768" },
  },
});
const given = process.env.MEM_DATABASE_URL;
if (given === undefined) throw new Error("MEM_DATABASE_URL names no PostgreSQL");
const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "mem-trial-"));
const name = `mem_trial_${process.pid}`;
const url = new URL(given);
url.pathname = `/${name}`;
const faults = [];
const children = new Set();

function hold(what, isHeld, detail = "") {
  console.log(`${isHeld ? "  held" : "BROKEN"}  ${what}${detail === "" ? "" : `: ${detail}`}`);
  if (!isHeld) faults.push(what);
}

// Words of one topic stand for the same: record and question share the topic and no word.
const topics = 200;
const width = 256;

function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function direction(seed, length) {
  const next = random(seed);
  return Array.from({ length }, () => next() + next() + next() - 1.5);
}

function embeddingOf(text) {
  const sum = new Array(width).fill(0.001);
  for (const [, topic] of text.matchAll(/\b[a-z]{3}(\d{3})\b/g)) {
    const own = direction(Number(topic), width);
    for (let at = 0; at < width; at++) sum[at] += own[at];
  }
  const noise = direction(text.length * 7_919 + text.charCodeAt(0), width);
  return sum.map((each, at) => each + 0.2 * noise[at]);
}

async function startEmbedder() {
  const seen = { documents: new Map(), isDown: false };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { input } = JSON.parse(body);
    if (seen.isDown) return response.writeHead(503).end("{}");
    for (const text of input) seen.documents.set(text, (seen.documents.get(text) ?? 0) + 1);
    const data = input.map((text, index) => ({ index, embedding: embeddingOf(text) }));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { seen, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

function environment(embedder, more = {}) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    MEM_PROVIDER: "local",
    MEM_DATABASE_URL: url.href,
    MEM_AUTH_MODE: "api-key",
    MEM_EMBEDDER: "http",
    MEM_EMBEDDING_BASE_URL: embedder.url,
    MEM_EMBEDDING_MODEL: "topics",
    ...more,
  };
}

function mem(env, ...args) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`mem ${args.join(" ")}: ${stderr}${stdout}`);
  return stdout;
}

async function startServer(env, role) {
  const child = spawn(process.execPath, [bin, "server", "--role", role, "--port", "0"], { env });
  children.add(child);
  child.on("exit", () => children.delete(child));
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  child.stderr.on("data", (text) => (said += text));
  for (let turn = 0; turn < 600; turn++) {
    const [, at] = /answers at (http:\S+)/.exec(said) ?? [];
    if (at !== undefined) return { at, said: () => said, child };
    await sleep(50);
  }
  throw new Error(`the server did not start: ${said}`);
}

async function until(what, holds) {
  for (let turn = 0; turn < 1_200; turn++) {
    const found = await holds();
    if (found) return found;
    await sleep(100);
  }
  throw new Error(`waited in vain: ${what}`);
}

async function ask(at, apiKey, path, body, method = body === undefined ? "GET" : "POST") {
  const answer = await fetch(`${at}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const code = (prefix, topic) => `${prefix}${String(topic).padStart(3, "0")}`;
const kinds = ["abc", "def", "ghi", "jkl"];

async function serveAndFind(admin) {
  const embedder = await startEmbedder();
  const env = environment(embedder);
  const keyOf = (team) =>
    JSON.parse(
      mem(
        env,
        "keys",
        "create",
        "--team",
        team,
        "--project",
        "app",
        "--scope",
        "memories:read",
        "--scope",
        "memories:write",
        "--json",
      ),
    );
  mem(env, "server", "migrate");
  const ours = keyOf("ours");
  const theirs = keyOf("theirs");
  const servers = [
    await startServer(env, "all"),
    await startServer(env, "generate"),
    await startServer(env, "http"),
  ];
  hold(
    "each process says that vectors are on",
    servers.every(({ said }) => said().includes("vectors: on")),
  );
  const [{ at }, , { at: other }] = servers;
  for (let topic = 0; topic < topics; topic++) {
    for (const kind of kinds) {
      const words = `${code(kind, topic)} was changed because of ${code(kind, topic)}`;
      const { status } = await ask(at, ours.api_key, "/v1/memories", {
        content: words,
        title: `${kind} ${topic}`,
      });
      if (status !== 201) throw new Error(`not stored: ${status}`);
    }
  }
  const state = () => JSON.parse(mem(env, "server", "status", "--json")).vectors;
  await until("every record has its vector", () => state().state === "ready");
  hold("status counts them", state().done === topics * kinds.length, JSON.stringify(state()));
  const twice = [...embedder.seen.documents.values()].filter((times) => times > 1).length;
  hold(
    "two processes that embed do nothing twice",
    twice === 0,
    `${twice} of ${topics * kinds.length} texts`,
  );
  let found = 0;
  for (let topic = 0; topic < topics; topic++) {
    const query = `why ${code("xyz", topic)}`;
    const { body } = await ask(other, ours.api_key, "/v1/search", { query, limit: 10 });
    const wanted = new Set(kinds.map((kind) => `${kind} ${topic}`));
    found += body.observations.filter(({ title }) => wanted.has(title)).length;
  }
  const recall = found / (topics * kinds.length);
  hold(
    "records that share no word with the question are found",
    recall > 0.9,
    `R@10 ${(100 * recall).toFixed(1)} of ${topics} questions`,
  );
  const foreign = await ask(at, theirs.api_key, "/v1/search", { query: "why xyz001" });
  hold("a foreign team sees nothing", foreign.body.observations.length === 0);
  embedder.seen.isDown = true;
  const down = await ask(at, ours.api_key, "/v1/search", { query: "what of abc002" });
  hold(
    "without the embedder words still find, and it is said",
    down.body.observations.length > 0 && down.body.notes?.length === 1,
  );
  embedder.seen.isDown = false;
  await ask(at, ours.api_key, `/v1/projects/${ours.project_id}/memory`, undefined, "DELETE");
  const { rows } = await admin.query("select count(*)::int as n from mem.observation_vectors");
  hold("a purge takes the vectors", rows[0].n === 0, `${rows[0].n} left`);
  for (const { child } of servers) child.kill("SIGTERM");
  await until("the servers end", () => children.size === 0);
  embedder.close();
}

async function measure() {
  const product = await importBundle(
    "pgvector-trial",
    `export { openDatabase } from "./src/store/postgres/open.ts";
     export { inTenant } from "./src/store/postgres/tenant.ts";
     export { newId } from "./src/core/ids.ts";
     export { systemClock } from "./src/core/clock.ts";
     export { createProjectSearch } from "./src/server/search/project-search.ts";
     export { ensureProject, ensureTeam } from "./src/store/postgres/teams.ts";
     export { insertObservations } from "./src/store/postgres/observations.ts";
     export { claimRecords, putVectors } from "./src/store/postgres/vector-work.ts";
     export { nearestRecords } from "./src/store/postgres/nearest.ts";
     export { prepareVectors } from "./src/store/postgres/vectors.ts";
     export { unitVector } from "./src/recall/vectors/int8.ts";`,
  );
  const database = product.openDatabase({ url: url.href, onConnectionLost: () => undefined });
  const { schema } = await product.prepareVectors(database.owner);
  const dimension = Number(options.dimension);
  const team_id = await product.ensureTeam(database.system, { id: product.newId(), name: "sizes" });
  for (const size of options.sizes.split(",").map(Number)) {
    const project_id = await product.ensureProject(database.system, {
      id: product.newId(),
      team_id,
      name: `${size}`,
    });
    const scope = { team_id, project_id };
    const stored = await fill(product, database, { scope, size, dimension, schema });
    await database.owner.query("vacuum analyze");
    await timeSearches(product, database, { scope, stored, dimension, schema });
  }
  await database.close();
}

const identity = { embedder: "http", model: "sizes" };
const anything = { kind: null, obs_type: null, platform_source: null };

// As models make them: most of a vector is the same for all texts, the rest tells them apart.
function madeUnit(product, seed, dimension) {
  const common = direction(1, dimension);
  return product.unitVector(Float32Array.from(direction(seed, dimension), (each, at) => each + common[at]));
}

async function fill(product, { system }, { scope, size, dimension, schema }) {
  const next = random(size);
  const word = () => `w${Math.floor(4_000 * next() ** 2)}`;
  const text = (count) => Array.from({ length: count }, word).join(" ");
  for (let from = 0; from < size; from += 500) {
    const rows = Array.from({ length: Math.min(500, size - from) }, () => ({
      ...{ id: product.newId(), ...scope, session_id: null, kind: "observation", obs_type: "discovery" },
      ...{
        title: text(6),
        subtitle: null,
        summary: text(12),
        narrative: text(60),
        facts: [text(8)],
        concepts: [],
      },
      ...{ files_read: [], files_modified: [], metadata: {}, generator: "local", provenance: "agent" },
      ...{ prompt_number: null, discovery_tokens: 0, generation_key: null, created_by_job_id: null },
      ...{ memory_epoch: "1", created_at_epoch: null, sources: [] },
    }));
    await product.insertObservations(system, rows);
  }
  const stored = [];
  const start = performance.now();
  let before = Number.MAX_SAFE_INTEGER;
  while (before !== null) {
    const claim = product.newId();
    const asked = { ...identity, claim, dimension, before, after: 0, window: 2_000, limit: 200 };
    const claimed = await product.claimRecords(system, scope, asked);
    const made = claimed.records.map(({ seq }) => ({ seq, vector: madeUnit(product, seq, dimension) }));
    await product.putVectors(system, scope, { claim, schema, made });
    stored.push(...made);
    before = claimed.next;
  }
  const each = (performance.now() - start) / size;
  console.log(`${size} records of ${dimension} dimensions: ${each.toFixed(2)} ms each to claim and store`);
  return stored;
}

async function timeSearches(product, { app }, { scope, stored, dimension, schema }) {
  const search = product.createProjectSearch(product.systemClock);
  const times = { words: [], both: [], nearest: [] };
  let kept = 0;
  const questions = 40;
  for (let question = -5; question < questions; question++) {
    const unit = madeUnit(product, 900_000_000 + question, dimension);
    const asked = { ...identity, schema, unit, limit: 100 };
    const near = async (connection, where, filter) =>
      (await product.nearestRecords(connection, where, { ...asked, filter })).map(
        ({ candidate, similarity }) => ({
          candidate,
          weighed: similarity,
        }),
      );
    const words = `w${question + 20} w${3 * question + 90} w${7 * question + 200}`;
    const base = { words, filter: anything, limit: 20 };
    const run = (more) =>
      timed(() =>
        product.inTenant(app, scope, (connection) => search.search(connection, scope, { ...base, ...more })),
      );
    const [wordsMs] = await run({});
    const [bothMs] = await run({ near });
    const [nearestMs, found] = await timed(() =>
      product.inTenant(app, scope, (connection) => near(connection, scope, anything)),
    );
    if (question < 0) continue;
    times.words.push(wordsMs);
    times.both.push(bothMs);
    times.nearest.push(nearestMs);
    const exact = stored
      .map(({ seq, vector }) => ({
        seq,
        similarity: vector.reduce((sum, each, at) => sum + each * unit[at], 0),
      }))
      .sort((left, right) => right.similarity - left.similarity)
      .slice(0, 100);
    const seqs = new Set(found.map(({ candidate }) => candidate.id));
    kept += exact.filter(({ seq }) => seqs.has(seq)).length / exact.length;
  }
  const line = Object.entries(times).map(([what, all]) => {
    const sorted = all.sort((left, right) => left - right);
    return `${what} ${sorted[questions / 2].toFixed(1)} (p95 ${sorted[Math.floor(questions * 0.95)].toFixed(1)}) ms`;
  });
  console.log(
    `${stored.length} records: ${line.join(", ")}; of the exact 100 nearest ${((100 * kept) / questions).toFixed(1)} %, N=${questions}`,
  );
}

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

const admin = new pg.Client({ connectionString: given });
await admin.connect();
await admin.query(`create database ${name}`);
const inside = new pg.Client({ connectionString: url.href });
await inside.connect();
try {
  await serveAndFind(inside);
  await measure();
} finally {
  for (const child of children) child.kill("SIGKILL");
  await inside.end();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
  rmSync(home, { recursive: true, force: true });
}
console.log(faults.length === 0 ? "everything held" : `BROKEN: ${faults.join("; ")}`);
process.exitCode = faults.length === 0 ? 0 : 1;
