// A hosted server for a bench: a migrated private PostgreSQL in a separate directory, and the product's modules on it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importBundle } from "./bundle.mjs";

/** The product's modules that the benches of the server use in process. */
export function serverModules() {
  return importBundle(
    "server-recall",
    `export { startPrivatePostgres } from "./src/server/postgres/private-postgres.ts";
     export { buildServer } from "./src/server/build.ts";
     export { createProjectSearch } from "./src/server/search/project-search.ts";
     export { loadServerSettings } from "./src/settings/server.ts";
     export { systemClock } from "./src/core/clock.ts";
     export { newId } from "./src/core/ids.ts";
     export { openDatabase } from "./src/store/postgres/open.ts";
     export { migrateServer } from "./src/store/postgres/migrate.ts";
     export { ensureProject, ensureTeam } from "./src/store/postgres/teams.ts";
     export { inTenant } from "./src/store/postgres/tenant.ts";
     export { insertObservations } from "./src/store/postgres/observations.ts";
     export { observationsBySeq } from "./src/store/postgres/observations.ts";
     export { findCandidates } from "./src/store/postgres/search.ts";
     export { hostedObservation } from "./test/helpers/hosted-records.ts";
     export { insertKey } from "./src/store/postgres/api-keys.ts";
     export { freshKey } from "./src/tenancy/keys/new-key.ts";
     export { createStderrLog } from "./src/core/log.ts";
     export { createAuthentication } from "./src/tenancy/keys/authenticate.ts";
     export { createKeyLookup } from "./src/server/keys.ts";
     export { withoutAjv, installZod } from "./src/http/plugins/zod.ts";
     export { installErrors } from "./src/http/plugins/errors.ts";
     export { installJsonBody } from "./src/http/plugins/json-body.ts";
     export { installAuthentication } from "./src/http/v1/authentication.ts";
     export { installHostCheck } from "./src/http/v1/host-guard.ts";
     export { mcpRoutes } from "./src/http/v1/mcp.ts";
     export { recallTools } from "./src/http/v1/mcp-tools.ts";
     export { askedTerms } from "./src/recall/query.ts";
     export { codeOf } from "./src/core/records/record-terms.ts";`,
  );
}

/** Starts PostgreSQL without waiting for the disk, and opens it; `remove` ends it and takes its files away. */
export async function startBenchPostgres(product, { max = 10, settings = [] } = {}) {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "mem-bench-pg-")));
  const postgres = await product.startPrivatePostgres({ dataDir, settings: ["fsync=off", ...settings] });
  const open = (size = max) =>
    product.openDatabase({ url: postgres.url, max: size, onConnectionLost: () => undefined });
  const database = open();
  await product.migrateServer(database.owner, "bench");
  return {
    url: postgres.url,
    database,
    open,
    async remove() {
      await database.close();
      await postgres.stop("immediate");
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A project of a team by their names. */
export async function makeProject(product, { system }, team, name) {
  const team_id = await product.ensureTeam(system, { id: product.newId(), name: team });
  return { team_id, project_id: await product.ensureProject(system, { id: product.newId(), team_id, name }) };
}

/** A session of the project; its id. */
export async function makeSession(product, database, { team_id, project_id }, name) {
  const id = product.newId();
  await database.system.query({
    text: `insert into sessions (id, team_id, project_id, content_session_id, memory_epoch)
      values ($1, $2, $3, $4, 1)`,
    values: [id, team_id, project_id, name],
  });
  return id;
}

/** The tests' observation as it is inserted, with an empty title and the given fields. */
export function observationOf(product, scope, given) {
  return product.hostedObservation(scope, { title: "", ...given });
}

/** A key of the project; its text. */
export async function addKey(product, { system }, { team_id, project_id }) {
  const scopes = ["memories:read", "memories:write"];
  const made = product.freshKey(
    { team_id, project_id, scopes },
    { label: "", expiresInDays: 1, now: Date.now() },
  );
  await product.insertKey(system, { ...made, parent_id: null });
  return made.apiKey;
}
