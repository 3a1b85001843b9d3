// A real PostgreSQL for the tests: one cluster per run of the suite, one database per test file that asks for it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, inject } from "vitest";
import { newId } from "../../src/core/ids.ts";
import { placeOfPostgres, preparePostgresHome } from "../../src/server/postgres/postgres-home.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../../src/server/postgres/private-postgres.ts";
import { type Database, openDatabase } from "../../src/store/postgres/open.ts";
import { chosenPostgres } from "./chosen-postgres.ts";

/** The URL of a fresh, migrated database of this test file; it is dropped after its last test. */
export async function createTestDatabase(): Promise<string> {
  const template = new URL(inject("postgresTemplate"));
  const url = new URL(template);
  url.pathname = `/test_${newId().replaceAll("-", "")}`;
  await asAdministrator(url, async (client, name) => {
    const { rows } = await client.query("show server_version_num");
    // Half of the time of a copy through the log, which is the default since 15.
    const strategy = Number(rows[0].server_version_num) < 150_000 ? "" : "strategy file_copy";
    await client.query(`create database ${name} template ${template.pathname.slice(1)} ${strategy}`);
  });
  afterAll(() => asAdministrator(url, (client, name) => client.query(`drop database ${name} with (force)`)));
  return url.href;
}

/** The same, opened; closed before it is dropped. */
export async function openTestDatabase(): Promise<Database & { url: string }> {
  const url = await createTestDatabase();
  const database = openDatabase({ url, onConnectionLost: () => undefined });
  afterAll(() => database.close());
  return { ...database, url };
}

async function asAdministrator(
  url: URL,
  work: (client: Client, name: string) => Promise<unknown>,
): Promise<void> {
  const admin = new URL(url);
  admin.pathname = "/postgres";
  const client = new Client({ connectionString: admin.href });
  client.on("error", () => undefined);
  await client.connect();
  await work(client, url.pathname.slice(1));
  await client.end();
}

/** A cluster of the test's own, for tests that crash it; `again` starts it once more on the same files. */
export async function startOwnPostgres(): Promise<{
  postgres: PrivatePostgres;
  again(): Promise<PrivatePostgres>;
  remove(): void;
}> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "mem-pg-")));
  fillCluster(dataDir);
  const start = () => startPrivatePostgres({ dataDir, ...chosenPostgres() });
  return {
    postgres: await start(),
    again: start,
    remove() {
      for (const path of [placeOfPostgres(dataDir).place, dataDir])
        rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Puts a new cluster into the data directory, in a fifth of the time of initdb. */
export function fillCluster(dataDir: string): void {
  execFileSync("cp", ["-a", `${inject("emptyCluster")}/.`, preparePostgresHome(dataDir).cluster]);
}

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the migrated database that every test database is copied from. */
    postgresTemplate: string;
    /** Directory of a cluster without tables. */
    emptyCluster: string;
  }
}
