// Idle memory: the worker 30 s after a search load with 100,000 observations, against node + fastify + better-sqlite3
// with the same database open.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { datasetFile, installDataset, questions } from "./dataset.mjs";
import { ratioFigure } from "./measure.mjs";
import { searchOverHttp } from "./search.mjs";
import { sqliteFile } from "./sqlite.mjs";
import { benchHome, memoryOf, own, root, startWorker } from "./worker.mjs";

const searches = 300;
const idleMs = 30_000;

export async function run({ say }) {
  if (process.platform !== "linux") throw new Error("resident memory is read from /proc: Linux only");
  const home = benchHome();
  await installDataset(home.dataDir, say);
  const worker = await startWorker(home);
  const bare = await startBare(home.env, await datasetFile(say));
  try {
    for (const question of questions(searches)) await searchOverHttp(worker.port, question);
    say(`${searches} searches done; idle for ${idleMs / 1000} s`);
    await sleep(idleMs);
    const ours = memoryOf(worker.pid);
    const floor = memoryOf(bare.pid);
    return [
      figure("idle RSS / node + fastify + better-sqlite3", "rss", { ours, floor }),
      figure("of that its own (anonymous)", "anonymous", { ours, floor }),
    ];
  } finally {
    bare.stop();
    await worker.kill();
    home.remove();
  }
}

function figure(name, kind, { ours, floor }) {
  return ratioFigure({
    name,
    unit: "MiB",
    ours: { label: `worker, after ${searches} searches`, p50: ours[kind], n: 1 },
    floor: { label: "node + fastify + better-sqlite3, database open", p50: floor[kind], n: 1 },
    target: "<= 1.4",
    ...(kind === "rss"
      ? { note: `mapped from files: ${ours.file.toFixed(1)} and ${floor.file.toFixed(1)} MiB` }
      : {}),
  });
}

async function startBare(env, database) {
  const code = `
    import fastify from "fastify";
    import { Database } from ${JSON.stringify(sqliteFile)};
    const db = new Database(${JSON.stringify(database)}, { readonly: true });
    const app = fastify();
    app.get("/", async () => ({ rows: db.prepare("select count(*) from observations").pluck().get() }));
    await app.listen({ host: "127.0.0.1", port: 0 });
    await app.inject("/");
    console.log("ready");`;
  const child = own(
    spawn(process.execPath, ["--input-type=module", "-e", code], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", () => reject(new Error("the bare process ended")));
  });
  return { pid: child.pid, stop: () => child.kill("SIGKILL") };
}
