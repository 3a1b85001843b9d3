// Two processes that answer behind one address against one, over the same PostgreSQL: whether more processes carry more.
import { availableParallelism } from "node:os";
import { ingestModules, load, startHttpProcess } from "./http-process.mjs";
import { ratioFigure, spread } from "./measure.mjs";
import { addKey, makeProject, startBenchPostgres } from "./server-home.mjs";

const connections = 48;
const rounds = 6;
const seconds = 2;
// One core for each process, one for PostgreSQL, one for the load.
const coresNeeded = 4;

export async function run({ say }) {
  const product = await ingestModules();
  const postgres = await startBenchPostgres(product);
  const servers = [];
  try {
    const apiKey = await addKey(
      product,
      postgres.database,
      await makeProject(product, postgres.database, "b", "p"),
    );
    for (let n = 0; n < 2; n++) servers.push(await startHttpProcess(postgres.url));
    return [await takeFigure({ servers, apiKey, say })];
  } finally {
    for (const server of servers) server.stop();
    await postgres.remove();
  }
}

async function takeFigure({ servers, apiKey, say }) {
  const onto = async (chosen, prefix) => {
    const each = await Promise.all(
      chosen.map(({ port }, index) =>
        load({
          port,
          apiKey,
          connections: connections / chosen.length,
          seconds,
          prefix: `${prefix}-${index}`,
          query: "?generate=false",
        }),
      ),
    );
    return each.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  await onto(servers, "warm-up");
  const sides = { one: [], two: [] };
  for (let round = 0; round < rounds; round++) {
    sides.one.push(await onto(servers.slice(0, 1), `one-${round}`));
    sides.two.push(await onto(servers, `two-${round}`));
    say(`round ${round + 1}: one ${Math.round(sides.one.at(-1))}/s, two ${Math.round(sides.two.at(-1))}/s`);
  }
  const side = (label, values) => ({ label, p50: spread(values).p50, n: values.length });
  const cores = availableParallelism();
  return ratioFigure({
    name: "events over two processes / over one",
    unit: "per second",
    ours: side(`two processes, ${connections} connections together`, sides.two),
    floor: side(`one process, ${connections} connections`, sides.one),
    // Where the cores are shared nothing can be gained; it must not cost much either.
    target: cores >= coresNeeded ? ">= 1.6" : ">= 0.8",
    note: `${cores} cores; the target is >= 1.6 from ${coresNeeded} cores on`,
  });
}
