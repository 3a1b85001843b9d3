// Hosted server processes and the load on them, each a separate process.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundle, importBundle } from "./bundle.mjs";
import { own } from "./worker.mjs";

/** Connections of one process to PostgreSQL. */
export const poolSize = 10;

/** The product's modules that the benches of ingest use in process. */
export function ingestModules() {
  return importBundle(
    "server-ingest",
    `export { startPrivatePostgres } from "./src/server/postgres/private-postgres.ts";
     export { freshKey } from "./src/tenancy/keys/new-key.ts";
     export { insertKey } from "./src/store/postgres/api-keys.ts";
     export { newId } from "./src/core/ids.ts";
     export { openDatabase } from "./src/store/postgres/open.ts";
     export { migrateServer } from "./src/store/postgres/migrate.ts";
     export { ensureProject, ensureTeam } from "./src/store/postgres/teams.ts";`,
  );
}

/** Puts events on a server; how many were acknowledged, and the spread of the times. */
export function load(options) {
  const file = fileURLToPath(new URL("event-load.mjs", import.meta.url));
  const child = own(
    spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ["ignore", "pipe", "inherit"] }),
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

/** A process that answers over the database at `url`. */
export async function startHttpProcess(url) {
  const file = await bundle(
    "server-process",
    `import { createStderrLog } from "./src/core/log.ts";
     import { systemClock } from "./src/core/clock.ts";
     import { buildServer } from "./src/server/build.ts";
     import { loadServerSettings } from "./src/settings/server.ts";
     import { openDatabase } from "./src/store/postgres/open.ts";
     const database = openDatabase({ url: process.argv[2], max: ${poolSize}, onConnectionLost: () => undefined });
     const server = buildServer({
       database,
       role: "http",
       settings: loadServerSettings({ MEM_AUTH_MODE: "api-key" }),
       log: createStderrLog("SILENT").log,
       clock: systemClock,
       address: () => ({ host: "127.0.0.1", port: 0 }),
     });
     await server.ready();
     console.log(new URL(await server.app.listen({ host: "127.0.0.1", port: 0 })).port);`,
  );
  const child = own(
    spawn(process.execPath, [file, url], {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  const port = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(Number(line)));
    child.once("exit", () => reject(new Error("the server ended")));
  });
  return { port, pid: child.pid, stop: () => child.kill("SIGKILL") };
}
