// Starts the tests' PostgreSQL before the first test and ends it after the last one; its files last no longer.
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { placeOfPostgres, preparePostgresHome } from "../../src/server/postgres/postgres-home.ts";
import { startPrivatePostgres } from "../../src/server/postgres/private-postgres.ts";
import { migrateServer } from "../../src/store/postgres/migrate.ts";
import { openDatabase } from "../../src/store/postgres/open.ts";
import { chosenPostgres } from "./chosen-postgres.ts";

// A test may crash the server, never the machine: without fsync a test is as real and several times as fast.
const settings = ["fsync=off", "full_page_writes=off", "max_connections=200"];

export default async function startTestPostgres(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "mem-test-pg-")));
  const options = { dataDir, settings, ...chosenPostgres() };
  // For tests that need another cluster: initdb takes several times as long as a copy.
  await (await startPrivatePostgres(options)).stop();
  const { cluster } = preparePostgresHome(dataDir);
  const empty = join(dirname(cluster), "empty");
  execFileSync("cp", ["-a", cluster, empty]);
  project.provide("emptyCluster", empty);
  const postgres = await startPrivatePostgres(options);
  const database = openDatabase({ url: postgres.url, onConnectionLost: () => undefined });
  await migrateServer(database.owner, "test");
  await database.close();
  project.provide("postgresTemplate", postgres.url);
  // Outside of it where the temporary directory is closed to others.
  const { place } = placeOfPostgres(dataDir);
  return async () => {
    await postgres.stop("immediate");
    for (const path of [place, dataDir]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  };
}
