// One tenant's search among many: `npm run bench -- server-scale [--size 1000000]`, 1,000 tenants of falling size whose
// records come in mixed. A tenant of the middle is searched here and in a separate database with the same records;
// the largest also with PostgreSQL's own ranking over a tsvector in the main table, which holds that project alone.
import { createRandom, text, word } from "./dataset.mjs";
import { interleave, ratioFigure } from "./measure.mjs";
import { makeProject, observationOf, serverModules, startBenchPostgres } from "./server-home.mjs";

const tenants = 1_000;
const middle = 100;
const batch = 500;
const limit = 20;

export async function run({ say, size = 50_000 }) {
  const product = await serverModules();
  // What a database of this size is given; both have the same.
  const settings = ["shared_buffers=512MB", "maintenance_work_mem=512MB", "max_wal_size=4GB"];
  const crowded = await startBenchPostgres(product, { settings });
  const alone = await startBenchPostgres(product, { settings });
  try {
    const scopes = await makeTenants(product, crowded.database);
    const own = await makeProject(product, alone.database, "alone", "p");
    await fill({ product, crowded, alone, scopes, own, size, say });
    await makePlain(crowded.database, scopes[0]);
    const search = searcher(product);
    const random = createRandom(7);
    const ask = (home, scope) => () => timed(() => search(home.database, scope, questionOf(random)));
    const among = await interleave(
      { crowded: ask(crowded, scopes[middle]), alone: ask(alone, own) },
      { rounds: 300, warmup: 30 },
    );
    const largest = await interleave(
      {
        ours: ask(crowded, scopes[0]),
        plain: () => timed(() => plainSearch(product, crowded.database, scopes[0], questionOf(random))),
      },
      { rounds: 150, warmup: 10 },
    );
    return [
      ratioFigure({
        name: `search of one tenant among ${tenants.toLocaleString("en")} (${size.toLocaleString("en")} records)`,
        unit: "ms",
        by: "p95",
        ours: { label: "among all", ...among.crowded },
        floor: { label: "alone in the database", ...among.alone },
        target: "<= 2",
      }),
      ratioFigure({
        name: "search of the largest project",
        unit: "ms",
        by: "p95",
        ours: { label: "ours", ...largest.ours },
        floor: { label: "ts_rank_cd on the main table", ...largest.plain },
        target: "<= 0.25",
      }),
    ];
  } finally {
    await crowded.remove();
    await alone.remove();
  }
}

async function makeTenants(product, database) {
  const scopes = [];
  for (let rank = 0; rank < tenants; rank++) {
    scopes.push(await makeProject(product, database, `tenant ${rank}`, "p"));
  }
  return scopes;
}

// Sizes fall off as in dataset.mjs: the largest tenant has about 7 % of all.
const weights = Array.from({ length: tenants }, (_, rank) => 1 / (rank + 2.2));
const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
const reach = [];
for (const weight of weights) reach.push((reach.at(-1) ?? 0) + weight / totalWeight);

function pickTenant(random) {
  const at = random();
  let low = 0;
  let high = tenants - 1;
  while (low < high) {
    const half = (low + high) >> 1;
    if (reach[half] < at) low = half + 1;
    else high = half;
  }
  return low;
}

async function fill({ product, crowded, alone, scopes, own, size, say }) {
  const random = createRandom(1);
  const counts = [0, 0];
  const start = performance.now();
  const { rows } = await crowded.database.owner.query(
    "select pg_get_indexdef('mem.observation_search_codes'::regclass) as made",
  );
  // Created after the records: a million additions to it take an hour and give the same index.
  await crowded.database.owner.query("drop index mem.observation_search_codes");
  for (let done = 0; done < size; done += batch) {
    const rows = [];
    const middles = [];
    for (let n = 0; n < Math.min(batch, size - done); n++) {
      const tenant = pickTenant(random);
      const parts = partsOf(random);
      rows.push(observationOf(product, scopes[tenant], parts));
      if (tenant === middle) middles.push(observationOf(product, own, parts));
      if (tenant === 0) counts[0]++;
    }
    counts[1] += middles.length;
    await product.insertObservations(crowded.database.system, rows);
    await product.insertObservations(alone.database.system, middles);
    if (done % 100_000 === 0) say(`${done.toLocaleString("en")} records`);
  }
  await crowded.database.owner.query(rows[0].made);
  for (const { database } of [crowded, alone]) await database.owner.query("vacuum analyze");
  const perRow = (performance.now() - start) / size;
  say(`filled, ${perRow.toFixed(2)} ms a record; largest project ${counts[0]}, middle ${counts[1]}`);
}

function partsOf(random) {
  return {
    title: text(random, 7),
    summary: text(random, 14),
    narrative: text(random, 90),
    facts: [text(random, 8), text(random, 8)],
    files_modified: [`/home/user/src/${text(random, 1)}/${text(random, 1)}.ts`],
  };
}

// Five terms that are neither the rarest nor the most common.
function questionOf(random) {
  return Array.from({ length: 5 }, () => word(20 + Math.floor(2_000 * random() ** 2))).join(" ");
}

function searcher(product) {
  const search = product.createProjectSearch(product.systemClock);
  const filter = { kind: null, obs_type: null, platform_source: null };
  return ({ app }, scope, words) =>
    product.inTenant(app, scope, (connection) => search.search(connection, scope, { words, filter, limit }));
}

async function makePlain({ owner }, scope) {
  await owner.query(`create table mem.plain as
    select id, team_id, project_id, content, to_tsvector('english', content) as content_search
    from mem.observations
    where team_id = '${scope.team_id}'`);
  await owner.query("create index on mem.plain using gin (content_search)");
  await owner.query("create index on mem.plain (team_id, project_id)");
  await owner.query("select mem.bound_by_tenant('mem.plain', true)");
  await owner.query("grant select on mem.plain to mem_app");
  await owner.query("vacuum analyze mem.plain");
}

// In the same kind of transaction, bound to the same tenant.
function plainSearch(product, { app }, scope, words) {
  return product.inTenant(app, scope, (connection) =>
    connection.query({
      name: "plain",
      text: `select id, content, ts_rank_cd(content_search, q) as score
        from plain, to_tsquery('english', $1) q
        where team_id = $2 and project_id = $3 and content_search @@ q
        order by score desc
        limit ${limit}`,
      values: [words.split(" ").join(" | "), scope.team_id, scope.project_id],
    }),
  );
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
